"""Fit a drawn map to its scenario.

All kinds of maps pass the same checks here. Arenas have the numbers of `TownPlan.arenas`; the
ground of sectors comes after them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.faults import Fault, Loc, quote, suggest
from genagents_env.scenario.maps.ascii import FLOOR, read_ascii
from genagents_env.scenario.maps.drawn import DrawnMap, DrawnObject, DrawnSpawn, Grid, Tile
from genagents_env.scenario.maps.grid import is_grid, read_grid
from genagents_env.scenario.plan import OUTSIDE, SpawnPlan
from genagents_env.scenario.schema import ObjectSpec, Scenario, SpawnSpec
from genagents_env.scenario.schema.scenario import ArenaContent, arenas_of, objects_of, spawns_of

Tiles = dict[Loc, tuple[Tile, ...]]


@dataclass(slots=True)
class FittedMap:
    """The tiles of a town, with what of the scenario stands on which.

    Attributes:
        grid: the tiles; objects that cannot be stood on are not blocked yet.
        tiles: of the objects whose tiles are known, by their place in the scenario.
        grounds: the sectors, by index, that have ground outside their arenas, in the order of the
            numbers that follow those of the arenas.
        spawns: as in a `TownPlan`.
    """

    grid: Grid
    tiles: Tiles = field(default_factory=dict)
    grounds: tuple[int, ...] = ()
    spawns: tuple[SpawnPlan, ...] = ()


def read_map(scenario: Scenario) -> tuple[FittedMap | None, list[Fault]]:
    """Read `scenario.map` and fit it; None if it has no tiles; return all faults too."""
    text = scenario.map or ""
    drawn, faults = read_grid(text) if is_grid(text) else read_ascii(scenario)
    if drawn is None:
        return None, faults
    fitted, more = fit_map(scenario, drawn)
    return fitted, faults + more


def fit_map(scenario: Scenario, drawn: DrawnMap) -> tuple[FittedMap, list[Fault]]:
    """Return the tiles of a town from a map and its scenario, and the faults of both."""
    numbers, grounds, faults = _number_places(scenario, drawn)
    blocked = drawn.grid.blocked
    arena = np.where(blocked, np.int32(OUTSIDE), numbers[drawn.grid.arena])
    grid = Grid(blocked.copy(), arena, list(drawn.grid.doors))
    objects = {item.id: item for item in objects_of(scenario)}
    spawns = {spawn.id: spawn for spawn in spawns_of(scenario)}
    faults += _find_strangers("object", drawn.objects, [*objects])
    faults += _find_strangers("spawn", drawn.spawns, [*spawns])
    tiles, misplaced = _fix_objects(objects.values(), grid, drawn)
    starts, lost = _fix_spawns(spawns.values(), grid, drawn)
    return FittedMap(grid, tiles, grounds, starts), faults + misplaced + lost


def _number_places(
    scenario: Scenario, drawn: DrawnMap
) -> tuple[npt.NDArray[np.int32], tuple[int, ...], list[Fault]]:
    """Return the arena's number of each place of the map, the sectors with ground, and faults."""
    numbers = np.full(len(drawn.places) + 1, OUTSIDE, np.int32)
    grounds: list[int] = []
    faults: list[Fault] = []
    arenas = {arena.id: arena.number for arena in arenas_of(scenario)}
    sectors = {sector.name: i for i, sector in enumerate(scenario.sectors)}
    open_places = set(np.unique(drawn.grid.arena[~drawn.grid.blocked]).tolist())
    for n, id_ in enumerate(drawn.places, 1):
        if id_ in arenas:
            numbers[n] = arenas[id_]
        elif id_ not in sectors:
            text = f"no place {quote(id_)} in scenario.toml; {suggest(id_, [*arenas, *sectors])}"
            faults.append(Fault(("map", "places"), text))
        elif n in open_places:
            grounds.append(sectors[id_])
            numbers[n] = OUTSIDE + len(arenas) + len(grounds)
    return numbers, tuple(grounds), faults


