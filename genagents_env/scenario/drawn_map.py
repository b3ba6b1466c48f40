"""A town as somebody drew it, whatever with: the one form between all kinds of maps and the town.

    map.txt   ─┐
    map.grid  ─┼──>  DrawnMap  ──(and the scenario)──>  TownPlan
    other tools┘

A map says where things are; what they are (states, users, hours) the scenario says, under the same
ids. A reader of a new kind of map returns a `DrawnMap` and the faults of what it cannot read, each
at `("map", ...)`, in words that name layer and tile; whether the map fits the scenario is checked
afterwards, in one place, by `genagents_env.scenario.fitting`. `format_grid` writes any of them as
the text of a `map.grid`, which is how a scenario holds it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.faults import Loc
from genagents_env.scenario.grid import Tile

GROUND = 0  # in `DrawnMap.place`: open ground between the buildings


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
    """Where everything in a town is.

    Attributes:
        closed: bool, shape (height, width), indexed [y, x]: nobody can stand there, be it a wall,
            water or a piece of furniture. An object may have closed tiles; it is used from beside.
        place: int32, the same shape: the number in `places`, counted from 1, of the place that a
            tile belongs to; GROUND where it belongs to none. Closed tiles may have a place too.
        places: their ids: `sector/arena`, or `sector` for the ground of a sector outside its
            arenas, such as a corridor. A sector whose one arena bears its name is that arena.
        objects: each at most once.
        doors: tiles between an arena and another; they may be left out.
        spawns: tiles with names, for `start` of people.
        sprites: for a person's name the file of the picture that stands for them.
    """

    closed: npt.NDArray[np.bool_]
    place: npt.NDArray[np.int32]
    places: tuple[str, ...]
    objects: tuple[DrawnObject, ...] = ()
    doors: tuple[Tile, ...] = ()
    spawns: tuple[DrawnSpawn, ...] = ()
    sprites: tuple[tuple[str, str], ...] = ()

    @property
    def width(self) -> int:
        """The number of tiles from left to right."""
        return int(self.closed.shape[1])

    @property
    def height(self) -> int:
        """The number of tiles from top to bottom."""
        return int(self.closed.shape[0])

    def holds(self, tile: Tile) -> bool:
        """Return whether `tile` lies inside the map."""
        return 0 <= tile[0] < self.width and 0 <= tile[1] < self.height


def list_parts(ids: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Return what ids name, as sectors > arenas > objects (or spawns), each once, in their order.

    An id of one part names a sector, of two an arena, of three what is in it.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for id_ in ids:
        sector, *rest = id_.split("/", 2)
        arenas = found.setdefault(sector, {})
        if rest:
            inside = arenas.setdefault(rest[0], [])
            if len(rest) == 2 and rest[1] not in inside:
                inside.append(rest[1])
    return found
