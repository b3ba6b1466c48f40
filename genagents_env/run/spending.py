"""What a run has spent, across its interruptions: in its file before anything is sent."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from genagents_env.llm.budget import NO_LIMITS, Budget, Limits, Spend
from genagents_env.record import RunReader, RunWriter
from genagents_env.record.connection import guard_reading
from genagents_env.record.spending import (
    INTERVIEWED,
    JUDGED,
    LaterSpending,
    Spending,
    decode_later_spending,
)
from genagents_env.run.spec import RunOptions

_NONE = Spending()


def keep_spending(writer: RunWriter, budget: Budget) -> None:
    """Set `budget` to what the run has spent so far, and have its file keep what is spent from now.

    What was in flight when its process was killed is lost, and spent at the most it could cost.
    Stored calls that are made again cost nothing: they were paid for. What interviews and judges
    spent after an earlier end counts, and is noted apart.

    Raises:
        RecordError: the file cannot be written, or does not say what was spent.
    """
    with guard_reading(writer.path):
        kept = (writer.spending.read() or _NONE).count_lost()
        later = _NONE
        for key in (INTERVIEWED, JUDGED):
            later += decode_later_spending(writer.find_note(key)).sum
    seconds = kept.seconds + later.seconds
    budget.load_spending(kept.total + later.total, seconds, kept.lost, kept.clipped)
    writer.spending.measure = lambda: _measure(budget, later)
    budget.on_change = writer.keep_spending
    writer.keep_spending()


def inherit_limits(options: RunOptions, kept: Limits) -> RunOptions:
    """Return the options with the limits that a run has: those given, and else those it kept."""
    if options.no_limit:
        return options
    return replace(options, limits=_merge(kept, options.limits))


def note_limits(writer: RunWriter, limits: Limits, tick: int) -> None:
    """Let a run file hold these limits from `tick` on, and tell what they were before."""
    if limits != writer.meta.limits:
        writer.replace_meta(writer.meta.with_limits(limits, tick))


class LaterBudget:
    """What interviews or judges spend on a run after its end, kept in its file.

    It is within the limits of the run, which a larger number raises, and within limits of its own,
    which hold until what was begun comes to its end, however often its process is killed. Nothing
    is written before `keep`, or before the first request.

    Args:
        run: that is locked by this process.
        key: `INTERVIEWED` or `JUDGED`.
        options: as they were given.
        open_writer: returns the writer of the run, the same each time.

    Attributes:
        options: to ask with.
    """

    def __init__(
        self, run: RunReader, key: str, options: RunOptions, open_writer: Callable[[], RunWriter]
    ) -> None:
        self._open_writer, self._key, self._tick = open_writer, key, run.last_tick
        with guard_reading(run.path):
            self._kept = decode_later_spending(run.find_note(key))
        given = options.limits
        self._limits = NO_LIMITS if options.no_limit else _raise(run.meta.limits, given)
        self._own = given if options.no_limit else _merge(self._kept.limits, given)
        self._whole = self._limits.budget(options.shared_budget)
        spent = sum(run.later_spending.values(), (run.spending or _NONE).count_lost())
        self._whole.load_spending(spent.total, spent.seconds)
        self._budget = _KeptBudget(**asdict(self._own), shared=self._whole)
        begun = self._kept.begun
        self._budget.load_spending(begun.total, begun.seconds, begun.lost, begun.clipped)
        self._budget.on_change = self.keep
        # With dollars limited, the price has to be known.
        dollars = self._limits.dollars if self._own.dollars is None else self._own.dollars
        self.options = replace(options, limits=Limits(dollars=dollars), shared_budget=self._budget)

    def finish(self) -> None:
        """Note that what was begun came to its end: limits of its own hold no longer."""
        self._note(LaterSpending(self._kept.done + _measure(self._budget)))

    def keep(self) -> None:
        """Note the limits, and what is spent so far."""
        # What waits for the run's limits is set aside in its own already, but not under way.
        begun = replace(_measure(self._budget), in_flight=self._whole.reserved)
        self._note(LaterSpending(self._kept.done, begun, self._own))

    def _note(self, spending: LaterSpending) -> None:
        writer = self._open_writer()
        note_limits(writer, self._limits, self._tick)
        writer.note(self._key, spending.encode())


class _KeptBudget(Budget):
    """Keeps what an answer cost: the answer is not kept with it."""

    def settle(self, most: Spend, used: Spend) -> None:
        super().settle(most, used)
        self.keep()


@contextmanager
def limit_interviews(
    path: str | Path, options: RunOptions
) -> Iterator[tuple[RunOptions, Callable[[], None]]]:
    """Give the options to hold interviews with, and what is called as they begin.

    With limits, the file of the run keeps what is spent from then on: one that is refused before is
    not written, nor is a run without any limits.

    Raises:
        RecordError: the file is missing, foreign or damaged; or there are limits, and it cannot be
            written.
        RunLocked: there are limits, and another process writes it.
    """
    with RunReader(path, known=True) as run:
        kept = decode_later_spending(run.find_note(INTERVIEWED)).limits
        limited = any(one != NO_LIMITS for one in (run.meta.limits, options.limits, kept))
    if not limited:
        yield options, lambda: None
        return
    with ExitStack() as stack:
        lock = RunWriter.lock(path)
        stack.callback(lambda: lock.release(keep=lock.was_left))
        open_writer = cache(lambda: stack.enter_context(RunWriter.open(path, lock=lock)))
        with RunReader(path, known=True) as run:
            budget = LaterBudget(run, INTERVIEWED, options, open_writer)
        yield budget.options, budget.keep
        budget.finish()


def _merge(kept: Limits, given: Limits) -> Limits:
    """Return `kept` with each number that `given` has."""
    return replace(kept, **{kind: n for kind, n in asdict(given).items() if n is not None})


def _raise(kept: Limits, given: Limits) -> Limits:
    """Return `kept` with each number that is larger in `given`."""
    old = asdict(kept)
    new = {kind: n for kind, n in asdict(given).items() if None not in (n, old[kind])}
    return replace(kept, **{kind: n for kind, n in new.items() if n > old[kind]})


def _measure(budget: Budget, apart: Spending = _NONE) -> Spending:
    return Spending(
        budget.spent - apart.total,
        budget.reserved,
        budget.elapsed - apart.seconds,
        budget.lost,
        budget.clipped,
    )
