"""Check names, places and people: distinct names, room and access for all, possible days."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from genagents_env.scenario.checks.references import ScenarioIndex, may_be
from genagents_env.scenario.faults import Fault, Loc, quote, suggest
from genagents_env.scenario.plan import TownPlan, parse_tile
from genagents_env.scenario.schema import (
    ArenaSpec,
    ObjectSpec,
    Person,
    RoutineEntry,
    Scenario,
    SectorSpec,
    SpawnSpec,
)
from genagents_env.scenario.schema.scenario import arenas_of, objects_of
from genagents_env.text import fold

_RESERVED = ("outside", "me", "everyone", "nobody")

_Part = Person | SectorSpec | ArenaSpec | ObjectSpec | SpawnSpec
Named = tuple[Loc, str]


def check_names(index: ScenarioIndex) -> Iterator[Fault]:
    """Reject names that are taken, reserved, or look like others, and repeated ids."""
    scenario = index.scenario
    people = _list_names(("people",), scenario.people)
    places = _list_names(("sectors",), scenario.sectors)
    yield from _find_twins(people, "person")
    yield from _find_twins(places, "sector")
    for i, sector in enumerate(scenario.sectors):
        arenas = _list_names(("sectors", i, "arenas"), sector.arenas)
        yield from _find_twins(arenas, "arena")
        places += arenas
    for _, _, loc, _, arena in arenas_of(scenario):
        objects = _list_names((*loc, "objects"), arena.objects)
        spawns = _list_names((*loc, "spawns"), arena.spawns)
        yield from _find_twins([*objects, *spawns], "object or spawn" if spawns else "object")
        places += objects
    yield from _check_reserved([*people, *places], scenario.outside)
    of_places = {fold(name) for _, name in places}
    for loc, name in people:
        if fold(name) in of_places:
            yield Fault((*loc, "name"), f"{quote(name)} is a place or an object too; rename one")
    for key in ("facts", "gatherings", "questions", "checks", "success"):
        ids: list[Named] = [((key, i), part.id) for i, part in enumerate(getattr(scenario, key))]
        yield from _find_twins(ids, "id", "id")


def _list_names(loc: Loc, parts: Iterable[_Part]) -> list[Named]:
    return [((*loc, i), part.name) for i, part in enumerate(parts)]


def _find_twins(named: Iterable[Named], kind: str, key: str = "name") -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for loc, name in named:
        first = seen.get(fold(name))
        seen.setdefault(fold(name), name)
        if first is not None:
            how = "is used twice" if first == name else f"looks like {quote(first)}"
            text = f"the {kind} {quote(name)} {how}; every {kind} has its own name"
            yield Fault((*loc, key), text)


def _check_reserved(named: Iterable[Named], outside: str) -> Iterator[Fault]:
    taken = {*_RESERVED, fold(outside)}
    for loc, name in named:
        if fold(name) in taken:
            text = f"{quote(name)} is reserved ({', '.join(sorted(taken))} are); take another name"
            yield Fault((*loc, "name"), text)


def check_places(index: ScenarioIndex) -> Iterator[Fault]:
    """Check sectors, arenas and objects by themselves."""
    for i, sector in enumerate(index.scenario.sectors):
        if sector.symbol is not None and sector.arenas[0].name == sector.name:
            text = f"all of {quote(sector.name)} is its one arena; give the symbol to that"
            yield Fault(("sectors", i, "symbol"), text)
    for _, _, loc, sector, arena in arenas_of(index.scenario):
        if arena.name == sector.name and len(sector.arenas) > 1:
            text = f"{quote(arena.name)} is the sector too; only a single arena shares its name"
            yield Fault((*loc, "name"), text)
    for _, _, loc, item in objects_of(index.scenario):
        yield from _check_states(item, loc)


def _check_states(item: ObjectSpec, loc: Loc) -> Iterator[Fault]:
    for i, state in enumerate(item.states):
        if state in item.states[:i]:
            yield Fault((*loc, "states", i), f"{quote(state)} is listed twice")
    named: list[Named] = [((*loc, "state"), item.state)]
    if item.sleep_state is not None:
        named.append(((*loc, "sleep_state"), item.sleep_state))
    named += [((*loc, "lasting", k), state) for k, state in enumerate(item.lasting)]
    for state, following in item.next.items():
        named.append(((*loc, "next", state), state))
        named += [((*loc, "next", state, i), name) for i, name in enumerate(following)]
    for place, state in named:
        if not may_be(item, state):
            yield Fault(place, f"{quote(state)} is not among states; {suggest(state, item.states)}")


def check_room(scenario: Scenario, plan: TownPlan) -> Iterator[Fault]:
    """Reject places too small for the people who start there, on a tile or anywhere in them."""
    starts: Counter[str] = Counter()
    for person in scenario.people:
        if person.present:
            parts = plan.locate(person.start or person.home).split("/")
            starts.update({parts[0], "/".join(parts[:2])})
    rooms: list[tuple[Loc, int | None, int]] = [
        (("sectors", i), sector.capacity, starts[sector.name])
        for i, sector in enumerate(scenario.sectors)
    ]
    rooms += [(arena.loc, arena.spec.capacity, starts[arena.id]) for arena in arenas_of(scenario)]
    for loc, capacity, starters in rooms:
        if capacity is not None and capacity < starters:
            text = f"{capacity} is too few; {starters} people start there, so {starters} at least"
            yield Fault((*loc, "capacity"), text)


def check_people(index: ScenarioIndex) -> Iterator[Fault]:
    """Check each person."""
    people = index.scenario.people
    for i, person in enumerate(people):
        loc: Loc = ("people", i)
        if not person.persona.replace(";", "").strip():
            yield Fault((*loc, "persona"), "empty; say in a sentence or more who this is")
        if person.lifestyle.bed == person.lifestyle.wake:
            text = "wake and bed are at the same time; leave some hours between them"
            yield Fault((*loc, "lifestyle"), text)
        yield from _check_home(index, person, loc)
        yield from _check_ties(person, loc)
        yield from _check_memories(index, person, loc)
        yield from _check_order(person.routine, (*loc, "routine"))
        for j, entry in enumerate(person.routine):
            yield from _check_entry(index, person, entry, (*loc, "routine", j))
    if not any(person.present for person in people):
        yield Fault(("people",), "nobody is present at the start; at least one person is")


def _check_home(index: ScenarioIndex, person: Person, loc: Loc) -> Iterator[Fault]:
    if person.home == index.scenario.outside:
        yield Fault((*loc, "home"), f"{quote(person.home)} is no home; name a sector or an arena")
    for key in ("home", "workplace", "start"):
        ref = getattr(person, key)
        if ref is not None:
            yield from index.find_closed_door(ref, person.name, (*loc, key))
    start = person.start
    if start is None or start in index.spawns:
        return
    if start in index.places or parse_tile(start) is None:
        yield from index.find_unknown("place", start, (*loc, "start"))
    elif index.scenario.map is None:
        text = f"{quote(start)} is a tile; one can be named only where there is a map"
        yield Fault((*loc, "start"), text)


def _check_ties(person: Person, loc: Loc) -> Iterator[Fault]:
    names = [tie.to for tie in person.relationships]
    for i, name in enumerate(names):
        where = (*loc, "relationships", i, "to")
        if name == person.name:
            yield Fault(where, f"{quote(name)} is this person; name somebody else")
        elif name in names[:i]:
            yield Fault(where, f"{quote(name)} comes twice; say all of it in one `about`")


def _check_memories(index: ScenarioIndex, person: Person, loc: Loc) -> Iterator[Fault]:
    """Check the memories that have a time: none is of the future."""
    dated = -1
    for i, memory in enumerate(person.memories):
        if isinstance(memory, str):
            continue
        dated += 1
        where: Loc = (*loc, "memories", i)
        if not memory.text:
            yield Fault((*where, "text"), "empty; say in a sentence what it is")
        if memory.time > index.scenario.start:
            text = f"{memory.time} is after the scenario's start at {index.scenario.start}"
            yield Fault((*where, "time"), f"{text}; a memory is of what was before")
        if any(k >= dated for k in memory.evidence):
            text = f"it names {max(memory.evidence)} and is number {dated} of those with a time"
            yield Fault((*where, "evidence"), f"{text}; name memories that come before it")


def _check_order(routine: Sequence[RoutineEntry], loc: Loc) -> Iterator[Fault]:
    for i, (last, entry) in enumerate(pairwise(routine), 1):
        if entry.at <= last.at:
            how = "comes twice" if entry.at == last.at else f"comes after {last.at:%H:%M}"
            text = f"{entry.at:%H:%M} {how}; list the entries by time of day, from 00:00 on"
            yield Fault((*loc, i, "at"), text)


def _check_entry(
    index: ScenarioIndex, person: Person, entry: RoutineEntry, loc: Loc
) -> Iterator[Fault]:
    yield from index.find_closed_door(entry.place, person.name, (*loc, "place"))
    # Those who live or work in a sector come and go at any hour.
    own = [ref.split("/")[0] for ref in (person.home, person.workplace) if ref is not None]
    closed = index.describe_closed_part(entry.place, entry.at.hour * 60 + entry.at.minute)
    if closed is not None and entry.place.split("/")[0] not in own:
        yield Fault((*loc, "place"), f"{closed}; come at {entry.at:%H:%M} to a place that is open")
    if (entry.use is None) != (entry.state is None):
        key = "state" if entry.state is None else "use"
        yield Fault((*loc, key), "missing; `use` and `state` come together")
    if entry.use in index.objects:
        if not f"{entry.use}/".startswith(f"{entry.place}/"):
            text = f"{quote(entry.use)} is not at {quote(entry.place)}; use what is there"
            yield Fault((*loc, "use"), text)
        yield from index.find_closed_object(entry.use, person.name, (*loc, "use"))
