"""What a run has spent since its start: a note in its file that is in step with its requests."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from genagents_env.llm.budget import NO_LIMITS, Limits, Spend
from genagents_env.record.connection import RunConnection
from genagents_env.record.head import Count, Seconds, StoredLimits, StoredSpend, describe
from genagents_env.record.rows import JSON, encode
from genagents_env.record.tables import META

SPENDING = "spent"
INTERVIEWED, JUDGED = "interviewed", "judged"  # what was spent on a run after its end
_NOTHING = Spend()
_Note = TypeVar("_Note")


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class Spending:
    """What a run has spent since its start, over all its interruptions.

    Attributes:
        spent: by requests that are over, failed ones too.
        in_flight: the most that requests can spend that are under way.
        seconds: of wall clock.
        lost: requests that were under way when their process ended, or were cancelled: they are
            spent at the most they could cost.
        clipped: answers whose usage was above what they could have read and written.
    """

    spent: StoredSpend = _NOTHING
    in_flight: StoredSpend = _NOTHING
    seconds: Seconds = 0.0
    lost: Count = 0
    clipped: Count = 0

    @property
    def total(self) -> Spend:
        """What is spent, with requests under way at the most they can cost."""
        return self.spent + self.in_flight

    def count_lost(self) -> "Spending":
        """Return it once the process is gone: what was under way is lost, and spent."""
        lost = self.lost + self.in_flight.calls
        return Spending(self.total, _NOTHING, self.seconds, lost, self.clipped)

    def as_json(self) -> JSON:
        """Return it as JSON values."""
        spent, in_flight = (
            [spend.calls, spend.tokens, str(spend.dollars)]
            for spend in (self.spent, self.in_flight)
        )
        return {
            **{"spent": spent, "in_flight": in_flight, "seconds": self.seconds},
            **{"lost": self.lost, "clipped": self.clipped},
        }

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(
            self.spent + other.spent,
            self.in_flight + other.in_flight,
            self.seconds + other.seconds,
            self.lost + other.lost,
            self.clipped + other.clipped,
        )


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class LaterSpending:
    """What interviews held after a run, or judges of its answers, have spent.

    Attributes:
        done: by those that came to their end.
        begun: by one that did not yet, over its interruptions.
        limits: of that one, within those of the run.
    """

    done: Spending = Spending()
    begun: Spending = Spending()
    limits: StoredLimits = NO_LIMITS

    @property
    def sum(self) -> Spending:
        """All of it."""
        return self.done + self.begun

    def encode(self) -> str:
        """Return it as the text of a note."""
        done, begun = self.done.as_json(), self.begun.as_json()
        return encode({"done": done, "begun": begun, "limits": encode_limits(self.limits)})


_SPENDING = TypeAdapter(Spending)
_LATER = TypeAdapter(LaterSpending)


def encode_limits(limits: Limits) -> dict[str, JSON]:
    """Return limits as JSON values."""
    dollars = None if limits.dollars is None else str(limits.dollars)
    return asdict(limits) | {"dollars": dollars}


def decode_spending(note: str | None) -> Spending | None:
    """Return what a run had spent by its note, None where it has none.

    Raises:
        ValueError: it is no such note.
    """
    return _decode(_SPENDING, note)


def decode_later_spending(note: str | None) -> LaterSpending:
    """Return what was spent on a run after its end; nothing where no note says so.

    A request that was under way as its process was killed is spent, and lost.

    Raises:
        ValueError: it is no such note.
    """
    later = _decode(_LATER, note)
    if later is None:
        return LaterSpending()
    return LaterSpending(later.done.count_lost(), later.begun.count_lost(), later.limits)


def _decode(kind: TypeAdapter[_Note], note: str | None) -> _Note | None:
    if note is None or note == "null":
        return None
    try:
        return kind.validate_json(note, strict=True)
    except ValidationError as error:
        raise ValueError(f"a note of what was spent: {describe(error)}") from None


class SpendingNote:
    """The note of the spending in an open run file.

    Attributes:
        measure: returns what is to be noted; None notes nothing.
    """

    def __init__(self, connection: RunConnection) -> None:
        self._connection = connection
        self.measure: Callable[[], Spending] | None = None

    def write(self) -> None:
        """Note what `measure` returns, within the transaction that is open."""
        if self.measure is not None:
            META.put(self._connection, [(SPENDING, encode(self.measure().as_json()))])

    def read(self) -> Spending | None:
        """Return what was noted last, or None.

        Raises:
            ValueError: it is no such note.
        """
        rows = META.find(self._connection, "key = ?", SPENDING)
        return decode_spending(rows[0][1]) if rows else None
