"""A recorded run as pictures need it: a snapshot of any tick, and of all ticks in order."""

from bisect import bisect_right
from collections.abc import Iterator

from genagents_env.record.reader import RunReader
from genagents_env.scenario import lay_out
from genagents_env.scenario.plan import TownPlan
from genagents_env.show.render.recorded import RecordedTick, RecordedTown
from genagents_env.world.events import Event

_EVERY = 500  # ticks between the towns that are kept to go on from


class RunSnapshots:
    """The snapshots of a run, made of its events; also while it is written.

    The town is kept every few hundred ticks it was advanced to, so that a tick is found quickly
    wherever one was before.

    Args:
        run: the record, open for as long as this is used.
        plan: of its town; None lays it out from its scenario.
    """

    def __init__(self, run: RunReader, plan: TownPlan | None = None) -> None:
        self.run = run
        self.plan = plan if plan is not None else lay_out(run.meta.scenario)
        # Of ticks in ascending order; the first is before the first tick.
        self._kept: list[tuple[int, RecordedTown]] = [
            (-1, RecordedTown(self.plan, run.meta.names)),
        ]

    def find(self, tick: int) -> RecordedTick:
        """Return the snapshot of a tick.

        Raises:
            IndexError: the run has no such tick.
        """
        positions = self.run.positions(tick)
        town = self._find_town(tick)
        return town.take_snapshot(tick, self.run.time(tick), positions)

    def read(self, first: int = 0, last: int | None = None) -> Iterator[RecordedTick]:
        """Yield the snapshots of the ticks from `first` to `last`; None is to the last recorded.

        Ticks beyond the last recorded yield nothing.
        """
        end = self.run.last_tick if last is None else min(last, self.run.last_tick)
        town = self._find_town(first - 1)
        events = _EventsByTick(self.run.events(first, end))
        for tick, positions in self.run.ticks(first, end):
            town.advance(events.take(tick))
            yield town.take_snapshot(tick, self.run.time(tick), positions)

    def _find_town(self, tick: int) -> RecordedTown:
        """Return the town as `tick` ended; on the way there, keep some of what it was."""
        at = bisect_right(self._kept, tick, key=lambda kept: kept[0]) - 1
        before, kept = self._kept[at]
        town = kept.copy()
        events = _EventsByTick(self.run.events(before + 1, tick))
        for now in range(before + 1, tick + 1):
            town.advance(events.take(now))
            if now % _EVERY == 0 and now > self._kept[-1][0]:
                self._kept.append((now, town.copy()))
        return town


class _EventsByTick:
    """Events in their order, handed out tick by tick."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._next = next(events, None)

    def take(self, tick: int) -> list[Event]:
        """Return the events of `tick`; ask for ticks in ascending order."""
        taken = []
        while self._next is not None and self._next.tick <= tick:
            taken.append(self._next)
            self._next = next(self._events, None)
        return taken
