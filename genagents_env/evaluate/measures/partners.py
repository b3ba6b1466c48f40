"""Who talks to whom: the directed network of what is heard by those addressed."""

from genagents_env.evaluate.conversations import partners as counted
from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.run_data import RunData

_NETWORK = "Wasserman and Faust 1994, chapters 4 and 13"


@measure(
    "partners",
    "Partners",
    "agents",
    """The mean over all agents of how many others one spoke to who, addressed, heard it, or was
    spoken to by. None for a single agent, and before any time has passed.""",
    "degree; " + _NETWORK,
)
def partners(data: RunData) -> float | None:
    """Return the mean."""
    edges = counted(data)[1] > 0
    if len(edges) < 2 or not data.ticks:
        return None
    return over((edges | edges.T).sum(), len(edges))


@measure(
    "talk_density",
    "Density of talk",
    "share",
    """Of all ordered pairs of agents, the share in which the first spoke to the second, who,
    addressed, heard it. None for a single agent, and before any time has passed.""",
    _NETWORK,
)
def talk_density(data: RunData) -> float | None:
    """Return the share."""
    edges = counted(data)[1] > 0
    people = len(edges)
    return over(edges.sum(), people * (people - 1)) if data.ticks else None


@measure(
    "reciprocity",
    "Reciprocity",
    "share",
    """Of the ordered pairs in which the first spoke to the second, the share in which the second
    also spoke to the first, at any time. None where nobody spoke to anybody.""",
    _NETWORK,
)
def reciprocity(data: RunData) -> float | None:
    """Return the share."""
    edges = counted(data)[1] > 0
    return over((edges & edges.T).sum(), edges.sum())
