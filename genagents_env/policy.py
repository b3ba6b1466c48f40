"""The policy contract: who decides. `genagents_env.load_policy` finds a policy by name."""

from __future__ import annotations

from collections.abc import Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

from genagents_env.actions import Action
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.llm.event_loop import OwnLoop
from genagents_env.memory.content import MindContent
from genagents_env.percept import Percept
from genagents_env.profile import AgentID, EpisodeContext, Profile

if TYPE_CHECKING:
    from genagents_env.llm.calls import CallKey
    from genagents_env.llm.client import ModelClient
    from genagents_env.llm.scripted.replies import ScriptedReplies
    from genagents_env.memory.content import Causes, SavedMind
    from genagents_env.memory.embedder import Embedder
    from genagents_env.scenario.schema import Past

__all__ = [
    "INTERVIEW_CALLS",
    "AgentID",
    "Answer",
    "Context",
    "FacultySwitch",
    "Infos",
    "InterviewTerms",
    "MemoryAccess",
    "MindNote",
    "NoteKind",
    "Observations",
    "Policy",
    "Profile",
    "RecalledMemory",
    "State",
    "get_percept",
]

Observations: TypeAlias = Mapping[AgentID, Mapping[str, Any]]
Infos: TypeAlias = Mapping[AgentID, Mapping[str, Any]]
State: TypeAlias = Mapping[str, Any]  # JSON values
MemoryAccess: TypeAlias = Literal["observation", "planning", "reflection"]
NoteKind: TypeAlias = Literal["cut", "wish", "turn"]
if TYPE_CHECKING:
    Context: TypeAlias = EpisodeContext[ModelClient, Embedder]
else:
    Context = EpisodeContext
T = TypeVar("T")

INTERVIEW_CALLS = 1000  # numbers set aside for the calls of one interview


