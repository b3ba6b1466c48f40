"""Whether anybody ever says no: agents of instruction-tuned models hardly do."""

from genagents_env.evaluate.asking import asked
from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.run_data import RunData

_PARK = (
    "failure named in Park et al. 2023, section 7.2: Isabella took up every suggestion of others; "
    "the rule by phrases (`evaluate/phrases.toml`, English) is ours"
)
_ASKED = """the invitations, requests and suggestions, known by their phrases, that somebody was
    addressed with in a conversation, heard, and spoke after"""


def _answered(data: RunData, kind: str) -> float | None:
    kinds = [one.kind for one in asked(data) if one.kind is not None]
    return over(kinds.count(kind), len(kinds))  # type: ignore[arg-type]  # one of the three kinds


@measure(
    "declined",
    "Saying no",
    "share",
    f"""Of {_ASKED}, the share whose first answer declines. None where nobody was so asked.""",
    _PARK,
)
def declined(data: RunData) -> float | None:
    """Return the share."""
    return _answered(data, "declined")


@measure(
    "accepted",
    "Saying yes",
    "share",
    f"""Of {_ASKED}, the share whose first answer accepts and does not decline; what is left is
    neither. None where nobody was so asked.""",
    _PARK,
)
def accepted(data: RunData) -> float | None:
    """Return the share."""
    return _answered(data, "accepted")


@measure(
    "requests",
    "Being asked",
    "per agent and game hour",
    """How often an agent was addressed in a conversation with an invitation, a request or a
    suggestion, known by its phrases, and heard it, per agent and game hour. None before any time
    has passed.""",
    _PARK,
)
def requests(data: RunData) -> float | None:
    """Return the rate."""
    return over(len(asked(data)), data.agent_hours)
