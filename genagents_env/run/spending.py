"""The spending of a run across its interruptions, stored in its file before each request."""

from collections.abc import Callable
from dataclasses import asdict, replace

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
    """Set `budget` to the spending of the run so far, and store its changes in the file.

    Requests in flight when its process was killed are lost, and spent at the most they could cost.
    Replayed calls cost nothing. The spending of interviews and judges after an earlier end counts,
    but is noted separately.

    Raises:
        RecordError: the file cannot be written, or its notes of spending are damaged.
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
    """Return the options with the limits of a run: those given, or else those in its file."""
    if options.no_limit:
        return options
    return replace(options, limits=_merge(kept, options.limits))


def note_limits(writer: RunWriter, limits: Limits, tick: int) -> None:
    """Write these limits into a run file, with the change from `tick` on."""
    if limits != writer.meta.limits:
        writer.replace_meta(writer.meta.with_limits(limits, tick))


class LaterBudget:
    """The budget of interviews or judges after the end of a run, stored in its file.

    It is within the limits of the run, which a larger number raises, and within limits of its own,
    which last until the activity is finished, however often its process is killed. Nothing is
    written before `keep`, or before the first request.

    Args:
        run: locked by this process.
        key: `INTERVIEWED` or `JUDGED`.
        options: as given.
        open_writer: returns the writer of the run, the same each time.

    Attributes:
        options: with this budget.
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
        """Note that the activity is finished, and its own limits are over."""
        self._note(LaterSpending(self._kept.done + _measure(self._budget)))

    def keep(self) -> None:
        """Note the limits, and the spending so far."""
        # A request that waits for the limits of the run is reserved here, but not in flight.
        begun = replace(_measure(self._budget), in_flight=self._whole.reserved)
        self._note(LaterSpending(self._kept.done, begun, self._own))

    def _note(self, spending: LaterSpending) -> None:
        writer = self._open_writer()
        note_limits(writer, self._limits, self._tick)
        writer.note(self._key, spending.encode())


class _KeptBudget(Budget):
    """Stores the spending of each answer, which is not stored with the answer."""

    def settle(self, most: Spend, used: Spend) -> None:
        super().settle(most, used)
        self.keep()


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
