"""The files of a map in matrices: one number a tile in each, and lists of what the numbers mean.

    maze_meta_info.json                       maze_width, maze_height
    maze/NAME_maze.csv                        numbers, row by row; line ends mean nothing
    special_blocks/NAME_blocks.csv            number, world, sector, arena, name

The layout is that of `environment/frontend_server/static_dirs/assets/the_ville/matrix` in the
repository joonspk-research/generative_agents.
"""

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env.errors import FileError, ScenarioError
from genagents_env.files import read_text
from genagents_env.scenario.faults import Loc, choices, quote
from genagents_env.scenario.fields import NAME_LIMIT
from genagents_env.scenario.maps.drawn import DrawnMap, DrawnObject, DrawnSpawn, Tile
from genagents_env.scenario.schema import SIDE_LIMIT
from genagents_env.text import clean

META = "maze_meta_info.json"
# What each layer is called in the names of its two files, and how many names a line of its list
# has after the number. The numbers of the collision layer mean nothing but "closed".
LEGENDS = {"sector": 2, "arena": 3, "game_object": 3, "spawning_location": 4}
COLLISION = "collision"
_LIMIT = 8 << 20  # bytes of a file
_MANY = 100  # faults
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.0*)?")

Matrix = npt.NDArray[np.int64]
Names = tuple[str, ...]


@dataclass(slots=True)
class Matrices:
    """What the files say: one matrix a layer, shape (height, width), and what its numbers mean.

    `names` has for each number of a layer the names after it, without the world's.
    """

    world: str
    width: int
    height: int
    layers: dict[str, Matrix] = field(default_factory=dict)
    names: dict[str, dict[int, Names]] = field(default_factory=dict)


def read_matrices(folder: Path) -> Matrices:
    """Return the matrices in a folder, or in `matrix` within it.

    Raises:
        ScenarioError: a file is missing or says what it cannot; all that is wrong is listed.
    """
    root = folder / "matrix" if (folder / "matrix" / META).is_file() else folder
    matrices = Matrices(*_read_size(root))
    faults: list[str] = []
    for layer in (COLLISION, *LEGENDS):
        name = f"maze/{layer}_maze.csv"
        try:
            matrices.layers[layer] = _read_layer(root, name, matrices, faults)
            if layer in LEGENDS:
                matrices.names[layer] = _read_legend(root, layer, faults)
        except FileError as error:
            faults.append(str(error))
    if not faults:
        for layer in LEGENDS:
            faults += _find_unknown(matrices, layer)
    if faults:
        raise ScenarioError(faults[:_MANY])
    return matrices


def _read_size(root: Path) -> tuple[str, int, int]:
    """Return the name of the world, and how many tiles it has across and down."""
    try:
        meta = json.loads(read_text(root / META, _LIMIT))
    except FileError as error:
        raise ScenarioError([str(error)]) from None
    except (ValueError, RecursionError) as error:
        raise ScenarioError([f"{META}:file: not JSON: {clean(str(error), 200)}"]) from None
    faults, sizes = [], []
    for key in ("maze_width", "maze_height"):
        value = meta.get(key) if isinstance(meta, dict) else None
        if not isinstance(value, int) or not 1 <= value <= SIDE_LIMIT:
            text = f"{quote(value)}; a whole number from 1 to {SIDE_LIMIT} is wanted"
            faults.append(f"{META}:{key}: {text}")
        else:
            sizes.append(value)
    if faults:
        raise ScenarioError(faults)
    name = clean(str(meta.get("world_name", "")), NAME_LIMIT).replace("/", " ").strip()
    return name or "the town", sizes[0], sizes[1]


