"""A town drawn in characters: `map.txt`, one character a tile.

    `#`  wall                          `.`  open ground between the buildings
    `+`  door                          ` `  nothing: nobody can stand there
    any other character: the floor of the arena, the ground of the sector outside its arenas, or
    the object or the spawn, whose `symbol` it is

A door belongs to the arena beside it; between two arenas, to the one listed later in the scenario,
since the way in is listed first. An object's tiles belong to its arena. Short lines are filled
with blanks on the right; blank lines at the end are dropped. Open ground that cannot be reached
counts as nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from genagents_env.scenario.faults import Fault, Loc, choices, quote
from genagents_env.scenario.maps.drawn import DrawnMap, DrawnObject, DrawnSpawn, Grid, Tile
from genagents_env.scenario.plan import OUTSIDE, name_arena
from genagents_env.scenario.schema import (
    SIDE_LIMIT,
    ArenaSpec,
    ObjectSpec,
    Scenario,
    SectorSpec,
    SpawnSpec,
)

WALL, GROUND, DOOR, NOTHING = "#", ".", "+", " "
_FIXED = WALL + GROUND + DOOR + NOTHING
FLOOR = "an object stands on the floor of its arena"
_TOUCHING = np.ones((3, 3), np.bool_)

_Spec = SectorSpec | ArenaSpec | ObjectSpec | SpawnSpec


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a symbol stands for: `place` is the number of the place that its tiles belong to."""

    loc: Loc
    id: str
    place: int
    spec: _Spec


