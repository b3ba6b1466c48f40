"""Who was awake, and who in a conversation, at every tick of a run."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.evaluate.spans import Membership
from genagents_env.world.events import Event

Bools = npt.NDArray[np.bool_]


def awake(events: Iterable[Event], names: Sequence[str], last_tick: int) -> Bools:
    """Return who was in the town and awake as each tick ended.

    Args:
        events: of the run, in order.
        names: of the rows.
        last_tick: of the run.

    Returns:
        Shape (N, last_tick + 1); False before an agent has come.
    """
    rows = {name: row for row, name in enumerate(names)}
    found = np.zeros((len(names), last_tick + 1), dtype=np.bool_)
    for event in events:
        if event.agent not in rows or event.tick > last_tick:
            continue
        if event.kind in ("start", "put", "join"):
            found[rows[event.agent], event.tick :] = not event.data["asleep"]
        elif event.kind in ("sleep", "wake", "part"):
            found[rows[event.agent], event.tick :] = event.kind == "wake"
    return found


def talking(times: Iterable[Membership], names: Sequence[str], last_tick: int) -> Bools:
    """Return who was in a conversation as each tick ended: shape (N, last_tick + 1).

    One is in it from the tick of joining until before the tick of leaving.
    """
    rows = {name: row for row, name in enumerate(names)}
    found = np.zeros((len(names), last_tick + 1), dtype=np.bool_)
    for one in times:
        if one.agent in rows:
            end = last_tick + 1 if one.end is None else one.end
            found[rows[one.agent], one.first : end] = True
    return found
