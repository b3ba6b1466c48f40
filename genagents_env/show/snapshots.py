"""A recorded run as pictures need it: a snapshot of any tick, and of all ticks in order."""

from collections.abc import Iterator
from itertools import groupby

from genagents_env.record.reader import RunReader
from genagents_env.scenario import lay_out
from genagents_env.show.render.recorded import RecordedTick, RecordedTown


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
