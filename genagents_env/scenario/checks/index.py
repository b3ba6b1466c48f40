"""A scenario with its names looked up, and the faults of a wrong reference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from genagents_env.scenario.faults import Fault, Loc, choices, quote, suggest
from genagents_env.scenario.people_selection import NOBODY
from genagents_env.scenario.plan import name_arena, parse_hours, parse_tile
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Scenario, SectorSpec

_SPELLINGS = 100  # how many wrong names are compared with all right ones, which takes time


@dataclass(frozen=True, slots=True)
class PlaceSpecs:
    """What an id stands for; `arena` and `item` as deep as the id goes. None: the outside."""

    sector: SectorSpec | None = None
    arena: ArenaSpec | None = None
    item: ObjectSpec | None = None


class ScenarioIndex:
    """The scenario, its people by name and its places by id."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.people = {person.name: person for person in scenario.people}
        self.places = {scenario.outside: PlaceSpecs()}
        self.spawns: dict[str, PlaceSpecs] = {}
        self._spellings = _SPELLINGS
        for sector in scenario.sectors:
            self.places[sector.name] = PlaceSpecs(sector)
            for arena in sector.arenas:
                id_ = name_arena(sector.name, arena.name)
                self.places[id_] = PlaceSpecs(sector, arena)
                for item in arena.objects:
                    self.places[f"{id_}/{item.name}"] = PlaceSpecs(sector, arena, item)
                for spawn in arena.spawns:
                    self.spawns[f"{id_}/{spawn.name}"] = PlaceSpecs(sector, arena)
        self.objects = [id_ for id_, place in self.places.items() if place.item is not None]

    def near(self, value: str, allowed: Sequence[str]) -> str:
        """Return what is allowed instead of `value`, the nearest spelling if there is one."""
        self._spellings -= 1
        return suggest(value, allowed) if self._spellings > 0 else f"allowed: {choices(allowed)}"

    def person(self, name: str, loc: Loc) -> Iterator[Fault]:
        """Yield a fault if nobody has this name."""
        if name not in self.people:
            text = f"no person {quote(name)}; {self.near(name, list(self.people))}"
            yield Fault(loc, text)

    def place(self, ref: str, loc: Loc, *, indoors: bool = False) -> Iterator[Fault]:
        """Yield a fault if no place has this id; the open ground is one unless `indoors`."""
        if ref not in self.places:
            open_ground = self.scenario.outside
            allowed = [one for one in self.places if not (indoors and one == open_ground)]
            yield Fault(loc, f"no place {quote(ref)}; {self.near(ref, allowed)}")

    def start(self, ref: str, loc: Loc) -> Iterator[Fault]:
        """Yield a fault if `ref` is neither a place nor a spawn, nor a tile where there is a map.

        Whether the tile is free is seen when the town is laid out.
        """
        if ref in self.spawns:
            return
        if ref in self.places or parse_tile(ref) is None:
            yield from self.place(ref, loc)
        elif self.scenario.map is None:
            yield Fault(loc, f"{quote(ref)} is a tile; one can be named only where there is a map")

    def locate(self, ref: str) -> PlaceSpecs | None:
        """Return where one is who starts at `ref`; None for a tile, or where there is no such."""
        return self.spawns.get(ref) or self.places.get(ref)

    def fact(self, id_: str, loc: Loc) -> Iterator[Fault]:
        """Yield a fault if no fact has this id."""
        yield from self._id("fact", id_, [fact.id for fact in self.scenario.facts], loc)

    def gathering(self, id_: str, loc: Loc) -> Iterator[Fault]:
        """Yield a fault if no gathering has this id."""
        ids = [gathering.id for gathering in self.scenario.gatherings]
        yield from self._id("gathering", id_, ids, loc)

    def question(self, id_: str, loc: Loc) -> Iterator[Fault]:
        """Yield a fault if no question has this id."""
        ids = [question.id for question in self.scenario.questions]
        yield from self._id("question", id_, ids, loc)

    def check(self, id_: str, loc: Loc) -> Iterator[Fault]:
        """Yield a fault if no check has this id."""
        yield from self._id("check", id_, [check.id for check in self.scenario.checks], loc)

    def _id(self, kind: str, id_: str, ids: Sequence[str], loc: Loc) -> Iterator[Fault]:
        if id_ not in ids:
            yield Fault(loc, f"no {kind} {quote(id_)}; {self.near(id_, ids)}")

    def state(self, ref: str, state: str, loc: Loc) -> Iterator[Fault]:
        """Yield a fault if the object `ref`, where there is one, has no such state."""
        item = self.item(ref)
        if item is not None and not may_be(item, state):
            text = f"no state {quote(state)}; {suggest(state, item.states)}"
            yield Fault(loc, text)

    def object(self, ref: str, loc: Loc) -> Iterator[Fault]:
        """Yield a fault if no object has this id."""
        if self.item(ref) is None:
            text = f"no object {quote(ref)}; {self.near(ref, self.objects)}"
            yield Fault(loc, text)

    def item(self, ref: str) -> ObjectSpec | None:
        """Return the object of this id, None if it is none."""
        place = self.places.get(ref)
        return place.item if place is not None else None

    def find_private_part(self, ref: str, name: str) -> str | None:
        """Return the part of a place that this person may not enter, None if there is none."""
        place = self.locate(ref) or PlaceSpecs()
        parts = [part for part in (place.sector, place.arena) if part is not None]
        return next((part.name for part in parts if part.users and name not in part.users), None)

    def describe_closed_part(self, ref: str, minute: int) -> str | None:
        """Return what is closed of a place at this minute of the day, with its hours, or None."""
        place = self.places.get(ref, PlaceSpecs())
        for part in (place.sector, place.arena):
            if part is not None and part.hours:
                hours = map(parse_hours, part.hours)
                if not any(span.contains(minute) for span in hours):
                    return f"{quote(part.name)} is closed then (open {', '.join(part.hours)})"
        return None


def may_be(item: ObjectSpec, state: str) -> bool:
    """Return whether an object can be in this state."""
    return item.free_text or state in item.states or (not item.states and state == item.state)


def users(index: ScenarioIndex, names: Sequence[str], loc: Loc) -> Iterator[Fault]:
    """Yield the faults of a list of users; `nobody` alone locks the place."""
    for i, name in enumerate(names):
        if name != NOBODY:
            yield from index.person(name, (*loc, "users", i))
