"""The parts of every mind: the services of a run, an agent's state, and notes for the record."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from functools import cache
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast

from pydantic import TypeAdapter

from genagents_env.cognition.prompts import FilledPrompt, PromptFiles, PromptMemory, Section
from genagents_env.cognition.query import PendingQuery, PreparedQuery, QueryData, QueryOptions
from genagents_env.errors import PolicyError
from genagents_env.llm.calls import CallKey, JSONValue
from genagents_env.llm.client import ModelClient
from genagents_env.memory.columns import Floats
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import AgentID, MindNote, NoteKind, Profile, State
from genagents_env.scenario.patterns import finds_any

Adapters: TypeAlias = tuple[tuple[str, TypeAdapter[object]], ...]
Options = TypeVar("Options", bound=QueryOptions, covariant=True)


class NoteBuffer:
    """The notes of all minds of a policy until the record takes them; no state of a mind."""

    def __init__(self) -> None:
        self._notes: list[MindNote] = []
        self._applied: dict[str, CallKey] = {}  # by agent, the call whose reply is being applied

    def add_cuts(self, call: CallKey, cuts: Mapping[str, int]) -> None:
        """Note how many lines of each section the prompt of `call` lost, where it lost any."""
        lost = {section: lines for section, lines in cuts.items() if lines}
        if lost:
            self._notes.append(MindNote(call, "cut", json.dumps(lost, sort_keys=True)))

    def add_wish(self, agent: str, tick: int, text: str) -> None:
        """Note something that a reply of `agent` named and that is not possible at `tick`.

        The note belongs to the call whose reply is being applied, else to a call without purpose.
        """
        self._add(agent, tick, "wish", text)

    def add_turn(self, agent: str, tick: int, turn: Mapping[str, JSONValue]) -> None:
        """Note how words of `agent` were read: the `verdict`, and other fields; see `add_wish`."""
        self._add(agent, tick, "turn", json.dumps(turn, sort_keys=True, ensure_ascii=False))

    def _add(self, agent: str, tick: int, kind: NoteKind, text: str) -> None:
        call = self._applied.get(agent, CallKey(agent, tick, "", 0))
        self._notes.append(MindNote(call, kind, text))

    @contextmanager
    def apply(self, call: CallKey) -> Iterator[None]:
        """Assign the notes of the agent within to `call`."""
        self._applied[call.agent] = call
        try:
            yield
        finally:
            del self._applied[call.agent]

    def take(self) -> list[MindNote]:
        """Remove and return the notes, ordered by call, whichever call was answered first."""
        taken, self._notes = self._notes, []
        return sorted(taken, key=lambda note: note.call)


@dataclass(frozen=True)
class Services(Generic[Options]):
    """What all minds of a run work with; none of it is state.

    `start`: town time of the episode's start. `pause_seconds`: see `EpisodeContext`. `notes`: for
    the record. `town`: its name.
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

    def format_clock(self, second: int) -> str:
        """Return the clock at a second of game time: 08:00."""
        return f"{self.to_time(second):%H:%M}"

    def format_moment(self, second: int) -> str:
        """Return a moment in few characters, as it stands on a memory: Mon 13 Feb 08:00."""
        time = self.to_time(second)
        return f"{time:%a} {time.day} {time:%b} {time:%H:%M}"

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Return the embeddings of `texts`.

        Raises:
            PolicyError: there is no embedder.
        """
        if self.embedder is None:
            raise PolicyError("there is no embedder")
        return await self.embedder.embed(texts)


class Mind(Generic[Options]):
    """The base of a mind, a dataclass with these fields; all but the first two are state.

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
        """Note something that a reply named and that the town does not have or allow.

        Every part of a reply that a mind drops or replaces is noted, with the words allowed:
        `"the oven: 'baking a cake'; allowed: off, on"`. No decision depends on it.
        """
        self.services.notes.add_wish(self.agent, self.tick, text)

    def is_busy(self, prefix: str) -> bool:
        """Return True if a call whose purpose begins with `prefix` is under way."""
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


def list_known_texts(profile: Profile) -> list[str]:
    """Return a profile's memories without a time, its ties and its facts, each sentence once."""
    ties = [format_tie(other, about) for other, about in profile.relationships.items()]
    return list(dict.fromkeys([*profile.memories, *ties, *list_untold_facts(profile)]))


def format_tie(other: str, about: str) -> str:
    """Return the sentence by which a tie is remembered."""
    return f"I know {other}: {about}"


def list_untold_facts(profile: Profile) -> list[str]:
    """Return the statements of those facts that no memory of the person states."""
    texts = [*profile.memories, *(past.text for past in profile.dated)]
    return [
        fact.statement
        for fact in profile.facts
        if not any(finds_any(fact.patterns, text) for text in texts)
    ]
