"""The tiles of a town while it is being laid out, and where its objects go."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Tile = tuple[int, int]  # x to the right, y downwards
_SIDES = ((0, -1), (1, 0), (0, 1), (-1, 0))


@dataclass(slots=True)
class Grid:
    """Tiles being filled: `blocked` and `arena` have shape (height, width), indexed [y, x]."""

    blocked: npt.NDArray[np.bool_]
    arena: npt.NDArray[np.int16]
    doors: list[Tile] = field(default_factory=list)

    @classmethod
    def empty(cls, width: int, height: int) -> "Grid":
        """Return open ground of that size."""
        return cls(np.zeros((height, width), np.bool_), np.zeros((height, width), np.int16))

    @property
    def width(self) -> int:
        """The number of tiles from left to right."""
        return int(self.blocked.shape[1])

    @property
    def height(self) -> int:
        """The number of tiles from top to bottom."""
        return int(self.blocked.shape[0])

    def holds(self, tile: Tile) -> bool:
        """Return whether `tile` lies inside the grid."""
        return 0 <= tile[0] < self.width and 0 <= tile[1] < self.height

    def beside(self, tile: Tile) -> list[Tile]:
        """Return the up to four tiles that share a side with `tile`."""
        around = [(tile[0] + dx, tile[1] + dy) for dx, dy in _SIDES]
        return [near for near in around if self.holds(near)]

    def add_door(self, tile: Tile, arena: int) -> None:
        """Open a door at `tile`; the tile belongs to `arena`."""
        x, y = tile
        self.blocked[y, x] = False
        self.arena[y, x] = arena
        self.doors.append(tile)


def floors(grid: Grid, arenas: int) -> list[list[Tile]]:
    """Return the walkable tiles of each arena but the doors, row by row."""
    walkable = ~grid.blocked
    for x, y in grid.doors:
        walkable[y, x] = False
    rows, columns = np.nonzero(walkable & (grid.arena > 0))
    found: list[list[Tile]] = [[] for _ in range(arenas)]
    owners = grid.arena[rows, columns].tolist()
    for owner, x, y in zip(owners, columns.tolist(), rows.tolist(), strict=True):
        found[owner].append((x, y))
    return found


def mark_doors(grid: Grid) -> npt.NDArray[np.bool_]:
    """Return which tiles are doors, shape (height, width)."""
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
    for dx, dy in _SIDES:
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
