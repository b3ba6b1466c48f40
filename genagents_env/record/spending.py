"""The spending of a run since its start: a note in its file, in step with its requests."""

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
INTERVIEWED, JUDGED = "interviewed", "judged"  # notes of spending after the end of a run
_NOTHING = Spend()
_Note = TypeVar("_Note")


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class Spending:
    """The spending of a run since its start, over all interruptions.

    Attributes:
        spent: by requests that are over, failed ones too.
        in_flight: the most that requests under way can spend.
        seconds: of wall clock.
        lost: requests that were cancelled, or under way when their process ended: they count as
            spent at the most they could cost.
        clipped: answers that reported more usage than possible.
    """

    spent: StoredSpend = _NOTHING
    in_flight: StoredSpend = _NOTHING
    seconds: Seconds = 0.0
    lost: Count = 0
    clipped: Count = 0

    @property
    def total(self) -> Spend:
        """The spending, with requests under way at the most they can cost."""
        return self.spent + self.in_flight

    def count_lost(self) -> "Spending":
        """Return the spending after the process is gone: requests under way are lost and spent."""
        lost = self.lost + self.in_flight.calls
        return Spending(self.total, _NOTHING, self.seconds, lost, self.clipped)

    def as_json(self) -> JSON:
        """Return the fields as JSON values."""
        return asdict(self) | {
            name: [spend.calls, spend.tokens, str(spend.dollars)]
            for name, spend in (("spent", self.spent), ("in_flight", self.in_flight))
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
    """The spending of interviews after a run, or of judges of its answers.

    Attributes:
        done: by finished ones.
        begun: by an unfinished one, over its interruptions.
        limits: of the unfinished one, within those of the run.
    """

    done: Spending = Spending()
    begun: Spending = Spending()
    limits: StoredLimits = NO_LIMITS

    @property
    def sum(self) -> Spending:
        """The total of both."""
        return self.done + self.begun

    def encode(self) -> str:
        """Return the text of the note."""
        done, begun = self.done.as_json(), self.begun.as_json()
        return encode({"done": done, "begun": begun, "limits": encode_limits(self.limits)})


_SPENDING = TypeAdapter(Spending)
_LATER = TypeAdapter(LaterSpending)


def encode_limits(limits: Limits) -> dict[str, JSON]:
    """Return limits as JSON values."""
    dollars = None if limits.dollars is None else str(limits.dollars)
    return asdict(limits) | {"dollars": dollars}


def decode_spending(note: str | None) -> Spending | None:
    """Return the spending in a note; None without one.

    Raises:
        ValueError: it is no such note.
    """
    return _decode(_SPENDING, note)


def decode_later_spending(note: str | None) -> LaterSpending:
    """Return the spending after the end of a run in a note; nothing for None.

    A request that was under way when its process was killed counts as spent and lost.

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
        raise ValueError(f"a note of spending: {describe(error)}") from None


class SpendingNote:
    """The note of the spending in an open run file.

    Attributes:
        measure: returns the spending to note; None notes nothing.
    """

    def __init__(self, connection: RunConnection) -> None:
        self._connection = connection
        self.measure: Callable[[], Spending] | None = None

    def write(self) -> None:
        """Note the spending that `measure` returns, within the open transaction."""
        if self.measure is not None:
            META.put(self._connection, [(SPENDING, encode(self.measure().as_json()))])

    def read(self) -> Spending | None:
        """Return the last noted spending, or None.

        Raises:
            ValueError: it is no such note.
        """
        rows = META.find(self._connection, "key = ?", SPENDING)
        return decode_spending(rows[0][1]) if rows else None
