"""A town drawn in characters: `map.txt`, one character a tile.

    `#`  wall                          `.`  open ground between the buildings
    `+`  door                          ` `  nothing: nobody can stand there
    any other character: the floor of the arena, or the object, whose `symbol` it is

A door belongs to the arena beside it; between two arenas, to the one listed later in the scenario,
since the way in is listed first. An object's tile belongs to its arena. Short lines are filled
with blanks on the right; blank lines at the end are dropped. Open ground that cannot be reached
counts as nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from genagents_env.scenario.faults import Fault, Loc, choices, quote
from genagents_env.scenario.grid import Grid, Tile
from genagents_env.scenario.plan import OUTSIDE
from genagents_env.scenario.schema import SIDE_LIMIT, ArenaSpec, ObjectSpec, Scenario

WALL, GROUND, DOOR, NOTHING = "#", ".", "+", " "
_FIXED = WALL + GROUND + DOOR + NOTHING


@dataclass(frozen=True, slots=True)
class _Meaning:
    loc: Loc
    arena: int
    is_object: bool


def read_map(scenario: Scenario) -> tuple[Grid | None, dict[Loc, Tile], list[Fault]]:
    """Return the tiles drawn in `scenario.map`, the tiles of objects by their place, and faults."""
    lines = [line.rstrip() for line in (scenario.map or "").removesuffix("\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    width, height = max(map(len, lines), default=0), len(lines)
    if not width or max(width, height) > SIDE_LIMIT:
        allowed = f"from 1 x 1 to {SIDE_LIMIT} x {SIDE_LIMIT} are allowed"
        text = f"it has {width} x {height} tiles; {allowed}"
        return None, {}, [Fault(("map", "size"), text)]
    symbols, faults = _legend(scenario)
    grid = Grid.empty(width, height)
    drawn: dict[Loc, list[Tile]] = {}
    doors: list[Tile] = []
    unknown: dict[str, Tile] = {}
    for y, line in enumerate(lines):
        for x, char in enumerate(line.ljust(width)):
            meaning = symbols.get(char)
            if meaning is not None:
                grid.arena[y, x] = meaning.arena
                drawn.setdefault(meaning.loc, []).append((x, y))
            elif char == DOOR:
                doors.append((x, y))
            elif char in (WALL, NOTHING):
                grid.blocked[y, x] = True
            elif char != GROUND:
                unknown.setdefault(char, (x, y))
    faults += [_unknown(char, x, y, symbols) for char, (x, y) in unknown.items()]
    _open_doors(grid, doors)
    fixed, misplaced = _fix_objects(scenario, grid, drawn)
    return grid, fixed, faults + _missing_arenas(scenario, drawn) + misplaced


def _unknown(char: str, x: int, y: int, symbols: Mapping[str, _Meaning]) -> Fault:
    text = f"unknown symbol {quote(char)}; allowed: {choices([*_FIXED, *symbols], 40)}"
    return Fault(("map", f"line {y + 1}", f"column {x + 1}"), text)


def _legend(scenario: Scenario) -> tuple[dict[str, _Meaning], list[Fault]]:
    symbols: dict[str, _Meaning] = {}
    faults: list[Fault] = []
    for loc, index, place in _list_symbols(scenario):
        if place.symbol is None:
            if isinstance(place, ArenaSpec):
                text = "missing; with a map.txt every arena has a symbol, one character"
                faults.append(Fault((*loc, "symbol"), text))
        elif place.symbol in _FIXED or not place.symbol.isprintable():
            text = (
                f"{quote(place.symbol)} already means something in a map, or nothing; take another"
            )
            faults.append(Fault((*loc, "symbol"), text))
        elif place.symbol in symbols:
            text = f"{quote(place.symbol)} is used twice; every symbol stands for one thing"
            faults.append(Fault((*loc, "symbol"), text))
        else:
            symbols[place.symbol] = _Meaning(loc, index, isinstance(place, ObjectSpec))
    return symbols, faults


def _list_symbols(scenario: Scenario) -> list[tuple[Loc, int, ArenaSpec | ObjectSpec]]:
    places: list[tuple[Loc, int, ArenaSpec | ObjectSpec]] = []
    index = OUTSIDE
    for i, sector in enumerate(scenario.sectors):
        for j, arena in enumerate(sector.arenas):
            index += 1
            loc: Loc = ("sectors", i, "arenas", j)
            places.append((loc, index, arena))
            places += [((*loc, "objects", k), index, o) for k, o in enumerate(arena.objects)]
    return places


def _open_doors(grid: Grid, doors: list[Tile]) -> None:
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


def _missing_arenas(scenario: Scenario, drawn: Mapping[Loc, list[Tile]]) -> list[Fault]:
    return [
        Fault((*loc, "symbol"), f"{quote(place.symbol)} does not occur in map.txt; draw this arena")
        for loc, _, place in _list_symbols(scenario)
        if isinstance(place, ArenaSpec) and place.symbol is not None and loc not in drawn
    ]


def _fix_objects(
    scenario: Scenario, grid: Grid, drawn: Mapping[Loc, list[Tile]]
) -> tuple[dict[Loc, Tile], list[Fault]]:
    fixed: dict[Loc, Tile] = {}
    owner: dict[Tile, str] = {}
    faults: list[Fault] = []
    for loc, index, item in _list_symbols(scenario):
        if not isinstance(item, ObjectSpec) or (item.symbol is None and item.at is None):
            continue
        key, tiles = "symbol", drawn.get(loc, [])
        if item.at is not None:
            key, tiles = "at", [item.at, *tiles]
        text = _find_fault(item, index, grid, tiles)
        if not text and tiles[0] in owner:
            text = f"its tile {list(tiles[0])} already holds {quote(owner[tiles[0]])}"
        if text:
            faults.append(Fault((*loc, key), text))
        else:
            fixed[loc], owner[tiles[0]] = tiles[0], item.name
    return fixed, faults


def _find_fault(item: ObjectSpec, arena: int, grid: Grid, tiles: list[Tile]) -> str:
    """Return what is wrong with where an object stands, or nothing."""
    if not tiles:
        return f"{quote(item.symbol)} does not occur in map.txt; draw it once"
    if len(tiles) > 1:
        return f"it is drawn {len(tiles)} times; an object stands on one tile"
    x, y = tiles[0]
    if not grid.holds((x, y)):
        return f"{[x, y]} lies outside the map, which is {grid.width} x {grid.height}"
    if grid.blocked[y, x]:
        return f"{[x, y]} is a wall; an object stands on the floor of its arena"
    if (x, y) in grid.doors:
        return f"{[x, y]} is a door; an object stands on the floor of its arena"
    near = grid.beside((x, y)) if item.at is None else [(x, y)]
    if not any(grid.arena[b, a] == arena and not grid.blocked[b, a] for a, b in near):
        return f"{[x, y]} lies outside its arena; an object stands on the floor of its arena"
    return ""
