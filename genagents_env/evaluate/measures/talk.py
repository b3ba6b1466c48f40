"""How much is said."""

from genagents_env.evaluate.conversations import spoken_in, words_of
from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.spans import spans

_OURS = "descriptive; ours"


@measure(
    "conversations",
    "Conversations",
    "per agent and game hour",
    """Conversations joined per agent and game hour lived, asleep or awake. None before any time
    has passed.""",
    _OURS,
)
def conversations(data: RunData) -> float | None:
    """Return the rate."""
    return over(len(data.memberships), data.agent_hours)


@measure(
    "utterances",
    "Utterances",
    "per agent and game hour",
    """Utterances per agent and game hour lived, in conversations or not, heard or not. None before
    any time has passed.""",
    _OURS,
)
def utterances(data: RunData) -> float | None:
    """Return the rate."""
    return over(len(data.utterances), data.agent_hours)


@measure(
    "turns",
    "Utterances in a conversation",
    "utterances",
    """Utterances per conversation. None where there was no conversation.""",
    _OURS,
)
def turns(data: RunData) -> float | None:
    """Return the mean."""
    return spans(data).utterances_per_conversation


@measure(
    "words",
    "Words in an utterance",
    "words",
    """The mean number of words of an utterance; a word is a run of letters and digits, apostrophes
    inside it. None where nothing was said.""",
    _OURS,
)
def words(data: RunData) -> float | None:
    """Return the mean."""
    said = data.utterances
    return over(sum(len(words_of(str(event.data["text"]))) for event in said), len(said))


@measure(
    "unheard",
    "Utterances nobody hears",
    "share",
    """Of all utterances, the share that nobody heard. None where nothing was said.""",
    _OURS,
    "less",
)
def unheard(data: RunData) -> float | None:
    """Return the share."""
    said = data.utterances
    return over(sum(not event.data["heard_by"] for event in said), len(said))


@measure(
    "one_sided",
    "Conversations without an answer",
    "share",
    """Of the conversations in which anything was said, the share in which one agent alone spoke.
    None where nothing was said in a conversation.""",
    _OURS,
    "less",
)
def one_sided(data: RunData) -> float | None:
    """Return the share."""
    counts = spoken_in(data)
    return over(sum(len(of) == 1 for of in counts.values()), len(counts))
