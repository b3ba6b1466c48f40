"""What all minds are made of: the services of a run, and the state that one agent carries."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from functools import cache
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast

from pydantic import TypeAdapter

from genagents_env.cognition.notes import NoteBuffer
from genagents_env.cognition.prompts import FilledPrompt, PromptFiles, PromptMemory
from genagents_env.cognition.query import PendingQuery, PreparedQuery, QueryData, QueryOptions
from genagents_env.cognition.sections import Section
from genagents_env.errors import PolicyError
from genagents_env.llm.client import ModelClient
from genagents_env.memory.columns import Floats
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import AgentID, Profile, State

Adapters: TypeAlias = tuple[tuple[str, TypeAdapter[object]], ...]
Options = TypeVar("Options", bound=QueryOptions, covariant=True)


@dataclass(frozen=True)
class Services(Generic[Options]):
    """What all minds of a run work with; nothing of it is state.

    `start`: town time of the episode's start. `pause_seconds`: see `EpisodeContext`. `notes`: for
    the record, until they are taken. `town`: its name.
    """

    config: Options
    prompts: PromptFiles
    model: ModelClient
    embedder: Embedder | None
    seed: int
    start: datetime
    seconds_per_tick: int
    pause_seconds: int = 0
    notes: NoteBuffer = field(default_factory=NoteBuffer)
    town: str = ""

    def to_time(self, second: int) -> datetime:
        """Return the town time of a second of game time."""
        return self.start + timedelta(seconds=second)

    def to_second(self, time: datetime) -> int:
        """Return the second of game time of a town time; negative before the start."""
        return int((time - self.start).total_seconds())

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Return the embeddings of `texts`.

        Raises:
            PolicyError: there is no embedder.
        """
        if self.embedder is None:
            raise PolicyError("there is no embedder")
        return await self.embedder.embed(texts)


class Mind(Generic[Options]):
    """One agent's mind, for a dataclass with these fields; all but the first two are state.

    Attributes:
        services: of the run.
        profile: who the agent is.
        pending: the calls under way.
        tick: of the last percept, -1 before the first.
        counted: the tick whose calls are being numbered.
        numbers: how often each purpose was asked at that tick.
    """

    stores: ClassVar[tuple[str, ...]] = ()  # the fields with `state` and `load_state` of their own

    services: Services[Options]
    profile: Profile
    pending: list[PendingQuery]
    tick: int
    counted: int
    numbers: dict[str, int]

    @property
    def agent(self) -> AgentID:
        """The agent's id."""
        return self.profile.agent

    @property
    def name(self) -> str:
        """The person's name."""
        return self.profile.name

    @property
    def config(self) -> Options:
        """The options of the policy."""
        return self.services.config

    @property
    def me(self) -> Profile:
        """Who the agent is, as its prompts say it."""
        return self.profile

    def fill(
        self,
        prompt: str,
        sections: Sequence[Section],
        memories: Sequence[tuple[str, PromptMemory]] = (),
        **fields: object,
    ) -> FilledPrompt:
        """Fill one of the mind's prompt files; see `PromptFiles.fill`."""
        fill = self.services.prompts.fill
        return fill(prompt, self.me, sections, memories=memories, **fields)

    def ask(
        self,
        prompt: str,
        data: QueryData,
        sections: Sequence[Section],
        memories: Sequence[tuple[str, PromptMemory]] = (),
        **fields: object,
    ) -> PreparedQuery:
        """Return the query about `data` with the filled prompt; see `fill`."""
        return PreparedQuery(self.fill(prompt, sections, memories, **fields), data)

    def ask_filled(self, prompt: FilledPrompt, data: QueryData) -> PreparedQuery:
        """Return the query about `data` with a prompt that is filled already."""
        return PreparedQuery(prompt, data)

    def next_number(self, purpose: str, tick: int) -> int:
        """Return the number of the next call for `purpose` at `tick`, counting from 0."""
        if tick != self.counted:
            self.counted, self.numbers = tick, {}
        number = self.numbers.get(purpose, 0)
        self.numbers[purpose] = number + 1
        return number

    def note_wish(self, text: str) -> None:
        """Note for the record what a reply named that the town does not have or allow.

        Whatever a mind drops or replaces of a reply goes here, with the words that were allowed:
        `"the oven: 'baking a cake'; allowed: off, on"`. No decision depends on it.
        """
        self.services.notes.add_wish(self.agent, self.tick, text)

    def is_busy(self, prefix: str) -> bool:
        """Return True if a call is under way whose purpose begins with `prefix`."""
        return any(pending.purpose.startswith(prefix) for pending in self.pending)

    @property
    def _adapters(self) -> Adapters:
        kind: Any = type(self)
        return _find_adapters(kind, self.stores)

    def state(self) -> State:
        """Return everything, as JSON values."""
        stored = {name: getattr(self, name).state() for name in self.stores}
        return stored | {
            name: adapter.dump_python(getattr(self, name), mode="json")
            for name, adapter in self._adapters
        }

    def load_state(self, state: State) -> None:
        """Resume from `state`."""
        for name in self.stores:
            getattr(self, name).load_state(state[name])
        for name, adapter in self._adapters:
            setattr(self, name, adapter.validate_python(state[name]))


@cache
def _find_adapters(kind: Any, stores: tuple[str, ...]) -> Adapters:
    apart = ("services", "profile", *stores)
    parts = (part for part in fields(kind) if part.name not in apart)
    return tuple((part.name, TypeAdapter(cast(Any, part.type))) for part in parts)
