"""A reader that reads each part of a run once and keeps it, for the many who ask for the same."""

from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile

from genagents_env.record import InterviewRow, JudgementRow, RunReader
from genagents_env.record.rows import CallRow
from genagents_env.world.events import Event


class Kept(RunReader):
    """The same run through the same open file; events, calls and answers are decoded once.

    Closing it, or the reader it was made of, closes the file for both.

    Args:
        run: open.
    """

    def __init__(self, run: RunReader) -> None:
        self.path, self.meta = run.path, run.meta
        self.cassette, self.embeddings = run.cassette, run.embeddings
        self._connection = run._connection

    @cached_property
    def all_events(self) -> tuple[Event, ...]:
        """All events, in order."""
        return tuple(super().events())

    @cached_property
    def _calls(self) -> tuple[CallRow, ...]:
        return tuple(super().calls())

    @cached_property
    def _interviews(self) -> tuple[InterviewRow, ...]:
        return tuple(super().interviews())

    @cached_property
    def _judgements(self) -> tuple[JudgementRow, ...]:
        return tuple(super().judgements())

    def events(self, first_tick: int = 0, last_tick: int | None = None) -> Iterator[Event]:
        """Yield the events of these ticks, in the order of their ids; None is to the end."""
        later = (event for event in self.all_events if event.tick >= first_tick)
        return takewhile(lambda event: last_tick is None or event.tick <= last_tick, later)

    def calls(self) -> Iterator[CallRow]:
        """Yield the model calls, ordered by agent, tick, purpose and number."""
        return iter(self._calls)

    def interviews(self) -> list[InterviewRow]:
        """Return every answer, ordered by tick, then as they were asked, repeat by repeat."""
        return list(self._interviews)

    def judgements(self) -> list[JudgementRow]:
        """Return every verdict on an answer, ordered by judge, check and tick."""
        return list(self._judgements)