def _read_layer(root: Path, name: str, size: Matrices, faults: list[str]) -> Matrix:
    """Return the numbers of a layer; where it is at fault, zeros."""
    cells = [cell.strip() for cell in re.split(r"[,\n]", read_text(root / name, _LIMIT))]
    while cells and not cells[-1]:
        cells.pop()
    wanted = size.width * size.height
    if len(cells) != wanted:
        text = f"it has {len(cells)} numbers; {size.width} x {size.height} are {wanted}"
        faults.append(f"{name}:file: {text}")
        return np.zeros((size.height, size.width), np.int64)
    numbers = np.zeros(wanted, np.int64)
    for place, cell in enumerate(cells):
        if _NUMBER.fullmatch(cell):
            numbers[place] = int(cell.split(".")[0])
        elif len(faults) < _MANY:
            tile = [place % size.width, place // size.width]
            text = f"{quote(cell)} is no number; one of at most 9 digits is wanted, 0 for nothing"
            faults.append(f"{name}:tile {tile}: {text}")
    return numbers.reshape(size.height, size.width)


def _read_legend(root: Path, layer: str, faults: list[str]) -> dict[int, Names]:
    name, wanted = f"special_blocks/{layer}_blocks.csv", LEGENDS[layer] + 1
    found: dict[int, Names] = {}
    lines = read_text(root / name, _LIMIT).splitlines()
    for number, cells in enumerate(csv.reader(lines), 1):
        if not any(cell.strip() for cell in cells):
            continue
        where, first = f"{name}:line {number}", cells[0].strip()
        names = tuple(clean(cell.strip(), NAME_LIMIT + 1) for cell in cells[2:])
        if len(cells) != wanted or not re.fullmatch("[0-9]{1,9}", first):
            text = f"a number and {wanted - 1} names are wanted, with commas between them"
            faults.append(f"{where}: {quote(','.join(cells))}; {text}")
        elif int(first) == 0 or int(first) in found:
            how = "is nothing" if int(first) == 0 else "is listed twice"
            faults.append(f"{where}: the number {int(first)} {how}; each has its own")
        elif (bad := _find_bad_name(names)) is not None:
            text = f"a name has from 1 to {NAME_LIMIT} characters and no '/'"
            faults.append(f"{where}: {quote(bad)}; {text}")
        else:
            found[int(first)] = names
    return found


def _find_bad_name(names: Names) -> str | None:
    """Return the first of `names` that no place can have, or None."""
    return next((n for n in names if not n or "/" in n or len(n) > NAME_LIMIT), None)


def _find_unknown(matrices: Matrices, layer: str) -> list[str]:
    """Return a fault for each number of a layer that its list does not have."""
    matrix, known = matrices.layers[layer], matrices.names[layer]
    faults = []
    for number in sorted(set(np.unique(matrix).tolist()) - {0, *known}):
        y, x = np.argwhere(matrix == number)[0].tolist()
        text = f"{number} is not in special_blocks/{layer}_blocks.csv; {_list_numbers(known)}"
        faults.append(f"maze/{layer}_maze.csv:tile {[x, y]}: {text}")
    return faults


def _list_numbers(known: Mapping[int, Names]) -> str:
    return f"allowed: 0, {choices(map(str, sorted(known)), 8)}"


def read_ville(folder: Path) -> tuple[DrawnMap, str]:
    """Return the map in a folder of matrices, and the name of its world.

    Raises:
        ScenarioError: a file is missing or says what it cannot; all that is wrong is listed.
    """
    matrices = read_matrices(folder)
    faults: list[str] = []
    rooms = _find_rooms(matrices, faults)
    items = _collect(matrices, "game_object", rooms, faults)
    spots = _collect(matrices, "spawning_location", rooms, faults)
    if faults:
        raise ScenarioError(faults[:_MANY])
    places = _order_places(matrices, {id_ for row in rooms for id_ in row})
    numbers = {id_: number for number, id_ in enumerate(places, 1)}
    drawn = DrawnMap(
        closed=matrices.layers[COLLISION] != 0,
        place=np.array([[numbers.get(id_, 0) for id_ in row] for row in rooms], np.int32),
        places=tuple(places),
        objects=tuple(
            DrawnObject(id_, tuple(tiles), _locate("game_object", tiles[0]))
            for id_, tiles in items.items()
        ),
        spawns=tuple(_number_spawns(spots)),
    )
    return drawn, matrices.world


def _locate(layer: str, tile: Tile) -> Loc:
    return ("map", f"maze/{layer}_maze.csv", f"tile {list(tile)}")


def _find_rooms(matrices: Matrices, faults: list[str]) -> list[list[str]]:
    """Return the id of the place of every tile, by row; empty for open ground."""
    sectors, arenas = matrices.layers["sector"], matrices.layers["arena"]
    rooms = [[""] * matrices.width for _ in range(matrices.height)]
    for y, x in np.argwhere((sectors != 0) | (arenas != 0)).tolist():
        sector = matrices.names["sector"].get(int(sectors[y, x]), ("",))[-1]
        names = matrices.names["arena"].get(int(arenas[y, x]))
        if names is None:
            rooms[y][x] = sector
        elif names[-2] == sector:
            rooms[y][x] = _name_room(names)
        elif len(faults) < _MANY:
            here = f"the sector there is {quote(sector)}" if sector else "no sector is there"
            text = f"{quote('/'.join(names))}, but {here}; both layers have to agree"
            faults.append(f"maze/arena_maze.csv:tile {[x, y]}: {text}")
    return rooms


def _order_places(matrices: Matrices, used: set[str]) -> list[str]:
    """Return the places that tiles belong to, in the order of the lists, sectors first."""
    sectors = [names[-1] for names in matrices.names["sector"].values()]
    arenas = [_name_room(names) for names in matrices.names["arena"].values()]
    return [id_ for id_ in dict.fromkeys([*sectors, *arenas]) if id_ in used]


def _name_room(names: Names) -> str:
    """Return the id of an arena; a sector's only name where the arena bears it too."""
    return names[-1] if names[-1] == names[-2] else "/".join(names[-2:])


def _collect(
    matrices: Matrices, layer: str, rooms: list[list[str]], faults: list[str]
) -> dict[str, list[Tile]]:
    """Return the tiles of what a layer names, by id; each stands in an arena."""
    matrix, arenas = matrices.layers[layer], matrices.layers["arena"]
    found: dict[str, list[Tile]] = {}
    for y, x in np.argwhere(matrix != 0).tolist():
        names = matrices.names[layer][int(matrix[y, x])]
        where = f"maze/{layer}_maze.csv:tile {[x, y]}"
        if arenas[y, x] == 0:
            text = f"{quote(names[-1])} stands in no arena; an arena is wanted there"
        elif not _fits(names[:-1], matrices.names["arena"][int(arenas[y, x])]):
            text = f"{quote('/'.join(names))} stands in {quote(rooms[y][x])}; draw it in its arena"
        else:
            found.setdefault(f"{rooms[y][x]}/{names[-1]}", []).append((x, y))
            continue
        if len(faults) < _MANY:
            faults.append(f"{where}: {text}")
    return found


def _fits(named: Names, arena: Names) -> bool:
    """Return whether the place that a list names is this arena; `<all>` is any."""
    return all(name in ("<all>", own) for name, own in zip(named, arena, strict=False))


def _number_spawns(spots: dict[str, list[Tile]]) -> list[DrawnSpawn]:
    """Return the spawn tiles; those of one name are numbered from the second on."""
    return [
        DrawnSpawn(id_ if k == 0 else f"{id_} {k + 1}", tile, _locate("spawning_location", tile))
        for id_, tiles in spots.items()
        for k, tile in enumerate(tiles)
    ]
