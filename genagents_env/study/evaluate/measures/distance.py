"""How far people walk."""

import numpy as np
import numpy.typing as npt

from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData

_PUT = ("put", "join", "part")  # by these one is elsewhere without having walked

Tiles = npt.NDArray[np.int64]


def compute_distances(data: RunData) -> Tiles:
    """Return how many tiles each agent walked, in the order of the names.

    A step goes to one of four neighbours, so that from tick to tick it is the difference in x and
    in y together; what a path goes round within one tick is not seen.
    """
    at = data.positions.astype(np.int64)
    steps: Tiles = np.abs(np.diff(at, axis=0)).sum(axis=2)
    for kind in _PUT:
        for event in data.of_kind(kind):
            if event.agent in data.row and event.tick:
                steps[event.tick - 1, data.row[event.agent]] = 0
    total: Tiles = steps.sum(axis=0)
    return total


@measure("Distance walked", "tiles per agent and game hour", "descriptive; ours")
def distance(data: RunData) -> float | None:
    """Tiles walked per agent and game hour lived: from tick to tick the difference in x and in y
    together; who is put somewhere, joins or leaves the town does not walk there. None before any
    time has passed.
    """
    return ratio(compute_distances(data).sum(), data.agent_hours)
