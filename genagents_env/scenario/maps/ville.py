"""Maps in the matrices of Smallville's public code: a number a tile, and lists of what they mean.

    maze_meta_info.json                       maze_width, maze_height
    maze/NAME_maze.csv                        numbers, row by row; line ends mean nothing
    special_blocks/NAME_blocks.csv            number, world, sector, arena, name

The layout is that of `environment/frontend_server/static_dirs/assets/the_ville/matrix` in the
repository joonspk-research/generative_agents.

Nothing is invented. A tile belongs to the arena that its layer names, else to the ground of its
sector, else to the open ground. What the object layer calls one thing in one arena is one object,
with all its tiles, whether they touch or not, as it is in the original. Every collision number but
0 is closed.
"""

import csv
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env.errors import FileError, ScenarioError
from genagents_env.files import read_text
from genagents_env.scenario.faults import Loc, choices, quote
from genagents_env.scenario.fields import NAME_LIMIT
from genagents_env.scenario.maps.drawn import DrawnMap, DrawnObject, DrawnSpawn, Grid, Tile
from genagents_env.scenario.schema import SIDE_LIMIT
from genagents_env.text import clean

_META = "maze_meta_info.json"
# The layers by the names of their files, with the number of names on a line of their legend. The
# collision layer has no legend.
_LEGENDS = {"sector": 2, "arena": 3, "game_object": 3, "spawning_location": 4}
_COLLISION = "collision"
_LIMIT = 8 << 20  # bytes of a file
_MANY = 100  # faults
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.0*)?")

_Names = tuple[str, ...]


