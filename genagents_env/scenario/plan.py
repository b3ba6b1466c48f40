"""The town as laid out, as frozen data with tiles, from the loader to the world."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_HOURS = re.compile(r"([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")
_TILE = re.compile(r"([0-9]{1,9}) ?, ?([0-9]{1,9})")
DAY = 1440  # minutes
OUTSIDE = 0  # index of the arena (and sector) that is the open ground between the buildings


def name_arena(sector: str, arena: str) -> str:
    """Return the id of an arena: `sector/arena`, or the sector alone where both have one name."""
    return sector if arena == sector else f"{sector}/{arena}"


@dataclass(frozen=True, slots=True)
class Hours:
    """An opening time in minutes after midnight; `end` may exceed 1440 (past midnight)."""

    start: int
    end: int

    def contains(self, minute: int) -> bool:
        """Return True if `minute` (0 to 1439) of a day is within it."""
        return self.start <= minute < self.end or self.start <= minute + DAY < self.end

    def __str__(self) -> str:
        start, end = self.start, self.end % DAY
        return f"{start // 60:02}:{start % 60:02} to {end // 60:02}:{end % 60:02}"


def parse_hours(text: str) -> Hours:
    """Return the opening time written in `text`.

    Raises:
        ValueError: `text` is not `HH:MM-HH:MM`, passes 24:00, or opens and closes at one minute.
    """
    match = _HOURS.fullmatch(text)
    if match is None:
        raise ValueError(f'"{text}" is not written as "HH:MM-HH:MM", such as "17:00-22:00"')
    from_hour, from_minute, to_hour, to_minute = map(int, match.groups())
    start, end = from_hour * 60 + from_minute, to_hour * 60 + to_minute
    if start >= DAY or end > DAY:
        raise ValueError(f'"{text}" passes 24:00; it opens by 23:59 and closes by 24:00')
    if start == end:
        raise ValueError(f'"{text}" is empty; to be always open, leave `hours` out')
    return Hours(start, end if end > start else end + DAY)


def parse_tile(text: str) -> tuple[int, int] | None:
    """Return the tile written as `across,down` ("73,14"), None where `text` is something else."""
    match = _TILE.fullmatch(text)
    return None if match is None else (int(match[1]), int(match[2]))


@dataclass(frozen=True, slots=True)
class SectorPlan:
    """A building or a piece of open ground. Empty `hours`: always open; empty `users`: anyone."""

    name: str
    common: bool
    hours: tuple[Hours, ...] = ()
    users: frozenset[str] = frozenset()
    capacity: int | None = None


@dataclass(frozen=True, slots=True)
class ArenaPlan:
    """A room (or an open-air part) of a sector; its full id is `sector/arena`.

    `ground`: what of a sector's ground is in none of its arenas, such as a corridor. It bears the
    sector's name, as does its id; it is no place of its own, but a part of the sector.
    """

    name: str
    sector: int
    open_air: bool = False
    hours: tuple[Hours, ...] = ()
    users: frozenset[str] = frozenset()
    capacity: int | None = None
    ground: bool = False


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """A thing on a tile or more; its full id is `sector/arena/object`.

    One uses it from any of its `tiles` that is free, and from beside any of them.

    `states` are the declared ones, in menu order; `free_text` allows any other words as well.
    `next` restricts which states may follow a state; a state absent from it allows all.
    `sleep_state`: putting the object in this state lays the user down to sleep.
    `lasting`: the states that stay when what made them is over; the one it starts in among them.
    """

    name: str
    arena: int
    tiles: tuple[tuple[int, int], ...]
    state: str
    states: tuple[str, ...] = ()
    free_text: bool = False
    next: tuple[tuple[str, tuple[str, ...]], ...] = ()
    users: frozenset[str] = frozenset()
    sleep_state: str | None = None
    lasting: tuple[str, ...] = ()

    @property
    def tile(self) -> tuple[int, int]:
        """The first of its tiles."""
        return self.tiles[0]

    def find_nearest_tile(self, x: int, y: int) -> tuple[int, int]:
        """Return the tile of it that is nearest to (x, y), of several the one least diagonal."""

        def measure(tile: tuple[int, int]) -> tuple[int, int]:
            across, down = abs(tile[0] - x), abs(tile[1] - y)
            return max(across, down), across + down

        return min(self.tiles, key=measure)

    def find_distance(self, x: int, y: int) -> int:
        """Return the distance of its nearest tile from (x, y) (Chebyshev)."""
        return min(max(abs(tile[0] - x), abs(tile[1] - y)) for tile in self.tiles)


@dataclass(frozen=True, slots=True)
class SpawnPlan:
    """A tile with a name, on which somebody may start; `id` is `sector/arena/spawn`."""

    id: str
    arena: int
    tile: tuple[int, int]


def find_tile(ref: str, spawns: Sequence[SpawnPlan]) -> tuple[int, int] | None:
    """Return the tile that `ref` names, as in `TownPlan.find_tile`."""
    spawn = next((spawn.tile for spawn in spawns if spawn.id == ref), None)
    return spawn if spawn is not None else parse_tile(ref)


@dataclass(frozen=True, slots=True, eq=False)
class TownPlan:
    """Tiles, places and objects of a town.

    `blocked`: bool, shape (height, width), true where nobody can stand.
    `arena`: int16, shape (height, width), the arena index of every tile; OUTSIDE where none. Of
    blocked tiles, those have one on which an object stands, and the `sealed` ones.
    `doors`: tiles (x, y) where one walks between an arena and another.
    `arenas`: the outside first, then those of the scenario in its order, then the ground of
    sectors that have some outside their arenas.
    `sealed`: tiles of arenas that were closed because there is no way to them.
    """

    width: int
    height: int
    blocked: npt.NDArray[np.bool_]
    arena: npt.NDArray[np.int16]
    sectors: tuple[SectorPlan, ...]
    arenas: tuple[ArenaPlan, ...]
    objects: tuple[ObjectPlan, ...]
    doors: tuple[tuple[int, int], ...] = ()
    spawns: tuple[SpawnPlan, ...] = ()
    sealed: tuple[tuple[int, int], ...] = ()

    def find_tile(self, ref: str) -> tuple[int, int] | None:
        """Return the tile that `ref` names, as a spawn's id or `across,down`; None for others."""
        return find_tile(ref, self.spawns)

    def locate(self, ref: str) -> str:
        """Return the id of the arena in which a tile lies; other references as they are."""
        tile = self.find_tile(ref)
        inside = tile is not None and tile[0] < self.width and tile[1] < self.height
        return self.arena_id(int(self.arena[tile[1], tile[0]])) if tile and inside else ref

    def arena_id(self, index: int) -> str:
        """Return `sector/arena` of an arena, or the sector alone where both have one name."""
        arena = self.arenas[index]
        return name_arena(self.sectors[arena.sector].name, arena.name)

    def object_id(self, index: int) -> str:
        """Return the full id of an object."""
        item = self.objects[index]
        return f"{self.arena_id(item.arena)}/{item.name}"