def read_ascii(scenario: Scenario) -> tuple[DrawnMap | None, list[Fault]]:
    """Return the map drawn in `scenario.map`, None where there is none, and what is wrong in it."""
    lines = [line.rstrip() for line in (scenario.map or "").removesuffix("\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    width, height = max(map(len, lines), default=0), len(lines)
    if not width or max(width, height) > SIDE_LIMIT:
        allowed = f"from 1 x 1 to {SIDE_LIMIT} x {SIDE_LIMIT} are allowed"
        text = f"it has {width} x {height} tiles; {allowed}"
        return None, [Fault(("map", "size"), text)]
    meanings = list(_list_meanings(scenario))
    symbols, faults = _legend(meanings)
    grid = Grid.empty(width, height)
    drawn: dict[Loc, list[Tile]] = {}
    doors: list[Tile] = []
    unknown: dict[str, Tile] = {}
    for y, line in enumerate(lines):
        for x, char in enumerate(line.ljust(width)):
            meaning = symbols.get(char)
            if meaning is not None:
                grid.arena[y, x] = meaning.place
                drawn.setdefault(meaning.loc, []).append((x, y))
            elif char == DOOR:
                doors.append((x, y))
            elif char in (WALL, NOTHING):
                grid.blocked[y, x] = True
            elif char != GROUND:
                unknown.setdefault(char, (x, y))
    faults += [_unknown(char, x, y, symbols) for char, (x, y) in unknown.items()]
    open_doors(grid, doors)
    faults += _find_undrawn(meanings, drawn)
    objects, misdrawn = _collect_objects(meanings, drawn, grid)
    spawns, misplaced = _collect_spawns(meanings, drawn)
    return DrawnMap(
        closed=grid.blocked,
        place=grid.arena.astype(np.int32),
        places=_list_places(meanings),
        objects=tuple(objects),
        doors=tuple(grid.doors),
        spawns=tuple(spawns),
    ), faults + misdrawn + misplaced


def _unknown(char: str, x: int, y: int, symbols: Mapping[str, _Meaning]) -> Fault:
    marks = [mark for mark in (*_FIXED, *symbols) if mark != NOTHING]
    text = f"unknown symbol {quote(char)}; allowed: blanks, {choices(marks, 40)}"
    return Fault(("map", f"line {y + 1}", f"column {x + 1}"), text)


def _legend(meanings: list[_Meaning]) -> tuple[dict[str, _Meaning], list[Fault]]:
    symbols: dict[str, _Meaning] = {}
    faults: list[Fault] = []
    for meaning in meanings:
        loc, symbol = (*meaning.loc, "symbol"), meaning.spec.symbol
        if symbol is None:
            if isinstance(meaning.spec, ArenaSpec):
                text = "missing; with a map.txt every arena has a symbol, one character"
                faults.append(Fault(loc, text))
        elif symbol in _FIXED or not symbol.isprintable():
            text = f"{quote(symbol)} already means something in a map, or nothing; take another"
            faults.append(Fault(loc, text))
        elif symbol in symbols:
            text = f"{quote(symbol)} is used twice; every symbol stands for one thing"
            faults.append(Fault(loc, text))
        else:
            symbols[symbol] = meaning
    return symbols, faults


def _list_meanings(scenario: Scenario) -> Iterator[_Meaning]:
    """Yield all that may have a symbol, in the scenario's order.

    Sectors have the lower numbers, so that a door between a room and a corridor is the room's.
    """
    ground, arena = 0, sum(sector.symbol is not None for sector in scenario.sectors)
    for i, sector in enumerate(scenario.sectors):
        if sector.symbol is not None:
            ground += 1
            yield _Meaning(("sectors", i), sector.name, ground, sector)
        for j, room in enumerate(sector.arenas):
            arena += 1
            loc: Loc = ("sectors", i, "arenas", j)
            id_ = name_arena(sector.name, room.name)
            yield _Meaning(loc, id_, arena, room)
            for k, item in enumerate(room.objects):
                yield _Meaning((*loc, "objects", k), f"{id_}/{item.name}", arena, item)
            for k, spawn in enumerate(room.spawns):
                yield _Meaning((*loc, "spawns", k), f"{id_}/{spawn.name}", arena, spawn)


def _list_places(meanings: list[_Meaning]) -> tuple[str, ...]:
    """Return the ids of sectors and arenas by their numbers."""
    ids = {m.place: m.id for m in meanings if isinstance(m.spec, SectorSpec | ArenaSpec)}
    return tuple(ids[place] for place in sorted(ids))


def open_doors(grid: Grid, doors: list[Tile]) -> None:
    """Give each door to an arena beside it; doors in a row pass it on to each other."""
    pending, solid = doors, set(doors)
    while pending:
        owners = {}
        for tile in pending:
            near = [side for side in grid.beside(tile) if side not in solid]
            owners[tile] = max((int(grid.arena[y, x]) for x, y in near), default=OUTSIDE)
        done = [tile for tile in pending if owners[tile]] or pending
        for tile in done:
            grid.add_door(tile, owners[tile])
        solid -= set(done)
        pending = [tile for tile in pending if tile in solid]
    grid.doors.sort(key=lambda tile: (tile[1], tile[0]))


def _find_undrawn(meanings: list[_Meaning], drawn: Mapping[Loc, list[Tile]]) -> list[Fault]:
    """Return a fault for each symbol that is declared and not drawn."""
    faults = []
    for meaning in meanings:
        symbol = meaning.spec.symbol
        if symbol is None or meaning.loc in drawn:
            continue
        text = f"{quote(symbol)} does not occur in map.txt; draw "
        text += "this arena" if isinstance(meaning.spec, ArenaSpec) else "it once"
        faults.append(Fault((*meaning.loc, "symbol"), text))
    return faults


def _collect_objects(
    meanings: list[_Meaning], drawn: Mapping[Loc, list[Tile]], grid: Grid
) -> tuple[list[DrawnObject], list[Fault]]:
    objects: list[DrawnObject] = []
    faults: list[Fault] = []
    for meaning in meanings:
        if not isinstance(meaning.spec, ObjectSpec) or meaning.loc not in drawn:
            continue
        where, tiles = (*meaning.loc, "symbol"), drawn[meaning.loc]
        parts = _count_parts(grid, tiles)
        if parts > 1:
            how = "tiles that touch, or its `tiles` are listed"
            faults.append(Fault(where, f"it is drawn {parts} times; an object stands on {how}"))
        elif not _touches_floor(grid, meaning.place, tiles):
            faults.append(Fault(where, f"{list(tiles[0])} lies outside its arena; {FLOOR}"))
        else:
            objects.append(DrawnObject(meaning.id, tuple(tiles), where))
    return objects, faults


def _count_parts(grid: Grid, tiles: list[Tile]) -> int:
    marked = np.zeros_like(grid.blocked)
    for x, y in tiles:
        marked[y, x] = True
    return int(ndimage.label(marked, _TOUCHING)[1])


def _touches_floor(grid: Grid, place: int, tiles: list[Tile]) -> bool:
    """Return whether the arena goes on beside what is drawn on these tiles."""
    beside = {near for tile in tiles for near in grid.beside(tile)}.difference(tiles)
    return any(grid.arena[y, x] == place and not grid.blocked[y, x] for x, y in beside)


def _collect_spawns(
    meanings: list[_Meaning], drawn: Mapping[Loc, list[Tile]]
) -> tuple[list[DrawnSpawn], list[Fault]]:
    spawns: list[DrawnSpawn] = []
    faults: list[Fault] = []
    for meaning in meanings:
        if isinstance(meaning.spec, SpawnSpec) and meaning.loc in drawn:
            where, tiles = (*meaning.loc, "symbol"), drawn[meaning.loc]
            if len(tiles) > 1:
                faults.append(Fault(where, f"it is drawn {len(tiles)} times; a spawn is one tile"))
            else:
                spawns.append(DrawnSpawn(meaning.id, tiles[0], where))
    return spawns, faults
