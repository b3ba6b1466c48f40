"""Broken rules of places: the physical norms that agents of the originals did not notice."""

from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.norms import KINDS, attempts, trespass
from genagents_env.evaluate.run_data import RunData

_PARK = (
    "failure named in Park et al. 2023, section 7.2: agents entered a bathroom for one that was "
    "taken, and stores after closing time; here the town refuses it"
)
_ATTEMPT = "the same refusal of the same agent again within five game minutes is the same attempt"


@measure(
    "broken_norms",
    "Attempts against a rule",
    "per agent and game hour",
    f"""Attempts that the town refused since the place was closed, private or full, or the thing
    another's, per agent and game hour; {_ATTEMPT}. None before any time has passed.""",
    _PARK,
    "less",
)
def broken_norms(data: RunData) -> float | None:
    """Return the rate."""
    return over(len(attempts(data)), data.agent_hours)


@measure(
    "norm_attempts",
    "Attempts against a rule, by kind",
    "per agent and game hour",
    f"""`broken_norms` by kind: places closed, private or full, and things that are another's;
    {_ATTEMPT}. None before any time has passed.""",
    _PARK,
    "less",
)
def norm_attempts(data: RunData) -> dict[str, float | None]:
    """Return the rate by kind."""
    kinds = [one.kind for one in attempts(data)]
    return {kind: over(kinds.count(kind), data.agent_hours) for kind in KINDS}


@measure(
    "trespass",
    "Time against a rule",
    "share",
    """Of the time in which agents were awake, the share in a place that was closed (but for those
    who live or work in its sector), that is for others, or that held more people than it may. None
    where nobody was awake.""",
    _PARK,
    "less",
)
def trespass_(data: RunData) -> float | None:
    """Return the share."""
    return over(trespass(data).sum(), data.awake[:, : data.ticks].sum())
