"""The cassette, which stores every answer by its key, and the ledger, which sums up costs.

No answered call is made again.
"""

from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import Literal, Protocol

from genagents_env.errors import DivergenceError
from genagents_env.llm.calls import CallKey, CompletionRequest, Message, prompt_hash
from genagents_env.llm.prices import Price

UNAVAILABLE = "unavailable:"  # begins the fault of a call without a completion


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """One answered call.

    Attributes:
        prompt_hash: of the first request made (a re-ask has another, which is not kept).
        outcome: `reply`, or `fallback` when the declared default was taken.
        reply: for `reply` canonical JSON of the value, or the words as they were written (see
            `ReplyModel.verbatim`); for `fallback` the last unusable words.
        prompt_tokens: read by the model over all attempts.
        completion_tokens: written by the model over all attempts.
        attempts: requests sent, at least 1.
        reasks: 0 or 1.
        truncated: strings of the reply that were cut to the text limit.
        fault: what went wrong last, or None.

    The rest is outside every canonical hash:
        model: that was asked.
        answered_by, fingerprint: model and system that answered last, where reported.
        reasoning_tokens: of `completion_tokens`, those of hidden thinking.
        cached_tokens, cache_write_tokens: of `prompt_tokens`, those read from and written to the
            endpoint's cache.
        unsaid_prompt_tokens, unsaid_completion_tokens: of attempts in which the model thought
            until it was cut off; they are not in the sums above.
        latency_seconds: wall clock.
        started_at: Unix time.
        messages: of the prompt; `get` may leave them out.
        borrowed: from another run: it is taken over if the prompt is the same, else not used.
    """

    prompt_hash: str
    outcome: Literal["reply", "fallback"]
    reply: str
    prompt_tokens: int
    completion_tokens: int
    attempts: int
    reasks: int
    truncated: int = 0
    fault: str | None = None
    model: str = field(default="", compare=False)
    answered_by: str = field(default="", compare=False)
    fingerprint: str = field(default="", compare=False)
    reasoning_tokens: int = field(default=0, compare=False)
    cached_tokens: int = field(default=0, compare=False)
    cache_write_tokens: int = field(default=0, compare=False)
    unsaid_prompt_tokens: int = field(default=0, compare=False)
    unsaid_completion_tokens: int = field(default=0, compare=False)
    latency_seconds: float = field(default=0.0, compare=False)
    started_at: float = field(default=0.0, compare=False)
    messages: tuple[Message, ...] = field(default=(), compare=False)
    borrowed: bool = field(default=False, compare=False)

    @property
    def is_unanswered(self) -> bool:
        """Whether no completion came, so that asking again later may help."""
        return self.outcome == "fallback" and (self.fault or "").startswith(UNAVAILABLE)


class Cassette(Protocol):
    """A store of answers; every method is synchronous and durable when it returns."""

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return the answer stored under `key`, or None."""

    def put(self, key: CallKey, recorded: RecordedReply) -> None:
        """Store `recorded` under `key`, in place of an earlier one."""

    def forget_fallbacks(self, from_tick: int) -> int:
        """Drop the fallbacks of `from_tick` and later; return how many.

        They come of a `ModelOutage`, after which the resumed run asks again from `from_tick` on.
        """


class MemoryCassette:
    """A cassette in memory."""

    def __init__(self) -> None:
        self.rows: dict[CallKey, RecordedReply] = {}

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return the answer stored under `key`, or None."""
        return self.rows.get(key)

    def put(self, key: CallKey, recorded: RecordedReply) -> None:
        """Store `recorded` under `key`."""
        self.rows[key] = recorded

    def forget_fallbacks(self, from_tick: int) -> int:
        """Drop the fallbacks of `from_tick` and later; return how many."""
        before = len(self.rows)
        self.rows = {
            key: row
            for key, row in self.rows.items()
            if key.tick < from_tick or row.outcome == "reply"
        }
        return before - len(self.rows)


class ParentCassette:
    """The calls of a fork; those after its tick that it lacks are borrowed from its parent."""

    def __init__(self, own: Cassette, parent: Cassette, tick: int) -> None:
        self._own, self._parent, self._tick = own, parent, tick

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return the reply recorded under `key`, the parent's as borrowed."""
        recorded = self._own.get(key)
        if recorded is None and key.tick > self._tick:
            recorded = self._parent.get(key)
            return None if recorded is None else replace(recorded, borrowed=True)
        return recorded

    def put(self, key: CallKey, recorded: RecordedReply) -> None:
        """Store a reply in the fork."""
        self._own.put(key, recorded)

    def forget_fallbacks(self, from_tick: int) -> int:
        """Drop the fork's fallbacks of `from_tick` and later; return how many."""
        return self._own.forget_fallbacks(from_tick)


def recall(
    cassette: Cassette | None, key: CallKey, request: CompletionRequest
) -> RecordedReply | None:
    """Return the recorded answer to `key`, or None.

    Raises:
        DivergenceError: the recorded call had another prompt.
    """
    recorded = cassette.get(key) if cassette is not None else None
    if cassette is not None and recorded is not None and recorded.borrowed:
        if recorded.prompt_hash != prompt_hash(request):
            return None
        recorded = replace(recorded, borrowed=False, messages=request.messages)
        cassette.put(key, recorded)
    if recorded is not None and recorded.prompt_hash != (asked := prompt_hash(request)):
        raise DivergenceError(
            f"call {key} was recorded with prompt {recorded.prompt_hash[:12]}, but now asks "
            f"{asked[:12]}: policy, prompts, scenario or seed have changed since; "
            "start a new run instead of resuming this one"
        )
    return recorded


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


class Ledger:
    """Sums over the answered calls of this process, live or from a cassette."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], LedgerEntry] = {}

    def book(self, key: CallKey, recorded: RecordedReply, price: Price | None) -> None:
        """Add one answered call; without a price its dollars are 0."""
        read, written = recorded.prompt_tokens, recorded.completion_tokens
        cache = recorded.cached_tokens, recorded.cache_write_tokens
        at = key.purpose, key.agent
        call = LedgerEntry(
            *at,
            calls=1,
            prompt_tokens=read,
            completion_tokens=written,
            cached_tokens=recorded.cached_tokens,
            dollars=price.cost(read, written, *cache) if price else Decimal(0),
            seconds=recorded.latency_seconds,
            retries=max(0, recorded.attempts - 1 - recorded.reasks),
            reasks=recorded.reasks,
            fallbacks=int(recorded.outcome == "fallback"),
            truncated=recorded.truncated,
        )
        self._add(call)

    def add(self, other: "Ledger") -> None:
        """Add the sums of another."""
        for entry in other.rows():
            self._add(entry)

    def _add(self, entry: LedgerEntry) -> None:
        at = entry.purpose, entry.agent
        self._entries.setdefault(at, LedgerEntry(*at)).add(entry)

    def rows(self) -> list[LedgerEntry]:
        """Return one entry per (purpose, agent), sorted by both."""
        return [self._entries[at] for at in sorted(self._entries)]

    def totals(self) -> LedgerEntry:
        """Return the sums over everything; its purpose and agent are empty."""
        total = LedgerEntry("", "")
        for entry in self.rows():
            total.add(entry)
        return total
