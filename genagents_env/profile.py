"""The profiles of agents and the setting, which the environment gives policies at the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from genagents_env.text import split_sentences

if TYPE_CHECKING:
    from genagents_env.actions import Action
    from genagents_env.percept import Percept
    from genagents_env.scenario.profiles import TownPlace
    from genagents_env.scenario.schema import Fact, Past, PastMemory, RoutineEntry

AgentID = str
ModelT = TypeVar("ModelT", covariant=True)
EmbedderT = TypeVar("EmbedderT", covariant=True)


@dataclass(frozen=True, slots=True)
class Profile:
    """What a person knows of themselves at the start of an episode.

    `persona` is what lasts, `currently` what the person is up to at the start and what holds only
    for a while. `memories` are in order: the sentences of both, long-term, then recent ones, which
    are `recent_memories` as well; `dated` are those with a time. `recency_decay`: see `Person`;
    None where the scenario says none. `hearing_radius`, in tiles: farther words are not heard.
    `facts` are those of the scenario this person knows at the start; `past` is what the person
    carries along from an earlier run, if anything.
    `sleeps_in`: the id of the bed at home and the state that means sleeping in it, if there is one.
    `phone`: whether this person has a telephone, in a town that knows it.
    `town`: the places this person knows at the start, when they are open and what stands in them.
    """

    agent: AgentID
    name: str
    age: int | None
    traits: tuple[str, ...]
    persona: str
    goal: str
    bed: time
    wake: time
    home: str
    workplace: str | None
    relationships: Mapping[str, str]
    routine: tuple[RoutineEntry, ...]
    memories: tuple[str, ...]
    facts: tuple[Fact, ...]
    vision_radius: int
    attention_bandwidth: int
    retention: int
    sleeps_in: tuple[str, str] | None = None
    town: tuple[TownPlace, ...] = ()
    phone: bool = False
    past: Past | None = None
    currently: str = ""
    dated: tuple[PastMemory, ...] = ()
    recency_decay: float | None = None
    recent_memories: tuple[str, ...] = ()
    hearing_radius: int = 64

    @property
    def sentences(self) -> tuple[str, ...]:
        """`persona` and `currently`, sentence by sentence."""
        return (*split_sentences(self.persona), *split_sentences(self.currently))


class ActionSource(Protocol):
    """The people who play agents, for the policy `human`; see `run.people.ActionQueue`."""

    def begin(self, profiles: Mapping[AgentID, Profile]) -> None:
        """Begin an episode, in which people play these agents."""

    async def decide(self, agent: AgentID, percept: Percept) -> Action | None:
        """Return what the person of `agent` does in the next tick; None if nobody is there."""


@dataclass(frozen=True)
class EpisodeContext(Generic[ModelT, EmbedderT]):
    """The setting of an episode and the services for a policy, which opens nothing itself.

    `model` and `embedder` are None where no policy needs one. Their types are parameters, since
    the environment, which makes contexts, knows neither; `genagents_env.policy.Context` names them.
    `pause_seconds`: after a talk the same two begin no other one for so long, by the town's rules.
    `people`: who play the agents of the policy `human`, if there are any.
    `make_solution`: in an episode of a task returns the task's own solution, a policy.
    """

    town: str
    start: datetime
    seconds_per_tick: int
    model: ModelT | None = None
    embedder: EmbedderT | None = None
    pause_seconds: int = 0
    people: ActionSource | None = None
    make_solution: Callable[..., Any] | None = None
