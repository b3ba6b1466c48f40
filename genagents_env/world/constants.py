"""The constants of a town, which its worlds share: clock, people and map."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from genagents_env.scenario.patterns import compile_any, prepare
from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.scenario.profiles import find_familiar_places
from genagents_env.scenario.schema import Person, Scenario
from genagents_env.text import fold
from genagents_env.world.access import EntryRights
from genagents_env.world.paths import PlacePaths
from genagents_env.world.places import Places
from genagents_env.world.sight import Sight, Surroundings
from genagents_env.world.tiles import Ground

DAY = 86_400
_KEPT = 1000  # utterances of which it is known what facts they tell


def second_of_day(at: dt.time) -> int:
    """Return seconds since midnight."""
    return at.hour * 3600 + at.minute * 60 + at.second


@dataclass(frozen=True, slots=True)
class Clock:
    """Turns ticks into town time and back. Every rule counts in simulated seconds."""

    start: datetime
    seconds_per_tick: int

    def time(self, tick: int) -> datetime:
        """Return the town time at `tick`."""
        return self.start + timedelta(seconds=tick * self.seconds_per_tick)

    def second(self, tick: int) -> int:
        """Return the second of the day at `tick`, 0 to 86,399."""
        return (second_of_day(self.start.time()) + tick * self.seconds_per_tick) % DAY

    def tick_at(self, when: datetime) -> int:
        """Return the first tick at or after `when` (negative before the start)."""
        return -int((self.start - when).total_seconds() // self.seconds_per_tick)

    def ticks(self, seconds: float) -> int:
        """Convert seconds to ticks, rounded up."""
        return -int(-seconds // self.seconds_per_tick)


class PeopleTable:
    """Constant facts about the N people of a scenario, by index."""

    def __init__(self, scenario: Scenario, places: Places) -> None:
        people, rules = scenario.people, scenario.rules
        self.people = people
        self.names = tuple(p.name for p in people)
        self.index = {name: i for i, name in enumerate(self.names)}
        self._folded = {fold(name): i for i, name in enumerate(self.names)}
        self.vision = np.array([p.vision_radius or rules.vision_radius for p in people])
        self.hearing = np.array([p.hearing_radius or rules.hearing_radius for p in people])
        self.wake_second = np.array([second_of_day(p.lifestyle.wake) for p in people])
        self.known = _find_known_places(places, people)
        self.friends = tuple(
            frozenset(self.index[r.to] for r in p.relationships if r.to in self.index)
            for p in people
        )
        self.fact_ids = tuple(f.id for f in scenario.facts)
        self.statements = tuple(f.statement for f in scenario.facts)
        self.secret = tuple(f.secret for f in scenario.facts)
        self._patterns = tuple(compile_any(f.patterns) for f in scenario.facts)
        self._recognised: dict[str, tuple[int, ...]] = {}
        self.facts_at_start = tuple(
            sum(1 << k for k, f in enumerate(scenario.facts) if name in f.known_by)
            for name in self.names
        )

    def find(self, name: str) -> int | None:
        """Return the index of the person with this name, or first name where only one has it."""
        folded = fold(name)
        if folded in self._folded:
            return self._folded[folded]
        hits = [i for full, i in self._folded.items() if full.split(" ")[0] == folded]
        return hits[0] if len(hits) == 1 else None

    def find_facts(self, text: str) -> tuple[int, ...]:
        """Return the indices of the facts recognised in `text`."""
        facts = self._recognised.get(text)
        if facts is None:
            if len(self._recognised) == _KEPT:
                self._recognised.clear()
            ready = prepare(text)
            facts = tuple(k for k, pattern in enumerate(self._patterns) if pattern.is_in(ready))
            self._recognised[text] = facts
        return facts


def _find_known_places(places: Places, people: Sequence[Person]) -> tuple[int, ...]:
    """Return the places each knows: the common ones, home, workplace and those of the routine."""
    plan, of_arena = places.plan, places.bits_of_arena
    common, named = of_arena[OUTSIDE], dict[str, int]()
    for arena, id_, bits in zip(plan.arenas, places.arena_ids, of_arena, strict=True):
        sector = plan.sectors[arena.sector]
        if sector.common:
            common |= bits
        for name in {sector.name, id_}:
            named[name] = named.get(name, 0) | bits
    known = []
    for person in people:
        bits = common
        for name in find_familiar_places(person, plan):
            bits |= named.get(name, 0)
        known.append(bits)
    return tuple(known)


class TownConstants:
    """The map, the people and the clock, with tables computed from them.

    `around` has the surroundings of each person, by vision radius.
    """

    def __init__(self, scenario: Scenario, plan: TownPlan) -> None:
        self.scenario, self.plan = scenario, plan
        self.ground = Ground(plan)
        self.places = Places(plan)
        self.people = PeopleTable(scenario, self.places)
        self.names = self.people.names
        self.rights = EntryRights(plan, self.places, scenario.people)
        self.count = len(self.names)
        self.clock = Clock(scenario.start, scenario.seconds_per_tick)
        self.paths = PlacePaths(self.ground, self.places, scenario)
        radii = self.people.vision.tolist()
        places_of = tuple(self.places.bits_of_arena)
        self.surroundings = {r: Surroundings(self.ground, r, places_of) for r in set(radii)}
        self.around = tuple(self.surroundings[r] for r in radii)
        self.sight = Sight(self.people.vision)
        self.all_places = (1 << len(self.places.all)) - 1