@dataclass(frozen=True, slots=True)
class Answer:
    """An interview answer and the ids of the events it rests on.

    `fallback`: nobody said it; the model gave no usable reply, and this stands in its place.
    """

    text: str
    evidence: tuple[int, ...] = field(default=())
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class InterviewTerms:
    """How interviews are held.

    Attributes:
        interviewer: who asks, by name; empty for nobody in particular.
        without: memories that the answers have no access to.
    """

    interviewer: str = ""
    without: frozenset[MemoryAccess] = frozenset()


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory in words, and the ids of the events it comes from; none for what one always knew."""

    text: str
    events: tuple[int, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class FacultySwitch:
    """An option that switches a faculty on or off, as it stands.

    Attributes:
        name: of the option, such as `reflection`.
        faculty: the first word of the purposes of its calls, such as `reflect`.
        on: as the policy is configured.
    """

    name: str
    faculty: str
    on: bool


@dataclass(frozen=True, slots=True)
class MindNote:
    """A wish of a mind that could not be met, or a loss of its prompt; for the record alone.

    Attributes:
        call: that it belongs to; of no purpose where it was no call.
        kind: `cut`, lines left out of the prompt of the call; `wish`, what its reply named that
            the town does not have or allow; `turn`, how words in which a tool is chosen were read.
        text: of a cut the number of lines by section, as JSON; of a wish what was named, and what
            was allowed; of a turn what it was read as, as JSON.
    """

    call: CallKey
    kind: NoteKind
    text: str


def get_percept(infos: Infos, agent: AgentID) -> Percept:
    """Return the percept of `agent` from infos.

    Raises:
        ConfigError: the environment was not asked for percepts.
    """
    percept: Percept | None = infos[agent].get("percept")
    if percept is None:
        raise ConfigError(
            f"infos[{agent!r}] has no percept, which this policy reads; build the environment "
            "with percepts=True"
        )
    return percept


class Policy:
    """Decides for the agents given to it. Implement `act` or `act_async`; the other follows.

    `act` gets all its agents at once, so a network runs one batch and a mind sends its model
    calls together. Agents left out of the answer idle.

    Attributes:
        name: by which it is known.
        needs_model: it asks `context.model`.
        needs_embedder: it asks `context.embedder`.
        needs_people: it asks `context.people`, who take their time: it never counts as hung.
        needs_portable_menu: it chooses from the portable menu; towns of runs are made with it.
        remembers: it can be interviewed.
        has_past: it begins with `Profile.past` where there is one, and has `collect_past`.
        faculties: the first words of the purposes of its calls; each can have a model of its own.
        switches: the options that switch faculties, so that reports name those on that never ran.
        file_options: options that name a file, whose content is a part of what a run is.
        scripted_replies: what scripted models reply to its prompts; samples where it says nothing.
        causes: which of its calls lead to which events, and to which calls, for who looks at a run.
    """

    name: ClassVar[str]
    needs_model: ClassVar[bool] = False
    needs_embedder: ClassVar[bool] = False
    needs_people: ClassVar[bool] = False
    needs_portable_menu: ClassVar[bool] = False
    remembers: ClassVar[bool] = False
    has_past: ClassVar[bool] = False
    faculties: Collection[str] = ()
    switches: Sequence[FacultySwitch] = ()
    file_options: ClassVar[Collection[str]] = ()
    scripted_replies: ClassVar[ScriptedReplies] = {}
    causes: ClassVar[Causes] = {}
    _loop: OwnLoop | None = None

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Begin an episode for these agents. Random choices must depend on `seed` alone."""

    def act(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return an action for each agent in `observations`."""
        if type(self).act_async is Policy.act_async:
            raise PolicyError(f"{type(self).__name__} implements neither act nor act_async")
        return self._run(self.act_async(observations, infos))

    async def act_async(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return an action for each agent in `observations`, awaiting models on the way."""
        return self.act(observations, infos)

    def interview(self, agent: AgentID, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        """Return an answer of `agent` to each question, leaving no trace: `state()` stays as it is.

        Args:
            agent: who is asked.
            questions: put in this order.
            repeat: which of several interviews at this moment; each is independent of the others.

        Raises:
            PolicyError: it remembers nothing that could be asked for.
        """
        if type(self).interview_async is Policy.interview_async:
            raise PolicyError(f"the policy {self.name!r} cannot be interviewed")
        return self._run(self.interview_async(agent, questions, repeat))

    async def interview_async(
        self, agent: AgentID, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        """Interview as `interview` does, awaiting models on the way.

        Calls are numbered from `repeat * INTERVIEW_CALLS` on, so that repeats share no key.

        Its calls have the purpose `interview`, or `interview.` and more, and the tick of the
        moment: one after the last percept's, 0 before the first. So the answers at both ends of a
        run never share a key, and those of an end that is none any more can be taken back.
        """
        return self.interview(agent, questions, repeat)

    def set_interview_terms(self, terms: InterviewTerms) -> None:
        """Hold interviews on these terms from now on; they are no part of `state()`.

        Raises:
            PolicyError: it knows no such terms.
        """
        if terms != InterviewTerms():
            raise PolicyError(
                f"the policy {self.name!r} answers nobody in particular, and from all it remembers"
            )

    def memories(self, agent: AgentID) -> Sequence[RecalledMemory]:
        """Return the memories of `agent` now, of any kind; empty if it keeps none in words."""
        return ()

    @classmethod
    def describe_mind(cls, saved: SavedMind) -> MindContent:
        """Describe a mind of this policy from its part of a run file.

        Viewers of a run call it without an instance; it needs no model and reads the saved state.
        """
        return MindContent(note=f"The policy {cls.name!r} shows nothing of what it remembers.")

    def collect_past(self, agent: AgentID, source: str) -> Past:
        """Return all that `agent` carries along into another run, as `Profile.past` gives it back.

        Args:
            agent: whose.
            source: where it comes from, in words.

        Raises:
            PolicyError: it keeps nothing that another run could begin with.
        """
        raise PolicyError(f"the policy {self.name!r} keeps no memories to begin another run with")

    def take_notes(self) -> Sequence[MindNote]:
        """Return the notes of the last decision and of interviews since, each once.

        It is kept in the record; no decision may depend on whether somebody takes it.
        """
        return ()

    async def settle(self) -> None:
        """Await the model calls under way, so that their replies are stored; apply nothing."""

    def state(self) -> State:
        """Return everything needed to resume: JSON values only."""
        return {}

    def load_state(self, state: State) -> None:
        """Resume from what `state` returned, after a `reset` with the same arguments."""

    def close(self) -> None:
        """Free what is held; safe to call twice."""
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        # One loop over all calls: what one call leaves under way continues in the next.
        if self._loop is None:
            self._loop = OwnLoop()
        return self._loop.run(coroutine)
