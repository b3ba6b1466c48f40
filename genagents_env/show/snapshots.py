"""The town rebuilt from the events of a record, to be drawn at any tick without a world.

Positions are recorded as each tick ends; all else that shows changes only with an event.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby

import numpy as np

from genagents_env.record.reader import RunReader
from genagents_env.scenario import lay_out
from genagents_env.scenario.plan import TownPlan
from genagents_env.show.render import Ints, RecordedTick
from genagents_env.world.events import Event


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
            positions: columns and rows of everyone as it ends, shape (N, 2). Who stands beyond the
                map, as a file may have it, is at its edge.
        """
        x = np.clip(positions[:, 0].astype(np.int64), 0, self._plan.width - 1)
        y = np.clip(positions[:, 1].astype(np.int64), 0, self._plan.height - 1)
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


class RunSnapshots:
    """The snapshots of a run, made of its events; also while it is written.

    Args:
        run: the record, open for as long as this is used.
    """

    def __init__(self, run: RunReader) -> None:
        self.run, self.plan = run, lay_out(run.meta.scenario)

    def find(self, tick: int) -> RecordedTick:
        """Return the snapshot of a tick.

        Raises:
            IndexError: the run has no such tick.
        """
        for snapshot in self.read(tick, tick):
            return snapshot
        raise IndexError(f"{self.run.path} has no tick {tick}")

    def read(self, first: int = 0, last: int | None = None) -> Iterator[RecordedTick]:
        """Yield the snapshots of the ticks from `first` to `last`; None is to the last recorded.

        Ticks beyond the last recorded yield nothing.
        """
        end = self.run.last_tick if last is None else min(last, self.run.last_tick)
        town = RecordedTown(self.plan, self.run.meta.names)
        town.advance(self.run.events(0, first - 1))
        happened = groupby(self.run.events(first, end), key=lambda event: event.tick)
        now, events = next(happened, (None, iter(())))
        for tick, positions in self.run.ticks(first, end):
            town.advance(list(events) if tick == now else ())
            if tick == now:
                now, events = next(happened, (None, iter(())))
            yield town.take_snapshot(tick, self.run.time(tick), positions)
