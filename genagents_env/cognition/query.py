"""Queries: a model call of a faculty as data, and the handler that prepares and applies it.

Everything between a query and its effect is JSON, so that a pending call survives a checkpoint:
prompt, reply model and default follow from the data.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from genagents_env.cognition.prompts import FilledPrompt
from genagents_env.llm.calls import CallKey, Message
from genagents_env.percept import Percept

QueryData: TypeAlias = Mapping[str, Any]  # JSON values


M = TypeVar("M")  # the class of the mind
Faculty = TypeVar("Faculty", bound=str)


class QueryOptions(Protocol):
    """The options of a mind that its queries depend on."""

    @property
    def prompt_tokens(self) -> int | None:
        """The most tokens of a prompt, by an upper bound; None is what suits the model."""

    @property
    def small_prompt_tokens(self) -> int:
        """The most tokens of a prompt for a small model."""

    @property
    def temperature(self) -> float:
        """The temperature of sampling."""

    def latency(self, purpose: str) -> int:
        """Return the ticks from the start of a call to its effect."""


def apply_variant(given: Mapping[str, Any], sets: Mapping[str, object]) -> dict[str, Any]:
    """Return options with those that their variant sets.

    Raises:
        ValueError: one of these is given otherwise.
    """
    for name, value in sets.items():
        if name in given and _read_switch(given[name]) != value:
            raise ValueError(f"{name}: {given[name]} contradicts variant {given['variant']}")
    return {**given, **sets}


def _read_switch(given: object) -> object:
    """Return a switch as its option reads it; what is none as it is."""
    try:
        return TypeAdapter(bool).validate_python(given)
    except ValidationError:
        return given


def find_latency(latency_ticks: Mapping[Faculty, int] | int, purpose: str) -> int:
    """Return the latency of the faculty of `purpose`, the word before its dot.

    A number alone is the latency of every faculty.
    """
    if isinstance(latency_ticks, int):
        return latency_ticks
    faculty = purpose.split(".")[0]
    return next((ticks for name, ticks in latency_ticks.items() if name == faculty), 0)


@dataclass(frozen=True, slots=True)
class Moment:
    """A percept, and `now` in seconds of game time since the episode's start."""

    percept: Percept
    now: int

    @property
    def tick(self) -> int:
        """Ticks since the start of the episode."""
        return self.percept.tick


@dataclass(frozen=True, slots=True)
class Query:
    """A model call to be made: `purpose` is `faculty.question`, a key of the mind's handlers."""

    purpose: str
    data: QueryData


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A query with its prompt. `data` replaces the query's: reply and effect see only that."""

    prompt: FilledPrompt
    data: QueryData

    @property
    def messages(self) -> Sequence[Message]:
        """What is sent."""
        return self.prompt.messages


Prepared: TypeAlias = PreparedQuery | Query | None


@dataclass(frozen=True, slots=True)
class QueryReply:
    """The reply to a query; `value` is of the handler's reply model.

    `fallback`: it is the declared default, not the model's words. `call`: names the call in the
    record, for the memories that it leads to. `data`: of the query that was prepared.
    """

    value: Any
    fallback: bool
    call: str
    data: QueryData


@dataclass(frozen=True, slots=True)
class QueryHandler(Generic[M]):
    """The functions that prepare the queries of one purpose and apply their replies.

    Attributes:
        prepare: returns the prompt of a query; None where there is nothing to ask; or a following
            query where the answer to this one is plain.
        reply_model: returns the type of the reply, a pure function of the data.
        fallback: returns the default when no usable reply comes, a pure function of the data.
        apply: applies a reply to the mind and returns the queries that follow from it.
        max_tokens: returns the most tokens of a reply, a pure function of the data.
    """

    prepare: Callable[[M, QueryData, Moment], Awaitable[Prepared]]
    reply_model: Callable[[QueryData], type[BaseModel]]
    fallback: Callable[[QueryData], BaseModel]
    apply: Callable[[M, Moment, QueryReply], Awaitable[Sequence[Query]]]
    max_tokens: Callable[[QueryData], int]


def handle(
    prepare: Callable[[M, QueryData, Moment], Awaitable[Prepared]],
    apply: Callable[[M, Moment, QueryReply], Awaitable[Sequence[Query]]],
    fallback: BaseModel | Callable[[QueryData], BaseModel],
    max_tokens: int | Callable[[QueryData], int],
    limit: Callable[[QueryData], type[BaseModel]] | None = None,
) -> QueryHandler[M]:
    """Return a handler whose default reply and length need not depend on the data.

    `limit` makes the reply model of the data; without it that is the model of the default.
    """
    default = fallback if callable(fallback) else lambda data: fallback
    return QueryHandler(
        prepare,
        limit or (lambda data: type(default(data))),
        default,
        apply,
        max_tokens if callable(max_tokens) else lambda data: max_tokens,
    )


@dataclass(slots=True)
class PendingQuery:
    """A call under way whose reply takes effect at tick `due`; JSON values only.

    `answer`: in a checkpoint, the reply as JSON text and whether it is the fallback, if it had
    come by then. It is not asked for, nor counted, a second time.
    """

    purpose: str
    data: dict[str, Any]
    messages: tuple[Message, ...]
    tick: int
    number: int
    due: int
    answer: tuple[str, bool] | None = None

    def key(self, agent: str) -> CallKey:
        """Return the key of the call."""
        return CallKey(agent, self.tick, self.purpose, self.number)
