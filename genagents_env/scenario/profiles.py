"""Profiles of people: who they are, their first memories, and the places they know."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from genagents_env.profile import AgentID, Profile
from genagents_env.scenario.plan import DAY, Hours, TownPlan, parse_hours
from genagents_env.scenario.schema import PastMemory, Person, Scenario
from genagents_env.scenario.schema.scenario import ArenaPart, arenas_of
from genagents_env.text import split_sentences


@dataclass(frozen=True, slots=True)
class TownThing:
    """A thing in a room. `free_text`: it may be put into other states than `states` as well."""

    id: str
    name: str
    states: tuple[str, ...]
    free_text: bool


@dataclass(frozen=True, slots=True)
class TownPlace:
    """A room, or a piece of open ground, as one of the people knows it at the start.

    Attributes:
        id: as in `Percept.known`.
        common: everyone in town knows it.
        public: anyone may enter; else those it is for.
        admits: the person may enter, at least while it is open.
        hours: when it is open, day by day; empty for always. They bind nobody who lives or works
            in the building.
        things: those that the person may use; none where the person may not enter.
    """

    id: str
    common: bool
    public: bool
    admits: bool
    hours: tuple[Hours, ...] = ()
    things: tuple[TownThing, ...] = ()


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
        hearing_radius=person.hearing_radius or scenario.rules.hearing_radius,
        phone=scenario.rules.phone and person.phone,
    )


def first_memories(person: Person) -> tuple[str, ...]:
    """Return the first memories: sentences of `persona` and `currently`, then `memories`.

    They exclude those with a time (see `list_dated_memories`) and recent memories, whose age the
    mind decides.
    """
    undated = (memory for memory in person.memories if isinstance(memory, str))
    parts = (*split_sentences(person.persona), *split_sentences(person.currently), *undated)
    return tuple(text for text in parts if text)


def list_dated_memories(person: Person) -> tuple[PastMemory, ...]:
    """Return the memories that have a time, in order."""
    return tuple(memory for memory in person.memories if isinstance(memory, PastMemory))


def bed_of(person: Person, scenario: Scenario) -> tuple[str, str] | None:
    """Return the id of a person's bed and its sleep state, or None where the home has none.

    Of the objects with a `sleep_state` in the sector of `home`, the arena `home` first: the one
    whose users name the person, else the first that is anybody's, in a room open to the person.
    """
    beds = [
        (f"{room.id}/{item.name}", item.sleep_state, person.name in item.users)
        for room in _rooms_at_home(person, scenario)
        if not room.spec.users or person.name in room.spec.users
        for item in room.spec.objects
        if item.sleep_state is not None and (not item.users or person.name in item.users)
    ]
    beds.sort(key=lambda bed: not bed[2])
    return beds[0][:2] if beds else None


def _rooms_at_home(person: Person, scenario: Scenario) -> list[ArenaPart]:
    """Return the rooms of the sector in which a person lives, one's own first."""
    home = person.home.split("/")[0]
    rooms = [room for room in arenas_of(scenario) if room.sector.name == home]
    return sorted(rooms, key=lambda room: not f"{person.home}/".startswith(f"{room.id}/"))


def find_town_places(
    person: Person, scenario: Scenario, plan: TownPlan | None = None
) -> tuple[TownPlace, ...]:
    """Return the places that a person knows at the start, in the scenario's order.

    Those that everyone knows, one's home and workplace with all their rooms, and where one
    starts, has been or is led by the routine. `plan` says in which room a tile is on which one
    starts; without it that room is none of them.
    """
    names = find_familiar_places(person, plan)
    places: list[TownPlace] = []
    for id_, _, _, sector, arena in arenas_of(scenario):
        if not (sector.common or sector.name in names or id_ in names):
            continue
        users = [group for group in (sector.users, arena.users) if group]
        admits = all(person.name in group for group in users)
        things = tuple(
            TownThing(f"{id_}/{item.name}", item.name, item.states, item.free_text)
            for item in arena.objects
            if admits and (not item.users or person.name in item.users)
        )
        hours = _combine(sector.hours, arena.hours)
        places.append(TownPlace(id_, sector.common, not users, admits, hours, things))
    return tuple(places)


def find_familiar_places(person: Person, plan: TownPlan | None = None) -> frozenset[str]:
    """Return the ids of the sectors and arenas that a person knows besides the common ones."""
    whole = {ref.split("/")[0] for ref in (person.home, person.workplace) if ref is not None}
    start = person.start
    if start is not None and plan is not None:
        start = plan.locate(start)
    refs = [start, *person.known_places, *(entry.place for entry in person.routine)]
    return frozenset(whole | {"/".join(ref.split("/")[:2]) for ref in refs if ref is not None})


def _combine(sector: Iterable[str], arena: Iterable[str]) -> tuple[Hours, ...]:
    """Intersect the hours of a building and its room; empty for always."""
    outer, inner = [parse_hours(text) for text in sector], [parse_hours(text) for text in arena]
    if not outer or not inner:
        return tuple(outer or inner)
    return tuple(part for a in outer for b in inner for part in _intersect(a, b))


def _intersect(a: Hours, b: Hours) -> Iterator[Hours]:
    for shift in (-DAY, 0, DAY):
        start, end = max(a.start, b.start + shift), min(a.end, b.end + shift)
        if start < end:
            yield Hours(start % DAY, start % DAY + end - start)
