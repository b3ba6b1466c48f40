"""Places and objects: containment, users, states, room for those who start there."""

from collections import Counter
from collections.abc import Iterator

from genagents_env.scenario.checks.index import ScenarioIndex, may_be, users
from genagents_env.scenario.faults import Fault, Loc, quote, suggest
from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import ObjectSpec, Scenario


def check_places(index: ScenarioIndex) -> Iterator[Fault]:
    """Yield what is wrong with sectors, arenas and objects."""
    yield from _check_room(index)
    for i, sector in enumerate(index.scenario.sectors):
        loc: Loc = ("sectors", i)
        yield from users(index, sector.users, loc)
        if sector.symbol is not None and sector.arenas[0].name == sector.name:
            text = f"all of {quote(sector.name)} is its one arena; give the symbol to that"
            yield Fault((*loc, "symbol"), text)
        for j, arena in enumerate(sector.arenas):
            inner: Loc = (*loc, "arenas", j)
            if arena.name == sector.name and len(sector.arenas) > 1:
                text = f"{quote(arena.name)} is the sector too; only a single arena shares its name"
                yield Fault((*inner, "name"), text)
            yield from users(index, arena.users, inner)
            for k, item in enumerate(arena.objects):
                yield from users(index, item.users, (*inner, "objects", k))
                yield from _states(item, (*inner, "objects", k))


def check_room(scenario: Scenario, plan: TownPlan) -> list[Fault]:
    """Return each place that is too small for those who start there, be it on a tile of it."""
    return list(_check_room(ScenarioIndex(scenario), plan))


def _check_room(index: ScenarioIndex, plan: TownPlan | None = None) -> Iterator[Fault]:
    starts = _starters(index, plan)
    for i, sector in enumerate(index.scenario.sectors):
        yield from _room(sector.capacity, starts[sector.name], ("sectors", i))
        for j, arena in enumerate(sector.arenas):
            starters = starts[f"{sector.name}/{arena.name}"]
            yield from _room(arena.capacity, starters, ("sectors", i, "arenas", j))


def _starters(index: ScenarioIndex, plan: TownPlan | None) -> Counter[str]:
    """Return how many people start in each sector and in each `sector/arena`.

    Who starts on a tile is counted only with `plan`, which says where it lies.
    """
    count: Counter[str] = Counter()
    for person in index.scenario.people:
        start = person.start or person.home
        place = index.locate(start if plan is None else plan.locate(start))
        if place is None or place.sector is None or not person.present:
            continue
        count[place.sector.name] += 1
        if place.arena is not None:
            count[f"{place.sector.name}/{place.arena.name}"] += 1
    return count


def _room(capacity: int | None, starters: int, loc: Loc) -> Iterator[Fault]:
    if capacity is not None and capacity < starters:
        text = f"{capacity} is too few; {starters} people start there, so {starters} at least"
        yield Fault((*loc, "capacity"), text)


def _states(item: ObjectSpec, loc: Loc) -> Iterator[Fault]:
    for i, state in enumerate(item.states):
        if state in item.states[:i]:
            yield Fault((*loc, "states", i), f"{quote(state)} is listed twice")
    named: list[tuple[Loc, str]] = [((*loc, "state"), item.state)]
    if item.sleep_state is not None:
        named.append(((*loc, "sleep_state"), item.sleep_state))
    named += [((*loc, "lasting", k), state) for k, state in enumerate(item.lasting)]
    for state, following in item.next.items():
        named.append(((*loc, "next", state), state))
        named += [((*loc, "next", state, i), name) for i, name in enumerate(following)]
    for place, state in named:
        if not may_be(item, state):
            yield Fault(place, f"{quote(state)} is not among states; {suggest(state, item.states)}")
