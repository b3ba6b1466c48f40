"""Where and how everyone starts: on which tile, asleep or awake."""

from typing import TYPE_CHECKING

import numpy as np

from genagents_env.rng import draw_index
from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import Person
from genagents_env.world.clock import DAY, Clock, second_of_day
from genagents_env.world.things import Things
from genagents_env.world.tiles import Ground

if TYPE_CHECKING:
    from genagents_env.world.town import World

ASLEEP_DOING, ASLEEP_EMOJI = "sleeping", "😴"


def arenas_in(plan: TownPlan, ref: str) -> set[int]:
    """Return the arenas that a place id (sector, arena, or an object's arena) covers."""
    for o in range(len(plan.objects)):
        if plan.object_id(o) == ref:
            return {plan.objects[o].arena}
    exact = {a for a in range(len(plan.arenas)) if plan.arena_id(a) == ref}
    sector = {a for a, x in enumerate(plan.arenas) if plan.sectors[x.sector].name == ref}
    return exact or sector


def sleeps_at_start(person: Person, clock: Clock) -> bool:
    """Return whether the clock starts between bedtime and waking, for one who starts at home."""
    if person.start is not None and person.start.split("/")[0] != person.home.split("/")[0]:
        return False
    bed, wake = second_of_day(person.lifestyle.bed), second_of_day(person.lifestyle.wake)
    return (clock.second(0) - bed) % DAY < (wake - bed) % DAY


def own_bed(things: Things, plan: TownPlan, person: Person, taken: set[int]) -> int | None:
    """Return the bed of `person`: in the home, free, theirs by name before anyone's."""
    home = arenas_in(plan, person.home)
    beds = [
        (not (person.name in item.users or person.name in plan.arenas[item.arena].users), o)
        for o, item in enumerate(things.plans)
        if item.sleep_state is not None and item.arena in home and o not in taken
        if not item.users or person.name in item.users
        if not plan.arenas[item.arena].users or person.name in plan.arenas[item.arena].users
    ]
    return min(beds)[1] if beds else None


def start_tile(
    ground: Ground, person: Person, seed: int, taken: set[int], allowed: set[int]
) -> int:
    """Return a free tile of the starting place, drawn by seed, shared only if all are taken."""
    ref = person.start or person.home
    arenas = arenas_in(ground.plan, ref)
    doors = {ground.tile(x, y) for x, y in ground.plan.doors}
    tiles = ground.tiles_of((arenas & allowed) or arenas)
    inner = [t for t in tiles if t not in doors] or tiles
    choices = [t for t in inner if t not in taken] or inner
    return choices[draw_index(seed, len(choices), person.name, "start")]


def place_people(world: "World") -> None:
    """Stand everyone at the starting place, or lay them in their beds where the hour says so."""
    taken: set[int] = set()
    beds: set[int] = set()
    tiles = np.zeros(world.count, dtype=np.int64)
    sleepers: list[tuple[int, int | None]] = []
    for i, person in enumerate(world.scenario.people):
        allowed = set(np.flatnonzero(world.access.enter[i]).tolist())
        tile = start_tile(world.ground, person, world.seed, taken, allowed)
        if sleeps_at_start(person, world.clock):
            bed = own_bed(world.things, world.plan, person, beds)
            if bed is not None:
                beds.add(bed)
                tile = world.ground.tile(*world.things.plans[bed].tile)
            sleepers.append((i, bed))
        taken.add(tile)
        tiles[i] = tile
    world.tile, world.arena = tiles, world.ground.arena[tiles]
    world.start_tiles = tiles
    for i, bed in sleepers:
        if bed is not None:
            state = world.things.plans[bed].sleep_state
            world.things.put(world.log, bed, state or "", i)
        world.asleep[i], world.bed[i] = True, -1 if bed is None else bed
        world.doing[i], world.emoji[i] = ASLEEP_DOING, ASLEEP_EMOJI
    for i in np.flatnonzero(world.present).tolist():
        world.announce(i, "start")