def _fix_objects(
    objects: Iterable[ArenaContent[ObjectSpec]], grid: Grid, drawn: DrawnMap
) -> tuple[Tiles, list[Fault]]:
    """Return the tiles of objects that the map or the scenario names, and the faults."""
    fixed: Tiles = {}
    owner: dict[Tile, str] = {}
    faults: list[Fault] = []
    in_map = {item.id: item for item in drawn.objects}
    for id_, number, loc, spec in objects:
        item, where = in_map.get(id_), (*loc, "tiles" if spec.tiles else "at")
        own = spec.tiles or ((spec.at,) if spec.at is not None else ())
        tiles = own or (item.tiles if item is not None else ())
        if own and (item is not None or (spec.tiles and spec.at is not None)):
            text = "its tiles are said twice; leave all but one of map, `at` and `tiles` out"
        elif item is not None:
            where, text = item.where or ("map", id_), _find_fault(grid, number, tiles)
        else:
            text = _find_outside(grid, tiles) or _find_fault(grid, number, tiles)
        taken = next((tile for tile in tiles if tile in owner), None)
        if not text and taken is not None:
            text = f"its tile {list(taken)} already holds {quote(owner[taken])}"
        if text:
            faults.append(Fault(where, text))
        elif tiles:
            fixed[loc] = tiles
            owner.update(dict.fromkeys(tiles, spec.name))
            for x, y in tiles:
                grid.arena[y, x] = number
    return fixed, faults


def _find_strangers(
    kind: str, parts: Iterable[DrawnObject | DrawnSpawn], known: list[str]
) -> Iterator[Fault]:
    """Reject objects or spawns of a map that the scenario does not have."""
    for part in parts:
        if part.id not in known:
            text = f"no {kind} {quote(part.id)} in scenario.toml; {suggest(part.id, known)}"
            yield Fault(part.where or ("map", f"{kind}s"), text)


def _find_outside(grid: Grid, tiles: tuple[Tile, ...]) -> str:
    """Return the fault of tiles that the scenario lists, all of which are floor, or ""."""
    for x, y in tiles:
        if not grid.holds((x, y)):
            return f"{[x, y]} lies outside the map, which is {grid.width} x {grid.height}"
        if grid.blocked[y, x]:
            return f"{[x, y]} is a wall; {FLOOR}"
    return ""


def _find_fault(grid: Grid, arena: int, tiles: tuple[Tile, ...]) -> str:
    """Return the fault of an object's tiles, or "".

    An object may be on closed tiles, such as a wall, if its arena is beside it.
    """
    for x, y in tiles:
        if (x, y) in grid.doors:
            return f"{[x, y]} is a door; {FLOOR}"
        if not grid.blocked[y, x] and grid.arena[y, x] != arena:
            return f"{[x, y]} lies outside its arena; {FLOOR}"
    if tiles and not list_standing_tiles(grid, arena, tiles):
        return f"nobody can stand at {list(tiles[0])} or beside it in its arena; {FLOOR}"
    return ""


def list_standing_tiles(grid: Grid, arena: int, tiles: tuple[Tile, ...]) -> list[Tile]:
    """Return the free tiles of an arena from which one uses what stands on `tiles`."""
    around = dict.fromkeys(near for tile in tiles for near in (tile, *grid.beside(tile)))
    return [(x, y) for x, y in around if grid.arena[y, x] == arena and not grid.blocked[y, x]]


def _fix_spawns(
    specs: Iterable[ArenaContent[SpawnSpec]], grid: Grid, drawn: DrawnMap
) -> tuple[tuple[SpawnPlan, ...], list[Fault]]:
    spawns: list[SpawnPlan] = []
    faults: list[Fault] = []
    in_map = {spawn.id: spawn for spawn in drawn.spawns}
    for id_, number, loc, spec in specs:
        spawn, where = in_map.get(id_), (*loc, "at")
        tile = spec.at if spawn is None else spawn.tile
        if spawn is not None:
            where = spawn.where or ("map", id_)
        if tile is None:
            text = "missing; a spawn is a tile, named here or drawn in the map"
        elif spec.at is not None and spawn is not None:
            text = "its tile is said twice; leave `at` out, or do not draw it"
        elif not grid.holds(tile):
            text = f"{list(tile)} lies outside the map, which is {grid.width} x {grid.height}"
        elif grid.blocked[tile[1], tile[0]] or grid.arena[tile[1], tile[0]] != number:
            text = f"{list(tile)} is no free tile of its arena; a spawn is one"
        else:
            spawns.append(SpawnPlan(id_, number, tile))
            continue
        faults.append(Fault(where, text))
    return tuple(spawns), faults
