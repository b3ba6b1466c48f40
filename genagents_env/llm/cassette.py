"""The cassette: every answer kept under its key, so that no answered call is made again."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from genagents_env.errors import DivergenceError
from genagents_env.llm.calls import CallKey, CompletionRequest, Message, prompt_hash

UNAVAILABLE = "unavailable:"  # begins the fault of a call without a completion


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """One answered call.

    Attributes:
        prompt_hash: of the first request made (a re-ask has another, which is not kept).
        outcome: `reply`, or `fallback` when the declared default was taken.
        reply: canonical JSON of the value for `reply`; the last unusable words for `fallback`.
        prompt_tokens: read by the model over all attempts.
        completion_tokens: written by the model over all attempts.
        attempts: requests sent, at least 1.
        reasks: 0 or 1.
        truncated: strings of the reply that were cut to the text limit.
        fault: what went wrong last, or None.
        model: that was asked, outside every canonical hash.
        answered_by: the model that answered last, by its own word, outside every canonical hash.
        fingerprint: of its system, likewise; both are empty where it did not say.
        reasoning_tokens: of `completion_tokens`, those of hidden thinking.
        cached_tokens: of `prompt_tokens`, those read from the endpoint's cache, outside every
            canonical hash.
        cache_write_tokens: of `prompt_tokens`, those written to it, outside every canonical hash.
        unsaid_prompt_tokens: read in attempts in which the model only thought, until it was cut
            off. How many there are depends on the room it was given; they are not in the sums
            above, and outside every canonical hash.
        unsaid_completion_tokens: written in those.
        latency_seconds: wall clock, outside every canonical hash.
        started_at: Unix time, outside every canonical hash.
        messages: what was asked, for those who read the record; a cassette may leave it out of
            what `get` returns, `prompt_hash` stands for it.
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

    @property
    def is_unanswered(self) -> bool:
        """Whether no completion came, so that asking again later may help."""
        return self.outcome == "fallback" and (self.fault or "").startswith(UNAVAILABLE)


class Cassette(Protocol):
    """Where answers are kept; every method is synchronous and durable when it returns."""

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return what is recorded under `key`, or None."""

    def put(self, key: CallKey, recorded: RecordedReply) -> None:
        """Keep `recorded` under `key`, in place of any earlier one."""

    def forget_fallbacks(self, from_tick: int) -> int:
        """Drop the fallbacks of `from_tick` and later; return how many.

        Called by what rolls a run back to the start of `from_tick` after `ModelOutage`
        (the rollout): those fallbacks came of the outage, and the resumed run must ask again.
        """


class MemoryCassette:
    """A cassette in memory."""

    def __init__(self) -> None:
        self.rows: dict[CallKey, RecordedReply] = {}

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return what is recorded under `key`, or None."""
        return self.rows.get(key)

    def put(self, key: CallKey, recorded: RecordedReply) -> None:
        """Keep `recorded` under `key`."""
        self.rows[key] = recorded

    def forget_fallbacks(self, from_tick: int) -> int:
        """Drop the fallbacks of `from_tick` and later; return how many."""
        gone = [
            key
            for key, row in self.rows.items()
            if key.tick >= from_tick and row.outcome == "fallback"
        ]
        for key in gone:
            del self.rows[key]
        return len(gone)


def recall(
    cassette: Cassette | None, key: CallKey, request: CompletionRequest
) -> RecordedReply | None:
    """Return the recorded answer to `key`, or None when there is none.

    Raises:
        DivergenceError: the recorded call asked something else.
    """
    recorded = cassette.get(key) if cassette is not None else None
    if recorded is not None and recorded.prompt_hash != (asked := prompt_hash(request)):
        raise DivergenceError(
            f"call {key} was recorded with prompt {recorded.prompt_hash[:12]}, but now asks "
            f"{asked[:12]}: policy, prompts, scenario or seed have changed since; "
            "start a new run instead of resuming this one"
        )
    return recorded
