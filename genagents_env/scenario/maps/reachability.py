"""Check that everything in a town can be walked to from the first person's start."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.faults import Fault, quote
from genagents_env.scenario.maps.drawn import Grid, Tile, split_parts
from genagents_env.scenario.maps.fitting import FittedMap, list_standing_tiles
from genagents_env.scenario.plan import OUTSIDE, ObjectPlan, find_tile
from genagents_env.scenario.schema import Scenario
from genagents_env.scenario.schema.scenario import arenas_of, objects_of

# Of an arena's tiles, up to so many may be sealed by how its walls and furniture are drawn, such
# as corners; if they are more, a door was forgotten.
SEALED_SHARE = 0.25

Parts = npt.NDArray[np.int32]


def close_unreachable(
    scenario: Scenario, fitted: FittedMap, objects: Sequence[ObjectPlan]
) -> tuple[tuple[Tile, ...], list[Fault]]:
    """Close tiles that cannot be reached; return those of arenas among them, and all faults.

    Open ground and the ground of sectors are closed silently. A small part of an arena is closed
    too; an arena that cannot be reached, or a large part of it, is a fault. So is an object that
    one can neither stand on nor beside, and a tile named for a start that is not free.
    """
    grid = fitted.grid
    parts = _number_parts(grid)
    main = _find_main_part(scenario, fitted, parts)
    if main is None:
        return (), []
    cut = (parts > 0) & (parts != main)
    inside = (grid.arena > OUTSIDE) & (grid.arena <= sum(1 for _ in arenas_of(scenario)))
    faults = list(_find_cut_arenas(scenario, grid, cut & inside, inside & (parts > 0)))
    if faults:
        grid.blocked |= cut & ~inside
        sealed: list[Tile] = []
    else:
        grid.blocked |= cut
        sealed = [(x, y) for y, x in np.argwhere(cut & inside).tolist()]
        faults += _find_idle_objects(scenario, grid, objects)
    grid.doors = [(x, y) for x, y in grid.doors if not grid.blocked[y, x]]
    faults += _check_tiles(scenario, fitted)
    return tuple(sealed), faults


def _number_parts(grid: Grid) -> Parts:
    """Number the connected parts of the town, tile by tile; 0 for closed tiles.

    Sideways steps are enough: diagonal ones reach no more.
    """
    numbers: Parts = np.zeros(grid.blocked.shape, np.int32)
    free = [(x, y) for y, x in np.argwhere(~grid.blocked).tolist()]
    for number, part in enumerate(split_parts(free), 1):
        columns, rows = zip(*part, strict=True)
        numbers[rows, columns] = number
    return numbers


def find_full_arenas(scenario: Scenario, grid: Grid) -> list[Fault]:
    """Reject arenas without a tile to stand on."""
    free = set(np.unique(grid.arena[~grid.blocked]).tolist())
    text = "the map has no tile of this arena on which one can stand; draw it, or leave one free"
    return [Fault(arena.loc, text) for arena in arenas_of(scenario) if arena.number not in free]


def _find_main_part(scenario: Scenario, fitted: FittedMap, parts: Parts) -> int | None:
    """Return the part of the town in which the first person starts, or None."""
    grid, person = fitted.grid, scenario.people[0]
    start = person.start or person.home
    tile = find_tile(start, fitted.spawns)
    if tile is not None:
        if grid.holds(tile) and parts[tile[1], tile[0]]:
            return int(parts[tile[1], tile[0]])
        start = person.home
    inside = (grid.arena > OUTSIDE) & (parts > 0)
    here = [
        arena.number
        for arena in arenas_of(scenario)
        if f"{start}/".startswith(f"{arena.id}/") or arena.id.startswith(f"{start}/")
    ]
    home = parts[inside & np.isin(grid.arena, here)] if here else parts[parts > 0]
    return int(np.bincount(home).argmax()) if home.size else None


def _find_cut_arenas(
    scenario: Scenario, grid: Grid, cut: npt.NDArray[np.bool_], inside: npt.NDArray[np.bool_]
) -> Iterator[Fault]:
    person = scenario.people[0]
    start = person.start or person.home
    arenas = list(arenas_of(scenario))
    losses = np.bincount(grid.arena[cut], minlength=len(arenas) + 1)
    wholes = np.bincount(grid.arena[inside], minlength=len(arenas) + 1)
    for arena in arenas:
        lost, whole = losses[arena.number], wholes[arena.number]
        if lost > SEALED_SHARE * whole:
            much = "it" if lost == whole else f"{lost} of its tiles"
            text = f"there is no way to {much} from {quote(start)}, where {person.name} starts"
            yield Fault(arena.loc, f"{text}; open a door")


def _find_idle_objects(
    scenario: Scenario, grid: Grid, objects: Sequence[ObjectPlan]
) -> Iterator[Fault]:
    """Reject objects that nobody can use, since no tile of their arena beside them is free."""
    plans = iter(objects)
    plan = next(plans, None)
    for _, index, loc, item in objects_of(scenario):
        if plan is None or (plan.arena, plan.name) != (index, item.name):
            continue  # it has found no tile, which is a fault already
        if not list_standing_tiles(grid, index, plan.tiles):
            text = f"nobody can stand at {list(plan.tile)} or beside it in its arena"
            yield Fault(loc, f"{text}; leave a tile free from which it is used")
        plan = next(plans, None)


def _check_tiles(scenario: Scenario, fitted: FittedMap) -> Iterator[Fault]:
    """Reject start tiles on which nobody can stand, or that the person may not enter."""
    grid = fitted.grid
    for i, person in enumerate(scenario.people):
        tile = find_tile(person.start or "", fitted.spawns)
        if tile is None:
            continue
        if not grid.holds(tile):
            size = f"{grid.width} x {grid.height}"
            yield Fault(
                ("people", i, "start"), f"{list(tile)} lies outside the map, which is {size}"
            )
        elif grid.blocked[tile[1], tile[0]]:
            text = f"{list(tile)} is a wall, or there is no way to it; name a tile that is free"
            yield Fault(("people", i, "start"), text)
        elif barred := _find_private_part(scenario, fitted, tile, person.name):
            text = f"{person.name} is not among the users of {quote(barred)}; add the name there"
            yield Fault(("people", i, "start"), text)


def _find_private_part(scenario: Scenario, fitted: FittedMap, tile: Tile, name: str) -> str:
    """Return the sector or the arena of a tile that a person may not enter, empty if none."""
    rooms = [(arena.sector, arena.spec) for arena in arenas_of(scenario)]
    number = int(fitted.grid.arena[tile[1], tile[0]]) - OUTSIDE - 1
    if number < 0:
        return ""
    if number >= len(rooms):
        sector = scenario.sectors[fitted.grounds[number - len(rooms)]]
        return sector.name if sector.users and name not in sector.users else ""
    return next((part.name for part in rooms[number] if part.users and name not in part.users), "")
