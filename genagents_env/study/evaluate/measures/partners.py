"""Who talks to whom: the directed network of what is heard by those addressed."""

import networkx as nx
import numpy as np
import numpy.typing as npt

from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData

Counts = npt.NDArray[np.int64]

_NETWORK = "Wasserman and Faust 1994, chapters 4 and 13"


def count_partners(data: RunData) -> tuple[tuple[str, ...], Counts]:
    """Return who talked to whom.

    Returns:
        The names, and the counts: shape (N, N), how many utterances of the row's agent the
        column's agent heard as one of those addressed, in a conversation or out of it.
    """
    counts: Counts = np.zeros((len(data.names), len(data.names)), dtype=np.int64)
    for event in data.utterances:
        speaker = data.row[event.agent or ""]
        for name in event.data["addressed"]:
            hearer = data.row.get(name, speaker)
            if hearer != speaker and name in event.data["heard_by"]:
                counts[speaker, hearer] += 1
    return data.names, counts


@measure("Partners", "agents", "degree; " + _NETWORK)
def partners(data: RunData) -> float | None:
    """The mean over all agents of how many others one spoke to who, addressed, heard it, or was
    spoken to by. None for a single agent, and before any time has passed.
    """
    edges = count_partners(data)[1] > 0
    if len(edges) < 2 or not data.ticks:
        return None
    return ratio((edges | edges.T).sum(), len(edges))


@measure("Reciprocity", "share", _NETWORK)
def reciprocity(data: RunData) -> float | None:
    """Of the ordered pairs in which the first spoke to the second, the share in which the second
    also spoke to the first, at any time. None where nobody spoke to anybody.
    """
    edges = count_partners(data)[1] > 0
    return ratio((edges & edges.T).sum(), edges.sum())


@measure("Clustering", "share", "Watts and Strogatz 1998, as networkx computes it")
def clustering(data: RunData) -> float | None:
    """The mean over all agents of the share of the pairs of one's partners who are partners of one
    another, of an agent with fewer than two partners 0. None for fewer than three agents, and
    before any time has passed.
    """
    edges = count_partners(data)[1] > 0
    if len(edges) < 3 or not data.ticks:
        return None
    return float(nx.average_clustering(nx.from_numpy_array(edges | edges.T)))
