"""The same scenario with fewer people, or with everybody in one place at the start."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ..errors import ScenarioError
from .faults import quote, suggest
from .schema import ArenaSpec, Model, ObjectSpec, Person, Reward, Scenario, SectorSpec

M = TypeVar("M", bound=Model)
U = TypeVar("U", SectorSpec, ArenaSpec, ObjectSpec)
NOBODY = "nobody"  # the only user of what belonged to people who are not there


def select_people(scenario: Scenario, names: Sequence[str]) -> Scenario:
    """Return the scenario with only the people of these names, in this order.

    What refers to anybody else is left out: relationships, who knows a fact or hosts a gathering,
    events and errands (the reward is `none` when no errand is left), questions put to them alone.
    What only absent people may use stays locked: its one user is `nobody`.

    Raises:
        ScenarioError: nobody has such a name, a name comes twice, or `names` is empty.
    """
    known = {person.name: person for person in scenario.people}
    faults = [
        f"people: no person {quote(name)} in {scenario.name}; {suggest(name, list(known))}"
        for name in names
        if name not in known
    ]
    if not names or len(set(names)) < len(names):
        faults.append("people: name at least one person, and nobody twice")
    if faults:
        raise ScenarioError(faults)
    cast = frozenset(names)
    return _with(
        scenario,
        people=tuple(_person(known[name], cast) for name in names),
        sectors=tuple(_sector(sector, cast) for sector in scenario.sectors),
        facts=tuple(_with(f, known_by=_here(f.known_by, cast)) for f in scenario.facts),
        gatherings=tuple(
            _with(g, host=g.host if g.host in cast else None) for g in scenario.gatherings
        ),
        events=tuple(e for e in scenario.events if e.agent is None or e.agent in cast),
        questions=tuple(
            _with(q, to=_here(q.to, cast))
            for q in scenario.questions
            if not q.to or _here(q.to, cast)
        ),
        reward=_reward(scenario.reward, cast),
    )


def start_all_at(scenario: Scenario, place: str) -> Scenario:
    """Return the scenario with everyone starting at `place`, a sector or an arena.

    Whoever does not live there is awake, whatever the hour.

    Raises:
        ScenarioError: there is no such place.
    """
    sectors = [sector.name for sector in scenario.sectors]
    arenas = [f"{s.name}/{arena.name}" for s in scenario.sectors for arena in s.arenas]
    if place not in (*sectors, *arenas):
        hint = suggest(place, [*sectors, *arenas])
        raise ScenarioError([f"place: no place {quote(place)} in {scenario.name}; {hint}"])
    return _with(scenario, people=tuple(_with(p, start=place) for p in scenario.people))


def _with(model: M, **changes: object) -> M:
    return model.model_copy(update=changes)


def _here(names: Iterable[str], cast: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in cast)


def _users(place: U, cast: frozenset[str]) -> tuple[str, ...]:
    return _here(place.users, cast) or ((NOBODY,) if place.users else ())


def _person(person: Person, cast: frozenset[str]) -> Person:
    return _with(person, relationships=tuple(r for r in person.relationships if r.to in cast))


def _reward(reward: Reward, cast: frozenset[str]) -> Reward:
    errands = tuple(errand for errand in reward.errands if errand.agent in cast)
    left = errands or reward.name != "errand"
    return _with(reward, errands=errands, name=reward.name if left else "none")


def _sector(sector: SectorSpec, cast: frozenset[str]) -> SectorSpec:
    arenas = tuple(_arena(arena, cast) for arena in sector.arenas)
    return _with(sector, users=_users(sector, cast), arenas=arenas)


def _arena(arena: ArenaSpec, cast: frozenset[str]) -> ArenaSpec:
    objects = tuple(_with(item, users=_users(item, cast)) for item in arena.objects)
    return _with(arena, users=_users(arena, cast), objects=objects)
