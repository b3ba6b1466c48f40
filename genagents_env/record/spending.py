"""What a run has spent since its start: a note in its file that is in step with its requests."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from genagents_env.llm.budget import NO_LIMITS, Limits, Spend
from genagents_env.record.connection import RunConnection
from genagents_env.record.head import read_later_spending, read_spending
from genagents_env.record.meta import decode_limits, encode_limits
from genagents_env.record.rows import JSON, encode
from genagents_env.record.tables import META

SPENDING = "spent"
INTERVIEWED, JUDGED = "interviewed", "judged"  # what was spent on a run after its end
_NOTHING = Spend()


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

    spent: Spend = _NOTHING
    in_flight: Spend = _NOTHING
    seconds: float = 0.0
    lost: int = 0
    clipped: int = 0

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
        return {
            "spent": _encode_spend(self.spent),
            "in_flight": _encode_spend(self.in_flight),
            "seconds": self.seconds,
            "lost": self.lost,
            "clipped": self.clipped,
        }

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(
            self.spent + other.spent,
            self.in_flight + other.in_flight,
            self.seconds + other.seconds,
            self.lost + other.lost,
            self.clipped + other.clipped,
        )


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
    limits: Limits = NO_LIMITS

    @property
    def sum(self) -> Spending:
        """All of it."""
        return self.done + self.begun

    def encode(self) -> str:
        """Return it as the text of a note."""
        done, begun = self.done.as_json(), self.begun.as_json()
        return encode({"done": done, "begun": begun, "limits": encode_limits(self.limits)})


def decode_later_spending(note: str | None) -> LaterSpending:
    """Return what a note tells of; nothing where there is none.

    A request that was under way as its process was killed is spent, and lost.

    Raises:
        ValueError: it is no such note.
    """
    stored = read_later_spending(note)
    if stored is None:
        return LaterSpending()
    done, begun = (_parse(stored[name]).count_lost() for name in ("done", "begun"))
    return LaterSpending(done, begun, decode_limits(stored["limits"]))


class SpendingNote:
    """The note of the spending in an open run file.

    Attributes:
        measure: returns what is to be noted; None notes nothing.
    """

    def __init__(self, path: Path, connection: RunConnection) -> None:
        self._path, self._connection = path, connection
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
        rows = META.find(self._path, self._connection, "key = ?", SPENDING)
        if not rows:
            return None
        values = read_spending(rows[0][1])
        return None if values is None else _parse(values)


def _parse(values: JSON) -> Spending:
    spent, in_flight = (_parse_spend(values[name]) for name in ("spent", "in_flight"))
    return Spending(spent, in_flight, values["seconds"], values["lost"], values["clipped"])


def _encode_spend(spend: Spend) -> JSON:
    return [spend.calls, spend.tokens, str(spend.dollars)]


def _parse_spend(values: JSON) -> Spend:
    calls, tokens, dollars = values
    return Spend(calls, tokens, Decimal(dollars))
