"""References of a scenario: which keys name a person, a place or another part of it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from genagents_env.scenario.faults import Fault, Loc, choices, quote, suggest
from genagents_env.scenario.people_selection import NOBODY
from genagents_env.scenario.plan import parse_hours
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Scenario, SectorSpec
from genagents_env.scenario.schema.scenario import arenas_of, spawns_of

_SPELLINGS = 100  # how many wrong names are compared with all right ones, which takes time

# The keys that name something, by what they name; `*` is each entry of a list or a table.
_REFERENCES = {
    "person": (
        "sectors.*.users.*",
        "sectors.*.arenas.*.users.*",
        "sectors.*.arenas.*.objects.*.users.*",
        "people.*.relationships.*.to",
        "facts.*.known_by.*",
        "facts.*.about",
        "gatherings.*.host",
        "events.*.agent",
        "questions.*.to.*",
        "checks.*.unseen_by.*",
        "success.*.of.*",
        "casts.*.*",
        "reward.errands.*.agent",
        "reward.goals.*.agent",
        "reward.goals.*.person",
    ),
    "place": (
        "people.*.home",
        "people.*.workplace",
        "people.*.known_places.*",
        "people.*.routine.*.place",
        "gatherings.*.place",
        "events.*.place",
        "checks.*.place",
        "reward.common",
        "reward.goals.*.place",
    ),
    "object": (
        "people.*.routine.*.use",
        "events.*.object",
        "checks.*.object",
        "reward.errands.*.object",
        "reward.goals.*.object",
    ),
    "fact": (
        "gatherings.*.fact",
        "questions.*.fact",
        "checks.*.fact",
        "reward.fact",
        "reward.goals.*.fact",
    ),
    "gathering": ("questions.*.gathering", "reward.gathering"),
    "question": ("checks.*.question",),
    "check": ("success.*.check",),
}


class ScenarioIndex:
    """A scenario with its people, places and other parts by name or id.

    A place is a sector, or a sector and an arena, or neither where it is the outside.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.places: dict[str, tuple[SectorSpec | ArenaSpec, ...]] = {scenario.outside: ()}
        self.objects: dict[str, ObjectSpec] = {}
        self.spawns = {spawn.id for spawn in spawns_of(scenario)}
        for arena in arenas_of(scenario):
            if arena.loc[-1] == 0:  # the first of its sector
                self.places[arena.sector.name] = (arena.sector,)
            self.places[arena.id] = (arena.sector, arena.spec)
            for item in arena.list_parts("objects", arena.spec.objects):
                self.places[item.id] = (arena.sector, arena.spec)
                self.objects[item.id] = item.spec
        self.people = {person.name: person for person in scenario.people}
        self.questions = {question.id: question for question in scenario.questions}
        self.checks = {check.id: check for check in scenario.checks}
        self.end = scenario.start + timedelta(hours=scenario.hours)
        self._spellings = _SPELLINGS
        self._known: dict[str, Mapping[str, object]] = {
            "person": self.people,
            "place": self.places,
            "object": self.objects,
            "fact": {fact.id: fact for fact in scenario.facts},
            "gathering": {gathering.id: gathering for gathering in scenario.gatherings},
            "question": self.questions,
            "check": self.checks,
        }

    def find_unknown(self, kind: str, name: str, loc: Loc) -> Iterator[Fault]:
        """Reject a name that no person, place or other `kind` has."""
        if name in self._known[kind]:
            return
        allowed = list(self._known[kind])
        if loc[-1] == "home":
            allowed.remove(self.scenario.outside)
        self._spellings -= 1
        near = suggest(name, allowed) if self._spellings > 0 else f"allowed: {choices(allowed)}"
        yield Fault(loc, f"no {kind} {quote(name)}; {near}")

    def find_wrong_state(self, ref: str, state: str, loc: Loc) -> Iterator[Fault]:
        """Reject a state that the object `ref`, if there is one, does not have."""
        item = self.objects.get(ref)
        if item is not None and not may_be(item, state):
            yield Fault(loc, f"no state {quote(state)}; {suggest(state, item.states)}")

    def find_wrong_time(
        self, at: datetime | None, loc: Loc, *, or_end: bool = False
    ) -> Iterator[Fault]:
        """Reject a time outside the scenario; its end belongs to it with `or_end`."""
        start, end = self.scenario.start, self.end
        if at is not None and not (start <= at < end or (or_end and at == end)):
            until = f"to {end}" if or_end else f"until before {end}"
            yield Fault(loc, f"{at} is not in the scenario, from {start} {until}")

    def find_closed_door(self, ref: str, name: str, loc: Loc) -> Iterator[Fault]:
        """Reject a place that this person may not enter, or whose sector they may not."""
        place = ref.rpartition("/")[0] if ref in self.spawns else ref
        for part in self.places.get(place, ()):
            if part.users and name not in part.users:
                yield _reject_user(name, part.name, loc)
                return

    def find_closed_object(self, ref: str, name: str, loc: Loc) -> Iterator[Fault]:
        """Reject an object that this person may not use."""
        item = self.objects.get(ref)
        if item is not None and item.users and name not in item.users:
            yield _reject_user(name, ref, loc)

    def describe_closed_part(self, ref: str, minute: int) -> str | None:
        """Name the part of a place that is closed at this minute, with its hours; None if open."""
        for part in self.places.get(ref, ()):
            if part.hours:
                hours = map(parse_hours, part.hours)
                if not any(span.contains(minute) for span in hours):
                    return f"{quote(part.name)} is closed then (open {', '.join(part.hours)})"
        return None


def _reject_user(name: str, what: str, loc: Loc) -> Fault:
    return Fault(loc, f"{name} is not among the users of {quote(what)}; add the name there")


def may_be(item: ObjectSpec, state: str) -> bool:
    """Return True if an object can be in this state."""
    return item.free_text or state in item.states or (not item.states and state == item.state)


def check_references(index: ScenarioIndex) -> Iterator[Fault]:
    """Reject unknown names of people, places and other parts, and unknown states."""
    for kind, paths in _REFERENCES.items():
        for path in paths:
            for loc, name in _list_values(index.scenario, path.split(".")):
                if not (name == NOBODY and "users" in loc):
                    yield from index.find_unknown(kind, str(name), loc)
    for path in _REFERENCES["object"]:  # a table that names one has a key for its state
        *keys, key = path.split(".")
        for loc, table in _list_values(index.scenario, keys):
            ref, state = getattr(table, key, None), getattr(table, "state", None)
            if ref is not None and state is not None:
                yield from index.find_wrong_state(ref, state, (*loc, "state"))


def _list_values(value: object, path: Sequence[str], loc: Loc = ()) -> Iterator[tuple[Loc, object]]:
    """Yield the values at a path of keys, each with its place; tables without a key have none."""
    if not path:
        yield loc, value
    elif path[0] != "*":
        inner = getattr(value, path[0], None)
        if inner is not None:
            yield from _list_values(inner, path[1:], (*loc, path[0]))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _list_values(inner, path[1:], (*loc, key))
    elif isinstance(value, tuple):
        for number, inner in enumerate(value):
            yield from _list_values(inner, path[1:], (*loc, number))
