"""From the matrices to the neutral form of a map, tile by tile, with nothing invented.

A tile belongs to the arena that its layer names, else to the ground of its sector, else to the
open ground. What the object layer calls one thing in one arena is one object, with all its tiles,
whether they touch or not, as it is in the original. Every collision number but 0 is closed.
"""

from pathlib import Path

import numpy as np

from genagents_env.errors import ScenarioError
from genagents_env.scenario.drawn_map import DrawnMap, DrawnObject, DrawnSpawn
from genagents_env.scenario.faults import Loc, quote
from genagents_env.scenario.grid import Tile
from genagents_env.scenario.ville.matrices import COLLISION, Matrices, Names, read_matrices

_MANY = 100  # faults


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
