"""A thought: one model call of a faculty, what it needs, and what becomes of its reply.

Thoughts are data, so that one whose call is under way survives a checkpoint: everything between
the question and its effect is JSON, and prompt, reply model and default follow from it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel

from genagents_env.llm.calls import CallKey, Message
from genagents_env.percept import Percept

QueryData: TypeAlias = Mapping[str, Any]  # JSON values


class QueryOptions(Protocol):
    """The options of a mind that asking depends on."""

    @property
    def temperature(self) -> float:
        """Of the model's sampling."""

    def latency(self, purpose: str) -> int:
        """Return the ticks from the start of a call to its effect."""


class Mind(Protocol):
    """A mind as far as asking goes.

    Attributes:
        pending: the calls under way.
    """

    pending: "list[PendingQuery]"

    @property
    def agent(self) -> str:
        """The agent's id."""

    @property
    def config(self) -> QueryOptions:
        """The options of the mind."""

    def number(self, purpose: str, tick: int) -> int:
        """Return the number of the next call for `purpose` at `tick`, counting from 0."""

    def state(self) -> dict[str, Any]:
        """Return everything, as JSON values."""

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`."""


M = TypeVar("M", bound=Mind)


@dataclass(frozen=True, slots=True)
class Moment:
    """What one perceives now; `now` in seconds of game time since the episode's start."""

    percept: Percept
    now: int

    @property
    def tick(self) -> int:
        """Ticks since the start of the episode."""
        return self.percept.tick


@dataclass(frozen=True, slots=True)
class Query:
    """Something to ask oneself: `purpose` is `faculty.question`, a key of the mind's handlers."""

    purpose: str
    data: QueryData


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A thought put into words. `data` replaces the thought's: reply and effect see only that."""

    messages: Sequence[Message]
    data: QueryData


@dataclass(frozen=True, slots=True)
class QueryReply:
    """What came back: `value` is of the handler's reply model.

    `fallback`: it is the declared default, not the model's words. `call`: names the call in the
    record, for the memories that it leads to.
    """

    value: Any
    fallback: bool
    call: str


@dataclass(frozen=True, slots=True)
class QueryHandler(Generic[M]):
    """How one kind of thought is asked and taken.

    Attributes:
        ask: puts it into words; None where there is nothing to ask after all; another thought
            where the answer to this one is plain, and that one follows from it.
        reply: the reply model, a pure function of the data.
        fallback: the value taken when no usable reply comes, a pure function of the data.
        take: applies a reply to the mind and returns the thoughts that follow from it.
        max_tokens: written at most, a pure function of the data.
    """

    prepare: Callable[[M, QueryData, Moment], Awaitable["PreparedQuery | Query | None"]]
    reply_model: Callable[[QueryData], type[BaseModel]]
    fallback: Callable[[QueryData], BaseModel]
    apply: Callable[[M, QueryData, Moment, QueryReply], Awaitable[Sequence[Query]]]
    max_tokens: Callable[[QueryData], int]


@dataclass(slots=True)
class PendingQuery:
    """A call under way whose reply takes effect at tick `due`; JSON values only.

    `answer`: in a checkpoint, the reply as JSON text and whether it is the fallback, where it had
    come by then: it is not asked for, nor counted, a second time.
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