@dataclass(slots=True)
class _Matrices:
    """The content of the files: a matrix a layer, shape (height, width), and its legend.

    `names` has for each number of a layer the names after it, without the world's.
    """

    world: str
    width: int
    height: int
    layers: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict)
    names: dict[str, dict[int, _Names]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def refuse(self, where: str, text: str) -> None:
        """Note a fault, unless there are too many."""
        if len(self.faults) < _MANY:
            self.faults.append(f"{where}: {text}")

    def check(self) -> None:
        """Raise the faults noted, if any."""
        if self.faults:
            raise ScenarioError(self.faults)


def read_ville(folder: Path) -> tuple[DrawnMap, str]:
    """Read the matrices in a folder, or in `matrix` within it; return the map and the world's name.

    Raises:
        ScenarioError: a file is missing or at fault; all faults are listed.
    """
    inner = folder / "matrix"
    matrices = _read_matrices(inner if (inner / _META).is_file() else folder)
    rooms = _find_rooms(matrices)
    items = _collect(matrices, "game_object", rooms)
    spots = _collect(matrices, "spawning_location", rooms)
    matrices.check()
    used = {id_ for row in rooms for id_ in row}
    lists = (matrices.names["sector"], matrices.names["arena"])
    ids = dict.fromkeys(_name_room(names) for names_of in lists for names in names_of.values())
    places = [id_ for id_ in ids if id_ in used]
    numbers = {id_: number for number, id_ in enumerate(places, 1)}
    drawn = DrawnMap(
        Grid(
            matrices.layers[_COLLISION] != 0,
            np.array([[numbers.get(id_, 0) for id_ in row] for row in rooms], np.int32),
        ),
        places=tuple(places),
        objects=tuple(
            DrawnObject(id_, tuple(tiles), _locate("game_object", tiles[0]))
            for id_, tiles in items.items()
        ),
        spawns=tuple(  # those of one name are numbered from the second on
            DrawnSpawn(f"{id_} {k}" if k > 1 else id_, tile, _locate("spawning_location", tile))
            for id_, tiles in spots.items()
            for k, tile in enumerate(tiles, 1)
        ),
    )
    return drawn, matrices.world


def _locate(layer: str, tile: Tile) -> Loc:
    return ("map", f"maze/{layer}_maze.csv", f"tile {list(tile)}")


def _read_matrices(root: Path) -> _Matrices:
    matrices = _read_size(root)
    for layer in (_COLLISION, *_LEGENDS):
        try:
            _read_layer(root, layer, matrices)
            if layer in _LEGENDS:
                _read_legend(root, layer, matrices)
        except FileError as error:
            matrices.faults.append(str(error))
    matrices.check()
    for layer in _LEGENDS:
        _check_numbers(matrices, layer)
    matrices.check()
    return matrices


def _read_size(root: Path) -> _Matrices:
    try:
        meta = json.loads(read_text(root / _META, _LIMIT))
    except FileError as error:
        raise ScenarioError([str(error)]) from None
    except (ValueError, RecursionError) as error:
        raise ScenarioError([f"{_META}:file: not JSON: {clean(str(error), 200)}"]) from None
    meta = meta if isinstance(meta, dict) else {}
    name = clean(str(meta.get("world_name", "")), NAME_LIMIT).replace("/", " ").strip()
    matrices = _Matrices(name or "the town", 0, 0)
    for key in ("maze_width", "maze_height"):
        value = meta.get(key)
        if not isinstance(value, int) or not 1 <= value <= SIDE_LIMIT:
            text = f"{quote(value)}; a whole number from 1 to {SIDE_LIMIT} is wanted"
            matrices.refuse(f"{_META}:{key}", text)
    matrices.check()
    matrices.width, matrices.height = meta["maze_width"], meta["maze_height"]
    return matrices


def _read_layer(root: Path, layer: str, matrices: _Matrices) -> None:
    """Read the numbers of a layer; zeros if it is at fault."""
    name, width, height = f"maze/{layer}_maze.csv", matrices.width, matrices.height
    cells = [cell.strip() for cell in re.split(r"[,\n]", read_text(root / name, _LIMIT))]
    while cells and not cells[-1]:
        cells.pop()
    numbers = np.zeros(width * height, np.int64)
    if len(cells) != numbers.size:
        text = f"it has {len(cells)} numbers; {width} x {height} are {numbers.size}"
        matrices.refuse(f"{name}:file", text)
        cells = []
    for place, cell in enumerate(cells):
        if _NUMBER.fullmatch(cell):
            numbers[place] = int(cell.split(".")[0])
        else:
            text = f"{quote(cell)} is no number; one of at most 9 digits is wanted, 0 for nothing"
            matrices.refuse(f"{name}:tile {[place % width, place // width]}", text)
    matrices.layers[layer] = numbers.reshape(height, width)


def _read_legend(root: Path, layer: str, matrices: _Matrices) -> None:
    """Read the names of the numbers of a layer."""
    name, wanted = f"special_blocks/{layer}_blocks.csv", _LEGENDS[layer] + 1
    legend = matrices.names[layer] = {}
    lines = read_text(root / name, _LIMIT).splitlines()
    for number, cells in enumerate(csv.reader(lines), 1):
        if not any(cell.strip() for cell in cells):
            continue
        where, first = f"{name}:line {number}", cells[0].strip()
        names = tuple(clean(cell.strip(), NAME_LIMIT + 1) for cell in cells[2:])
        bad = [n for n in names if not n or "/" in n or len(n) > NAME_LIMIT]
        if len(cells) != wanted or not re.fullmatch("[0-9]{1,9}", first):
            text = f"a number and {wanted - 1} names are wanted, with commas between them"
            matrices.refuse(where, f"{quote(','.join(cells))}; {text}")
        elif int(first) == 0 or int(first) in legend:
            how = "is nothing" if int(first) == 0 else "is listed twice"
            matrices.refuse(where, f"the number {int(first)} {how}; each has its own")
        elif bad:
            text = f"a name has from 1 to {NAME_LIMIT} characters and no '/'"
            matrices.refuse(where, f"{quote(bad[0])}; {text}")
        else:
            legend[int(first)] = names


def _check_numbers(matrices: _Matrices, layer: str) -> None:
    """Reject numbers of a layer that its legend lacks."""
    matrix, known = matrices.layers[layer], matrices.names[layer]
    for number in sorted(set(np.unique(matrix).tolist()) - {0, *known}):
        y, x = np.argwhere(matrix == number)[0].tolist()
        allowed = f"allowed: 0, {choices(map(str, sorted(known)), 8)}"
        text = f"{number} is not in special_blocks/{layer}_blocks.csv; {allowed}"
        matrices.refuse(f"maze/{layer}_maze.csv:tile {[x, y]}", text)


def _find_rooms(matrices: _Matrices) -> list[list[str]]:
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
        else:
            here = f"the sector there is {quote(sector)}" if sector else "no sector is there"
            text = f"{quote('/'.join(names))}, but {here}; both layers have to agree"
            matrices.refuse(f"maze/arena_maze.csv:tile {[x, y]}", text)
    return rooms


def _name_room(names: _Names) -> str:
    """Return the id of a sector or arena; an arena that bears its sector's name has only that."""
    return "/".join(dict.fromkeys(names[-2:]))


def _collect(matrices: _Matrices, layer: str, rooms: list[list[str]]) -> dict[str, list[Tile]]:
    """Group the tiles of a layer by id; each is in an arena."""
    matrix, arenas = matrices.layers[layer], matrices.layers["arena"]
    collected: dict[str, list[Tile]] = {}
    for y, x in np.argwhere(matrix != 0).tolist():
        *around, name = matrices.names[layer][int(matrix[y, x])]
        arena = matrices.names["arena"].get(int(arenas[y, x]))
        where = f"maze/{layer}_maze.csv:tile {[x, y]}"
        if arena is None:
            text = f"{quote(name)} stands in no arena; an arena is wanted there"
            matrices.refuse(where, text)
        elif any(said not in ("<all>", own) for said, own in zip(around, arena, strict=False)):
            text = f"{quote('/'.join((*around, name)))} stands in {quote(rooms[y][x])}"
            matrices.refuse(where, f"{text}; draw it in its arena")
        else:
            collected.setdefault(f"{rooms[y][x]}/{name}", []).append((x, y))
    return collected
