"""A drawn town: the common form of all kinds of maps.

A map says where things are; the scenario says what they are (states, users, hours), under the same
ids. A reader of a new kind of map returns a `DrawnMap` and the faults of what it cannot read, each
at `("map", ...)`, in words that name layer and tile; whether the map fits the scenario is checked
afterwards, in one place, by `fitting`. A scenario holds any of them as the text of a `map.grid`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.faults import Loc

Tile = tuple[int, int]  # x to the right, y downwards
SIDES = ((0, -1), (1, 0), (0, 1), (-1, 0))
GROUND = 0  # in the grid of a `DrawnMap`: open ground between the buildings


@dataclass(slots=True)
class Grid:
    """The tiles of a town: `blocked` and `arena` have shape (height, width), indexed [y, x]."""

    blocked: npt.NDArray[np.bool_]
    arena: npt.NDArray[np.int32]
    doors: list[Tile] = field(default_factory=list)

    @classmethod
    def empty(cls, width: int, height: int) -> "Grid":
        """Return open ground of that size."""
        return cls(np.zeros((height, width), np.bool_), np.zeros((height, width), np.int32))

    @property
    def width(self) -> int:
        """The number of tiles from left to right."""
        return int(self.blocked.shape[1])

    @property
    def height(self) -> int:
        """The number of tiles from top to bottom."""
        return int(self.blocked.shape[0])

    def holds(self, tile: Tile) -> bool:
        """Return True if `tile` lies inside the grid."""
        return 0 <= tile[0] < self.width and 0 <= tile[1] < self.height

    def beside(self, tile: Tile) -> list[Tile]:
        """Return the up to four tiles that share a side with `tile`."""
        around = [(tile[0] + dx, tile[1] + dy) for dx, dy in SIDES]
        return [near for near in around if self.holds(near)]

    def add_door(self, tile: Tile, arena: int) -> None:
        """Open a door at `tile`; the tile belongs to `arena`."""
        x, y = tile
        self.blocked[y, x] = False
        self.arena[y, x] = arena
        self.doors.append(tile)


@dataclass(frozen=True, slots=True)
class DrawnObject:
    """The tiles of a thing, at least one, in the order in which they were drawn.

    `id`: `sector/arena/object`. `where`: the place in the map, for faults; empty for the id.
    """

    id: str
    tiles: tuple[Tile, ...]
    where: Loc = ()


@dataclass(frozen=True, slots=True)
class DrawnSpawn:
    """A tile on which somebody may start. `id`: `sector/arena/spawn`; a name and no object's."""

    id: str
    tile: Tile
    where: Loc = ()


@dataclass(frozen=True, slots=True, eq=False)
class DrawnMap:
    """The places of everything in a town.

    Attributes:
        grid: `blocked` where nobody can stand; an object may have such tiles, and is used from
            beside. `arena` is the number in `places`, from 1, of a tile's place, or GROUND; blocked
            tiles may have a place too. `doors`, between an arena and another, may be left out.
        places: their ids: `sector/arena`, or `sector` for the ground of a sector outside its
            arenas, such as a corridor. A sector whose one arena bears its name is that arena.
        objects: each at most once.
        spawns: tiles with names, for `start` of people.
        sprites: for a person's name the file of the picture that stands for them.
    """

    grid: Grid
    places: tuple[str, ...]
    objects: tuple[DrawnObject, ...] = ()
    spawns: tuple[DrawnSpawn, ...] = ()
    sprites: tuple[tuple[str, str], ...] = ()


def split_parts(tiles: Sequence[Tile], *, diagonal: bool = False) -> list[list[Tile]]:
    """Split tiles into connected parts, in the order of their first tiles.

    In plain Python, since the library for this takes longer to load than towns take.

    Args:
        tiles: each once.
        diagonal: whether touching corners connect tiles.
    """
    steps = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if diagonal or not (dx and dy)]
    rest = set(tiles)
    parts: list[list[Tile]] = []
    for first in tiles:
        if first not in rest:
            continue
        rest.remove(first)
        part = [first]
        for x, y in part:  # it grows while its neighbours are looked at
            for dx, dy in steps:
                near = (x + dx, y + dy)
                if near in rest:
                    rest.remove(near)
                    part.append(near)
        parts.append(part)
    return parts
