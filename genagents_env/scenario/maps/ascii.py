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
from typing import NamedTuple

from genagents_env.scenario.faults import Fault, Loc, choices, quote
from genagents_env.scenario.maps.drawn import (
    DrawnMap,
    DrawnObject,
    DrawnSpawn,
    Grid,
    Tile,
    split_parts,
)
from genagents_env.scenario.plan import OUTSIDE
from genagents_env.scenario.schema import SIDE_LIMIT, Scenario
from genagents_env.scenario.schema.scenario import arenas_of

WALL, GROUND, DOOR, NOTHING = "#", ".", "+", " "
_FIXED = WALL + GROUND + DOOR + NOTHING
FLOOR = "an object stands on the floor of its arena"


class _Meaning(NamedTuple):
    """The meaning of a symbol; `place` is the number of the place that its tiles belong to."""

    kind: str
    loc: Loc
    symbol: str | None
    id: str
    place: int


def read_ascii(scenario: Scenario) -> tuple[DrawnMap | None, list[Fault]]:
    """Read the map drawn in `scenario.map`; None if it has no size; return its faults too."""
    lines = [line.rstrip() for line in (scenario.map or "").removesuffix("\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    width, height = max(map(len, lines), default=0), len(lines)
    if not width or max(width, height) > SIDE_LIMIT:
        allowed = f"from 1 x 1 to {SIDE_LIMIT} x {SIDE_LIMIT} are allowed"
        text = f"it has {width} x {height} tiles; {allowed}"
        return None, [Fault(("map", "size"), text)]
    meanings = list(_list_meanings(scenario))
    symbols, faults = _read_legend(meanings)
    spots: dict[str, list[Tile]] = {}
    for y, line in enumerate(lines):
        for x, char in enumerate(line.ljust(width)):
            spots.setdefault(char, []).append((x, y))
    grid = Grid.empty(width, height)
    for char, tiles in spots.items():
        rows, columns = [y for _, y in tiles], [x for x, _ in tiles]
        if char in symbols:
            grid.arena[rows, columns] = symbols[char].place
        elif char in (WALL, NOTHING):
            grid.blocked[rows, columns] = True
        elif char not in _FIXED:
            faults.append(_refuse_symbol(char, *tiles[0], symbols))
    open_doors(grid, spots.get(DOOR, []))
    drawn = {meaning.loc: spots[char] for char, meaning in symbols.items() if char in spots}
    faults += _find_undrawn(meanings, drawn)
    objects, spawns, misdrawn = _collect(meanings, drawn, grid)
    ids = {m.place: m.id for m in meanings if m.kind in ("sector", "arena")}
    places = tuple(ids[place] for place in sorted(ids))
    return DrawnMap(grid, places, objects, spawns), faults + misdrawn


def _refuse_symbol(char: str, x: int, y: int, symbols: Mapping[str, _Meaning]) -> Fault:
    what = quote(char) if char.isprintable() else f"U+{ord(char):04X}, which nobody sees"
    marks = [mark for mark in (*_FIXED, *symbols) if mark != NOTHING]
    shown = "a tab is no blank" if char == "\t" else f"unknown symbol {what}"
    text = f"{shown}; allowed: blanks, {choices(marks, 40)}"
    return Fault(("map", f"line {y + 1}", f"column {x + 1}"), text)


def _read_legend(meanings: list[_Meaning]) -> tuple[dict[str, _Meaning], list[Fault]]:
    """Map symbols to their meanings; return the faults of others too."""
    symbols: dict[str, _Meaning] = {}
    faults: list[Fault] = []
    for meaning in meanings:
        symbol, text = meaning.symbol, ""
        if symbol is None:
            if meaning.kind == "arena":
                text = "missing; with a map.txt every arena has a symbol, one character"
        elif symbol in _FIXED or not symbol.isprintable():
            text = f"{quote(symbol)} already means something in a map, or nothing; take another"
        elif symbol in symbols:
            text = f"{quote(symbol)} is used twice; every symbol stands for one thing"
        else:
            symbols[symbol] = meaning
        if text:
            faults.append(Fault((*meaning.loc, "symbol"), text))
    return symbols, faults


def _list_meanings(scenario: Scenario) -> Iterator[_Meaning]:
    """Yield the meanings of all symbols, in the scenario's order.

    Sectors have the lower numbers, so that a door between a room and a corridor is the room's.
    """
    grounds = [i for i, sector in enumerate(scenario.sectors) if sector.symbol is not None]
    for arena in arenas_of(scenario):
        loc, sector, place = arena.loc, arena.sector, len(grounds) + arena.number
        if loc[1] in grounds and loc[-1] == 0:  # the first of its sector
            ground = grounds.index(loc[1]) + 1
            yield _Meaning("sector", loc[:2], sector.symbol, sector.name, ground)
        yield _Meaning("arena", loc, arena.spec.symbol, arena.id, place)
        for item in arena.list_parts("objects", arena.spec.objects):
            yield _Meaning("object", item.loc, item.spec.symbol, item.id, place)
        for spawn in arena.list_parts("spawns", arena.spec.spawns):
            yield _Meaning("spawn", spawn.loc, spawn.spec.symbol, spawn.id, place)


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


def _find_undrawn(meanings: list[_Meaning], drawn: Mapping[Loc, list[Tile]]) -> Iterator[Fault]:
    """Reject symbols that are declared and not drawn."""
    for meaning in meanings:
        if meaning.symbol is not None and meaning.loc not in drawn:
            what = "this arena" if meaning.kind == "arena" else "it once"
            text = f"{quote(meaning.symbol)} does not occur in map.txt; draw {what}"
            yield Fault((*meaning.loc, "symbol"), text)


def _collect(
    meanings: list[_Meaning], drawn: Mapping[Loc, list[Tile]], grid: Grid
) -> tuple[tuple[DrawnObject, ...], tuple[DrawnSpawn, ...], list[Fault]]:
    """Return the objects and spawns that are drawn, and the faults of others."""
    objects: list[DrawnObject] = []
    spawns: list[DrawnSpawn] = []
    faults: list[Fault] = []
    for meaning in meanings:
        where, tiles = (*meaning.loc, "symbol"), drawn.get(meaning.loc, [])
        if meaning.kind == "object" and tiles:
            text = _find_misdrawn(meaning.place, tiles, grid)
            if text:
                faults.append(Fault(where, text))
            else:
                objects.append(DrawnObject(meaning.id, tuple(tiles), where))
        elif meaning.kind == "spawn" and len(tiles) == 1:
            spawns.append(DrawnSpawn(meaning.id, tiles[0], where))
        elif meaning.kind == "spawn" and tiles:
            faults.append(Fault(where, f"it is drawn {len(tiles)} times; a spawn is one tile"))
    return tuple(objects), tuple(spawns), faults


def _find_misdrawn(place: int, tiles: list[Tile], grid: Grid) -> str:
    """Return the fault of an object, whose tiles touch and lie beside its arena's floor, or ""."""
    parts = len(split_parts(tiles, diagonal=True))
    if parts > 1:
        how = "tiles that touch, or its `tiles` are listed"
        return f"it is drawn {parts} times; an object stands on {how}"
    beside = {near for tile in tiles for near in grid.beside(tile)}.difference(tiles)
    if not any(grid.arena[y, x] == place and not grid.blocked[y, x] for x, y in beside):
        return f"{list(tiles[0])} lies outside its arena; {FLOOR}"
    return ""
