"""A town without a map: rooms become buildings, buildings stand in rows with streets between.

A building is a block of rooms with walls one tile thick. Its first arena is the way in: as wide as
the building, with the street doors, and a door to every other room, so that nobody has to pass
through a bedroom. A sector whose arenas are all `open_air` is laid out without walls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isqrt

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.maps.drawn import SIDES, Grid, Tile
from genagents_env.scenario.schema import ArenaSpec, Scenario

STREET, MARGIN = 2, 2  # tiles between buildings, and around the town


@dataclass(frozen=True, slots=True)
class Room:
    """The floor of one arena: a rectangle inside its block, walls excluded."""

    arena: int
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Block:
    """A building, or a piece of open ground, with its own coordinates from (0, 0)."""

    width: int
    height: int
    walled: bool
    rooms: tuple[Room, ...]
    doors: tuple[tuple[Tile, int], ...] = ()


def arrange(scenario: Scenario) -> Grid:
    """Lay a town out by rule; the same scenario gives the same town."""
    blocks, first = [], 1
    for sector in scenario.sectors:
        open_air = all(arena.open_air for arena in sector.arenas)
        blocks.append((_open_ground if open_air else _building)(first, sector.arenas))
        first += len(sector.arenas)
    corners, width, height = _shelve([(b.width, b.height) for b in blocks], STREET)
    width, height = width + 2 * MARGIN, height + 2 * MARGIN
    grid = Grid.empty(width, height)
    for block, (x, y) in zip(blocks, corners, strict=True):
        _draw(grid, block, x + MARGIN, y + MARGIN)
    return grid


def _building(first: int, arenas: Sequence[ArenaSpec]) -> Block:
    main, others = arenas[0], list(enumerate(arenas[1:], first + 1))
    # Up to three rooms lie in one row behind the entrance; more lie on both sides of it.
    half = len(others) if len(others) <= 3 else (len(others) + 1) // 2
    above, below = others[:half], others[half:]
    width = max(main.size[0], _row_width(above), _row_width(below))
    floor = main.size[1] if width == main.size[0] else ceil(main.size[0] * main.size[1] / width)
    top = max((arena.size[1] for _, arena in above), default=-1)
    low = max((arena.size[1] for _, arena in below), default=-1)
    floor, y = max(2, floor), top + 2
    hall = Room(first, 1, y, width, floor)
    upper, lower = _row(above, 1, width, top), _row(below, y + floor + 1, width, low)
    doors = [((room.x + room.width // 2, y - 1), room.arena) for room in upper]
    doors += [((room.x + room.width // 2, y + floor), room.arena) for room in lower]
    if below:
        doors += [((0, y + floor // 2), first), ((width + 1, y + floor // 2), first)]
    else:
        doors.append(((1 + width // 2, y + floor), first))
    return Block(width + 2, y + floor + low + 2, True, (hall, *upper, *lower), tuple(doors))


def _row_width(row: Sequence[tuple[int, ArenaSpec]]) -> int:
    return sum(arena.size[0] + 1 for _, arena in row) - 1


def _row(row: Sequence[tuple[int, ArenaSpec]], y: int, width: int, height: int) -> list[Room]:
    """Return the rooms of a row, widened evenly until they fill it."""
    rooms, x, spare = [], 1, width - _row_width(row)
    for place, (index, arena) in enumerate(row):
        extra = spare * (place + 1) // len(row) - spare * place // len(row)
        rooms.append(Room(index, x, y, arena.size[0] + extra, height))
        x += arena.size[0] + extra + 1
    return rooms


def _open_ground(first: int, arenas: Sequence[ArenaSpec]) -> Block:
    corners, width, height = _shelve([arena.size for arena in arenas], 0)
    rooms = tuple(
        Room(first + i, x, y, *arena.size)
        for i, (arena, (x, y)) in enumerate(zip(arenas, corners, strict=True))
    )
    return Block(width, height, False, rooms)


def _shelve(sizes: Sequence[tuple[int, int]], gap: int) -> tuple[list[Tile], int, int]:
    """Return the corners of rectangles set in rows, in order, and the width and height of all.

    Of some widths for the rows, the one that makes the whole squarest is taken.
    """
    side = isqrt(sum((width + gap) * (height + gap) for width, height in sizes))
    widest = max(width for width, _ in sizes)
    limits = [max(widest, side * percent // 100) for percent in range(90, 160, 5)]
    return min((_rows(sizes, gap, limit) for limit in limits), key=lambda rows: max(rows[1:]))


def _rows(sizes: Sequence[tuple[int, int]], gap: int, limit: int) -> tuple[list[Tile], int, int]:
    corners: list[Tile] = []
    x = y = shelf = widest = 0
    for width, height in sizes:
        if x and x + width > limit:
            x, y, shelf = 0, y + shelf + gap, 0
        corners.append((x, y))
        x, shelf, widest = x + width + gap, max(shelf, height), max(widest, x + width)
    return corners, widest, y + shelf


def _draw(grid: Grid, block: Block, left: int, top: int) -> None:
    if block.walled:
        grid.blocked[top : top + block.height, left : left + block.width] = True
    for room in block.rooms:
        rows = slice(top + room.y, top + room.y + room.height)
        columns = slice(left + room.x, left + room.x + room.width)
        grid.blocked[rows, columns] = False
        grid.arena[rows, columns] = room.arena
    for (x, y), arena in block.doors:
        grid.add_door((left + x, top + y), arena)


def floors(grid: Grid, arenas: int) -> list[list[Tile]]:
    """Return the walkable tiles of each arena but the doors, row by row."""
    walkable = ~grid.blocked
    for x, y in grid.doors:
        walkable[y, x] = False
    rows, columns = np.nonzero(walkable & (grid.arena > 0))
    tiles: list[list[Tile]] = [[] for _ in range(arenas)]
    owners = grid.arena[rows, columns].tolist()
    for owner, x, y in zip(owners, columns.tolist(), rows.tolist(), strict=True):
        tiles[owner].append((x, y))
    return tiles


def mark_doors(grid: Grid) -> npt.NDArray[np.bool_]:
    """Mark the tiles that are doors, shape (height, width)."""
    doors = np.zeros_like(grid.blocked)
    for x, y in grid.doors:
        doors[y, x] = True
    return doors


def choose_tiles(
    grid: Grid, doors: npt.NDArray[np.bool_], floor: list[Tile], taken: set[Tile], count: int
) -> list[Tile]:
    """Return `count` distinct tiles of `floor` for objects, fewer where there is no room.

    They stand along the walls and apart from each other, and off the tiles before doors as long
    as others are left. Deterministic. `doors` is what `mark_doors` returns.
    """
    free = [tile for tile in floor if tile not in taken]
    x, y = np.array(free, dtype=np.int64).reshape(-1, 2).T
    before = np.zeros(len(free), dtype=np.bool_)
    edge = before.copy()
    for dx, dy in SIDES:
        column, row = (x + dx).clip(0, grid.width - 1), (y + dy).clip(0, grid.height - 1)
        before |= doors[row, column] & ((row != y) | (column != x))
        edge |= grid.blocked[row, column] | ((row == y) & (column == x))
    groups: tuple[list[Tile], list[Tile], list[Tile]] = ([], [], [])  # edge, inner, before
    for tile, group in zip(free, np.where(before, 2, np.where(edge, 0, 1)).tolist(), strict=True):
        groups[group].append(tile)
    chosen: list[Tile] = []
    for group in groups:
        wanted = min(count - len(chosen), len(group))
        chosen += [group[i * len(group) // wanted] for i in range(wanted)]
    return chosen
