"""What the environment hands to policies at the start: who each agent is, and the setting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any, Generic, TypeVar

from genagents_env.scenario import (
    Person,
    Scenario,
    first_memories,
    list_dated_memories,
    split_sentences,
)
from genagents_env.scenario.past import Past, PastMemory
from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import ArenaSpec, Fact, RoutineEntry, SectorSpec
from genagents_env.scenario.town_places import TownPlace, find_town_places

AgentID = str
ModelT = TypeVar("ModelT", covariant=True)
EmbedderT = TypeVar("EmbedderT", covariant=True)


@dataclass(frozen=True, slots=True)
class Profile:
    """What a person knows of themselves at the start of an episode.

    `persona` is what lasts, `currently` what the person is up to at the start and what holds only
    for a while. `memories` are in order: the sentences of both, long-term, then recent ones, which
    are `recent_memories` as well; `dated` are those with a time. `recency_decay`: see `Person`;
    None where the scenario says none.
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

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who one is and what one is up to at the start, sentence by sentence."""
        return (*split_sentences(self.persona), *split_sentences(self.currently))


@dataclass(frozen=True)
class EpisodeContext(Generic[ModelT, EmbedderT]):
    """What a policy is given to work with; it opens nothing itself.

    `model` and `embedder` are None where no policy needs one. Their types are parameters, since
    the environment, which makes contexts, knows neither; `genagents_env.policy.Context` names them.
    `pause_seconds`: after a talk the same two begin no other one for so long, by the town's rules.
    `make_solution`: in an episode of a task returns the task's own solution, a policy.
    """

    town: str
    start: datetime
    seconds_per_tick: int
    model: ModelT | None = None
    embedder: EmbedderT | None = None
    pause_seconds: int = 0
    make_solution: Callable[[], Any] | None = None


def make_profile(
    agent: AgentID, person: Person, scenario: Scenario, plan: TownPlan | None = None
) -> Profile:
    """Return the profile of one of a scenario's people; `plan` as in `find_town_places`."""
    return Profile(
        agent=agent,
        name=person.name,
        age=person.age,
        traits=person.traits,
        persona=person.persona,
        goal=person.goal,
        bed=person.lifestyle.bed,
        wake=person.lifestyle.wake,
        home=person.home,
        workplace=person.workplace,
        relationships={r.to: r.about for r in person.relationships},
        routine=person.routine,
        memories=(*first_memories(person), *person.recent_memories),
        facts=tuple(f for f in scenario.facts if person.name in f.known_by),
        currently=person.currently,
        dated=list_dated_memories(person),
        recency_decay=person.recency_decay,
        vision_radius=person.vision_radius or scenario.rules.vision_radius,
        attention_bandwidth=person.attention_bandwidth,
        retention=person.retention,
        sleeps_in=bed_of(person, scenario),
        town=find_town_places(person, scenario, plan),
        past=person.past,
        recent_memories=person.recent_memories,
        phone=scenario.rules.phone and person.phone,
    )


def bed_of(person: Person, scenario: Scenario) -> tuple[str, str] | None:
    """Return the id of a person's bed and its sleep state, or None where the home has none.

    Of the objects with a `sleep_state` in the sector of `home`, the arena `home` first: the one
    whose users name the person, else the first that is anybody's, in a room open to the person.
    """
    beds = [
        (f"{place}/{item.name}", item.sleep_state, person.name in item.users)
        for place, arena in _rooms_at_home(person, scenario)
        if not arena.users or person.name in arena.users
        for item in arena.objects
        if item.sleep_state is not None and (not item.users or person.name in item.users)
    ]
    beds.sort(key=lambda bed: not bed[2])
    return beds[0][:2] if beds else None


def _rooms_at_home(person: Person, scenario: Scenario) -> list[tuple[str, ArenaSpec]]:
    """Return the rooms of the sector in which a person lives with their ids, one's own first."""
    rooms = [
        (_place(sector, arena), arena)
        for sector in scenario.sectors
        if sector.name == person.home.split("/")[0]
        for arena in sector.arenas
    ]
    return sorted(rooms, key=lambda room: not f"{person.home}/".startswith(f"{room[0]}/"))


def _place(sector: SectorSpec, arena: ArenaSpec) -> str:
    return sector.name if sector.name == arena.name else f"{sector.name}/{arena.name}"
