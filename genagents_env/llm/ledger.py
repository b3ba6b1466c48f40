"""The ledger: what every purpose and every agent cost, counted once per call."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from decimal import Decimal

from genagents_env.llm.calls import CallKey, JSONValue
from genagents_env.llm.cassette import RecordedReply
from genagents_env.llm.prices import Price


@dataclass(slots=True)
class LedgerEntry:
    """Sums over the calls of one agent for one purpose; `seconds` is wall clock."""

    purpose: str
    agent: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    dollars: Decimal = Decimal(0)
    seconds: float = 0.0
    retries: int = 0
    reasks: int = 0
    fallbacks: int = 0
    truncated: int = 0

    def add(self, other: "LedgerEntry") -> None:
        """Add the sums of `other` to these."""
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))


_SUMS = tuple(f.name for f in fields(LedgerEntry))[2:]
_MOST = 2**62  # of any sum


class Ledger:
    """Entries per (purpose, agent); books answered calls, live or from a cassette alike.

    A resumed run loads the ledger of its checkpoint and books the replayed calls again, so that
    it ends with the sums of the run that was never stopped.
    """

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], LedgerEntry] = {}

    def book(self, key: CallKey, recorded: RecordedReply, price: Price | None) -> None:
        """Add one answered call; without a price its dollars are 0."""
        tokens = recorded.prompt_tokens, recorded.completion_tokens
        cache = recorded.cached_tokens, recorded.cache_write_tokens
        call = LedgerEntry(
            key.purpose,
            key.agent,
            calls=1,
            prompt_tokens=tokens[0],
            completion_tokens=tokens[1],
            cached_tokens=recorded.cached_tokens,
            dollars=price.cost(*tokens, *cache) if price else Decimal(0),
            seconds=recorded.latency_seconds,
            retries=max(0, recorded.attempts - 1 - recorded.reasks),
            reasks=recorded.reasks,
            fallbacks=int(recorded.outcome == "fallback"),
            truncated=recorded.truncated,
        )
        at = key.purpose, key.agent
        self._entries.setdefault(at, LedgerEntry(*at)).add(call)

    def rows(self) -> list[LedgerEntry]:
        """Return one entry per (purpose, agent), sorted by both."""
        return [self._entries[at] for at in sorted(self._entries)]

    def totals(self) -> LedgerEntry:
        """Return the sums over everything; its purpose and agent are empty."""
        total = LedgerEntry("", "")
        for entry in self.rows():
            total.add(entry)
        return total

    def state(self) -> list[JSONValue]:
        """Return everything as JSON."""
        return [{**asdict(entry), "dollars": str(entry.dollars)} for entry in self.rows()]

    def load_state(self, state: list[JSONValue]) -> None:
        """Take over what `state()` gave.

        Raises:
            TypeError, KeyError, ValueError, ArithmeticError: it is something else.
        """
        self._entries = {}
        for row in state:
            if not isinstance(row, Mapping):
                raise TypeError(f"ledger row is {type(row).__name__}, expected an object")
            values = {**row, "dollars": Decimal(str(row["dollars"]))}
            entry = LedgerEntry(**values)  # type: ignore[arg-type]  # checked by the dataclass's names
            _check_entry(entry)
            self._entries[entry.purpose, entry.agent] = entry


def _check_entry(entry: LedgerEntry) -> None:
    """Raise ValueError where a saved entry is no sum of calls."""
    for name in _SUMS:
        value = getattr(entry, name)
        sums = (Decimal,) if name == "dollars" else (int, float) if name == "seconds" else (int,)
        if type(value) not in sums or not 0 <= value < _MOST:
            raise ValueError(f"ledger row: {name} is not as it must be")
    if not (isinstance(entry.purpose, str) and isinstance(entry.agent, str)):
        raise ValueError("ledger row: purpose or agent is no text")
