"""What one of the people knows of the town at the start: rooms, opening hours, things in them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from genagents_env.scenario.plan import DAY, Hours, TownPlan, name_arena, parse_hours
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Person, Scenario


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


def find_town_places(
    person: Person, scenario: Scenario, plan: TownPlan | None = None
) -> tuple[TownPlace, ...]:
    """Return the places that a person knows at the start, in the scenario's order.

    Those that everyone knows, one's home and workplace with all their rooms, and where one
    starts, has been or is led by the routine. `plan` says in which room a tile is on which one
    starts; without it that room is none of them.
    """
    names = find_familiar_places(person, plan)
    found: list[TownPlace] = []
    for sector in scenario.sectors:
        for arena in sector.arenas:
            id_ = name_arena(sector.name, arena.name)
            if not (sector.common or sector.name in names or id_ in names):
                continue
            users = [group for group in (sector.users, arena.users) if group]
            admits = all(person.name in group for group in users)
            things = tuple(_list_things(person, id_, arena)) if admits else ()
            hours = _combine(sector.hours, arena.hours)
            found.append(TownPlace(id_, sector.common, not users, admits, hours, things))
    return tuple(found)


def find_familiar_places(person: Person, plan: TownPlan | None = None) -> frozenset[str]:
    """Return the ids of the sectors and arenas that a person knows besides the common ones."""
    whole = {ref.split("/")[0] for ref in (person.home, person.workplace) if ref is not None}
    start = person.start
    if start is not None and plan is not None:
        start = plan.locate(start)
    refs = [start, *person.known_places, *(entry.place for entry in person.routine)]
    return frozenset(whole | {"/".join(ref.split("/")[:2]) for ref in refs if ref is not None})


def _list_things(person: Person, place: str, arena: ArenaSpec) -> Iterator[TownThing]:
    for item in arena.objects:
        if not item.users or person.name in item.users:
            yield _make_thing(place, item)


def _make_thing(place: str, item: ObjectSpec) -> TownThing:
    return TownThing(f"{place}/{item.name}", item.name, item.states, item.free_text)


def _combine(sector: Iterable[str], arena: Iterable[str]) -> tuple[Hours, ...]:
    """Return when both a building and its room are open; empty for always."""
    outer, inner = [parse_hours(text) for text in sector], [parse_hours(text) for text in arena]
    if not outer or not inner:
        return tuple(outer or inner)
    return tuple(part for a in outer for b in inner for part in _intersect(a, b))


def _intersect(a: Hours, b: Hours) -> Iterator[Hours]:
    for shift in (-DAY, 0, DAY):
        start, end = max(a.start, b.start + shift), min(a.end, b.end + shift)
        if start < end:
            yield Hours(start % DAY, start % DAY + end - start)
