"""The data types of one model call: its key, request, completion, endpoint, and what can fail."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from genagents_env.errors import LLMBadReply, LLMRefused, LLMUnavailable
from genagents_env.llm.prices import Price

JSONValue: TypeAlias = (
    bool | int | float | str | list["JSONValue"] | Mapping[str, "JSONValue"] | None
)
JSONSchema: TypeAlias = Mapping[str, JSONValue]
Role: TypeAlias = Literal["system", "user", "assistant"]
ReasoningEffort: TypeAlias = Literal["none", "minimal", "low", "medium", "high", "xhigh"]


@dataclass(frozen=True, slots=True, order=True)
class CallKey:
    """The name of a call in a run: the `number`-th of `agent` at `tick` for `purpose`."""

    agent: str
    tick: int
    purpose: str
    number: int

    def __str__(self) -> str:
        return f"{self.purpose} #{self.number} of {self.agent!r} at tick {self.tick}"


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request to a model; equal requests have the same `prompt_hash`.

    `thinking_tokens`: allowed beside `max_tokens`, for hidden thinking; they are not hashed.
    """

    messages: tuple[Message, ...]
    schema: JSONSchema | None = None
    schema_name: str = "reply"
    max_tokens: int = 128
    temperature: float = 0.7
    seed: int = 0
    thinking_tokens: int = 0

    @property
    def most_tokens(self) -> int:
        """The most tokens that may be written, thinking included."""
        return self.max_tokens + self.thinking_tokens


@dataclass(frozen=True, slots=True)
class Completion:
    """An endpoint's answer; token counts are never negative.

    `reasoning_tokens`: those of `completion_tokens` that are hidden thinking. `cached_tokens`,
    `cache_write_tokens`: those of `prompt_tokens` read from and written to the endpoint's cache.
    `model`, `fingerprint`: the model and system that answered, where the endpoint reports them.
    """

    text: str
    finish_reason: Literal["stop", "length", "tool_calls"]
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    model: str = ""
    fingerprint: str = ""


class AttemptFailed(LLMUnavailable):
    """One attempt got no completion: no answer, or one that is something else.

    Attributes:
        retry_after: seconds the endpoint asks to wait, or None when it does not say.
        billed: whether the endpoint may have charged for it.
        overloaded: whether the endpoint was overloaded.
    """

    def __init__(
        self,
        text: str,
        *,
        retry_after: float | None = None,
        billed: bool = True,
        overloaded: bool = False,
    ) -> None:
        super().__init__(text)
        self.retry_after, self.billed, self.overloaded = retry_after, billed, overloaded


class NothingSaid(AttemptFailed):
    """Thinking used up the room of the answer; the next attempt gets more room at once."""


class PromptRefused(LLMRefused):
    """The endpoint refuses this one prompt (too long, filtered); others may be answered."""


class UnusableReply(LLMBadReply):
    """The text of a completion is not the reply asked for."""

    def __init__(self, fault: str, text: str = "") -> None:
        super().__init__(fault)
        self.text = text


class Endpoint(Protocol):
    """A model that completes requests, without retries, cache or budget.

    An optional attribute `slots` is the number of calls that it takes at once.
    """

    @property
    def model(self) -> str:
        """The name of the model as the endpoint knows it."""

    @property
    def price(self) -> Price | None:
        """What tokens cost; None when it is not known."""

    @property
    def attempt_deadline(self) -> float:
        """Seconds of wall clock after which `complete` gives up."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return the model's answer to `request`.

        Raises:
            LLMUnavailable: no completion; asking again may help.
            LLMRefused: the endpoint will not answer; asking again cannot help.
        """

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text`, or an upper bound of it."""

    async def aclose(self) -> None:
        """Release connections and memory; closing twice is allowed."""


@runtime_checkable
class BoundedEndpoint(Protocol):
    """An endpoint that knows the limits of its model's prompts."""

    @property
    def small(self) -> bool:
        """Whether the model needs short prompts and instructions to write plainly."""

    @property
    def context_tokens(self) -> int | None:
        """The most tokens of prompt and reply together; None where it is not known."""


@runtime_checkable
class ServedEndpoint(Protocol):
    """An endpoint at the address of a server, which can be asked for its models."""

    model: str
    base_url: str
    context_tokens: int | None


def prompt_hash(request: CompletionRequest) -> str:
    """Return the SHA-256 of `request` as hexadecimal: equal requests, equal hashes, anywhere."""
    values = {field.name: getattr(request, field.name) for field in fields(request)}
    del values["thinking_tokens"]
    values["messages"] = [{"role": m.role, "content": m.content} for m in request.messages]
    canonical = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()
