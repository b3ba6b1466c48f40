"""The town rebuilt from the events of a record, to be drawn at each tick without a world.

Positions are recorded as each tick ends; all else that shows changes only with an event.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.plan import TownPlan
from genagents_env.world.events import Event

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]


class RecordedTick(NamedTuple):
    """The town at a recorded tick, immutable; N people, and the objects of the plan.

    `x`, `y`: tiles; `arena`: indices of the plan; `object_states`: in the plan's order; `spoken`:
    (index of the speaker, words) of this tick.
    """

    tick: int
    time: datetime
    x: Ints
    y: Ints
    arena: Ints
    asleep: Bools
    present: Bools
    doing: tuple[str, ...]
    emoji: tuple[str, ...]
    object_states: tuple[str, ...]
    spoken: tuple[tuple[int, str], ...]


class RecordedTown:
    """The visible state of a town, changed by its events; before the first of them nobody is there.

    Args:
        plan: of the town.
        names: of the N people, in the order of the recorded positions.
    """

    def __init__(self, plan: TownPlan, names: Sequence[str]) -> None:
        self._plan = plan
        self._rows = {name: row for row, name in enumerate(names)}
        ids = [plan.object_id(index) for index in range(len(plan.objects))]
        self._objects = {id_: index for index, id_ in enumerate(ids)}
        self._doing, self._emoji = [""] * len(names), [""] * len(names)
        self._asleep, self._present = [False] * len(names), [False] * len(names)
        self._states = [item.state for item in plan.objects]
        self._spoken: list[tuple[int, str]] = []

    def advance(self, events: Iterable[Event]) -> None:
        """Change it by all events of the next tick, or of several, in their order."""
        self._spoken = []
        for event in events:
            if event.kind == "object":
                index = self._objects.get(event.data["object"])
                if index is not None:
                    self._states[index] = event.data["state"]
            elif event.agent in self._rows:
                self._change_person(self._rows[event.agent], event)

    def _change_person(self, row: int, event: Event) -> None:
        kind, data = event.kind, event.data
        if kind in ("start", "put", "join"):
            self._asleep[row], self._present[row] = data["asleep"], True
        if kind in ("start", "put", "join", "doing"):
            self._doing[row], self._emoji[row] = data["doing"], data.get("emoji", "")
        elif kind in ("sleep", "wake"):
            self._asleep[row] = kind == "sleep"
        elif kind == "part":
            self._present[row] = False
        elif kind == "say":
            self._spoken.append((row, data["text"]))

    def take_snapshot(self, tick: int, time: datetime, positions: Ints) -> RecordedTick:
        """Return the snapshot of a tick.

        Args:
            tick: to which it has been advanced.
            time: of the town at that tick.
            positions: columns and rows of everyone as it ends, shape (N, 2).
        """
        x, y = find_tiles(self._plan, positions)
        return RecordedTick(
            tick,
            time,
            x,
            y,
            self._plan.arena[y, x],
            np.array(self._asleep, np.bool_),
            np.array(self._present, np.bool_),
            tuple(self._doing),
            tuple(self._emoji),
            tuple(self._states),
            tuple(self._spoken),
        )


def find_tiles(plan: TownPlan, positions: Ints) -> tuple[Ints, Ints]:
    """Return columns and rows of recorded positions, shape (N, 2).

    Who stands beyond the map, as a file may have it, is at its edge.
    """
    x = np.clip(positions[:, 0].astype(np.int64), 0, plan.width - 1)
    return x, np.clip(positions[:, 1].astype(np.int64), 0, plan.height - 1)
