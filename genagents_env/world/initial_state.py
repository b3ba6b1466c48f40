"""The starts of people: tiles, beds, asleep or awake."""

from collections.abc import Callable, Container, Mapping, Sequence

import numpy as np

from genagents_env.rng import draw_index
from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import Person
from genagents_env.world.constants import DAY, Clock, TownConstants, second_of_day
from genagents_env.world.state import ASLEEP_DOING, ASLEEP_EMOJI, WorldState
from genagents_env.world.tiles import Ints

NOWHERE = -1  # the arena of those who are not in town


def sleeps_at_start(person: Person, clock: Clock, plan: TownPlan) -> bool:
    """Return True if the clock starts between bedtime and waking, for one who starts at home."""
    if person.start is not None:
        tile = plan.find_tile(person.start)
        arena = None if tile is None else plan.arenas[plan.arena[tile[1], tile[0]]]
        start = person.start.split("/")[0] if arena is None else plan.sectors[arena.sector].name
        if start != person.home.split("/")[0]:
            return False
    bed, wake = second_of_day(person.lifestyle.bed), second_of_day(person.lifestyle.wake)
    return (clock.second(0) - bed) % DAY < (wake - bed) % DAY


def find_bed(state: WorldState, i: int, beds: Mapping[int, Sequence[int]]) -> int | None:
    """Return the bed of `i`: in the home, free, theirs by name before anyone's.

    Args:
        state: of the town.
        i: who sleeps.
        beds: the free ones of each arena.
    """
    person, plan = state.town.scenario.people[i], state.town.plan
    free: list[tuple[bool, int]] = []
    for arena in state.town.places.find_arenas(person.home):
        owners = plan.arenas[arena].users
        for o in beds.get(arena, ()) if not owners or person.name in owners else ():
            users = plan.objects[o].users
            if not users or person.name in users:
                free.append((not (person.name in users or person.name in owners), o))
    return min(free)[1] if free else None


def draw_start_tile(
    town: TownConstants,
    person: Person,
    seed: int,
    taken: Container[int],
    is_allowed: Callable[[int], bool],
) -> int:
    """Return the tile on which a person starts: the one that `start` names, or one drawn by seed.

    Drawn is a free tile of the starting place, a spawn tile before others, shared only if all are
    taken.
    """
    ground, ref = town.ground, person.start or person.home
    exact = ground.plan.find_tile(ref)
    if exact is not None:
        return ground.tile(*exact)
    arenas = town.places.find_arenas(ref)
    inner = ground.inside_of(frozenset(filter(is_allowed, arenas)) or arenas)
    choices: Sequence[int] = [t for t in inner if t not in taken] or inner
    choices = [t for t in choices if t in ground.spawns] or choices
    return choices[draw_index(seed, len(choices), person.name, "start")]


def place_people(state: WorldState) -> None:
    """Stand everyone at the starting place, or lay them in their beds where the hour says so.

    Who starts on a tile named in the scenario stays on it: in bed only if the bed is there. Who
    starts in a building is in none of its rooms that others have filled.
    """
    town, objects = state.town, state.objects
    taken: set[int] = set()
    beds = _list_beds(town.plan)
    tiles = np.zeros(town.count, dtype=np.int64)
    sleepers: list[tuple[int, int | None]] = []
    rooms = _find_named_rooms(state)
    for i, person in enumerate(town.scenario.people):
        tile = _draw_tile(state, i, taken, rooms)
        if sleeps_at_start(person, town.clock, town.plan):
            bed = find_bed(state, i, beds)
            exact = town.plan.find_tile(person.start or "") is not None
            if bed is not None:
                around = town.ground.around(objects.plans[bed])
                if exact and tile not in around:
                    bed = None
                else:
                    beds[objects.plans[bed].arena].remove(bed)
                    tile = tile if exact else around[0]
            sleepers.append((i, bed))
        taken.add(tile)
        tiles[i] = tile
        rooms[i] = int(town.ground.arena[tile]) if state.present[i] else NOWHERE
    if town.scenario.rules.bodies_block:
        _spread_out(state, tiles, {i for i, bed in sleepers if bed is not None})
    state.tile, state.arena = tiles, town.ground.arena[tiles]
    state.start_tiles = tiles
    for i, bed in sleepers:
        if bed is not None:
            objects.put(state.log, bed, objects.plans[bed].sleep_state or "", i)
        state.asleep[i], state.bed[i] = True, -1 if bed is None else bed
        state.doing[i], state.emoji[i] = ASLEEP_DOING, ASLEEP_EMOJI
    for i in np.flatnonzero(state.present).tolist():
        state.announce(i, "start")


def _find_named_rooms(state: WorldState) -> list[int]:
    """Return the arena of each who starts in one that is named or on a named tile, else NOWHERE."""
    town, rooms = state.town, [NOWHERE] * state.town.count
    for i, person in enumerate(town.scenario.people if state.access.limited else ()):
        ref = person.start or person.home
        tile = town.plan.find_tile(ref)
        arenas = (
            town.places.find_arenas(ref)
            if tile is None
            else {int(town.plan.arena[tile[1], tile[0]])}
        )
        if len(arenas) == 1 and state.present[i]:
            (rooms[i],) = arenas
    return rooms


def _list_beds(plan: TownPlan) -> dict[int, list[int]]:
    """List the beds by arena."""
    beds: dict[int, list[int]] = {}
    for o, item in enumerate(plan.objects):
        if item.sleep_state is not None:
            beds.setdefault(item.arena, []).append(o)
    return beds


def _draw_tile(state: WorldState, i: int, taken: set[int], rooms: list[int]) -> int:
    """Return the tile on which `i` starts: in a room that others have not filled, if it may be."""
    town, access, person = state.town, state.access, state.town.scenario.people[i]
    enter = access.enter[i]
    tile = draw_start_tile(town, person, state.seed, taken, lambda a: bool(enter[a]))
    if not access.limited or not state.present[i]:
        return tile
    others = [NOWHERE if j == i else room for j, room in enumerate(rooms)]
    full = {arena for arena in access.limited if access.is_full(arena, others)}
    if int(town.ground.arena[tile]) in full:
        return draw_start_tile(
            town, person, state.seed, taken, lambda a: bool(enter[a]) and a not in full
        )
    return tile


def _spread_out(state: WorldState, tiles: Ints, lying: set[int]) -> None:
    """Stand those who share a tile on the nearest free ones, in place; who lies in a bed stays."""
    here = [i for i, present in enumerate(state.present.tolist()) if present]
    taken: set[int] = set()
    for i in sorted(here, key=lambda i: i not in lying):
        tiles[i] = state.find_free_tile(i, int(tiles[i]), taken)
        taken.add(int(tiles[i]))
