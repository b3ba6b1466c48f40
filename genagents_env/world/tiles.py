"""The ground: walkable tiles, buildings, and zones of sight.

Tiles are numbered row by row: tile = y * width + x. Immutable but for caches of pure results,
so copies of a world share it.
"""

from collections.abc import Callable, Collection, Container, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.plan import OUTSIDE, ObjectPlan, TownPlan

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
STAY, UP, LEFT, DOWN, RIGHT, HOLD = range(6)  # STAY: there is nothing left to walk; HOLD: no walk
FAR = 1 << 12  # more tiles than any town is wide or any vision radius
OPEN_AIR = -1
_KEPT = 1000  # sets of arenas whose tiles are cached


class Ground:
    """Tiles, buildings and zones of sight of one town plan."""

    def __init__(self, plan: TownPlan) -> None:
        self.plan = plan
        self.width, self.height = plan.width, plan.height
        self.count = plan.width * plan.height
        self.free: npt.NDArray[np.bool_] = ~plan.blocked.ravel()
        self.arena: Ints = plan.arena.ravel().astype(np.int64)
        # What one can see across: every room is its own zone, the open air is one (zone 0).
        indoor = [0 if a.open_air or i == OUTSIDE else i for i, a in enumerate(plan.arenas)]
        self.zone_of_arena: Ints = np.array(indoor, dtype=np.int64)
        self.zone: Ints = self.zone_of_arena[self.arena]
        tiles = np.arange(self.count)
        self.x: Ints = tiles % self.width
        self.y: Ints = tiles // self.width
        # Columns and rows as sight measures them: zones lie too far apart to see each other.
        self.sight: Ints = np.stack([self.x + self.zone * FAR, self.y])
        self.delta: Ints = np.array([0, -self.width, -1, self.width, 1, 0], dtype=np.int64)
        self.neighbours = self._neighbours()
        # Which building a tile is in: its sector, or OPEN_AIR.
        sectors = np.array([a.sector for a in plan.arenas])
        self.building: Ints = np.where(self.zone == 0, OPEN_AIR, sectors[self.arena])
        # The free tiles, arena by arena, and where those of each begin.
        free = self.free.nonzero()[0]
        order = self.arena[free].argsort(kind="stable")
        self._by_arena: Ints = free[order]
        bounds = self.arena[free][order].searchsorted(np.arange(len(plan.arenas) + 1))
        self._bounds: list[int] = bounds.tolist()
        self.spawns = frozenset(self.tile(*spawn.tile) for spawn in plan.spawns)
        self._doors = frozenset(self.tile(x, y) for x, y in plan.doors)
        self._tiles: dict[frozenset[int], tuple[int, ...]] = {}
        self._around: dict[tuple[int, tuple[tuple[int, int], ...]], tuple[int, ...]] = {}
        self._inner: dict[frozenset[int], tuple[int, ...]] = {}

    def __deepcopy__(self, memo: dict[int, object]) -> "Ground":
        return self

    def __getstate__(self) -> dict[str, TownPlan]:
        return {"plan": self.plan}

    def __setstate__(self, state: dict[str, TownPlan]) -> None:
        self.__init__(state["plan"])  # type: ignore[misc]

    def tile(self, x: int, y: int) -> int:
        """Return the tile number of (x, y)."""
        return y * self.width + x

    def xy(self, tile: int) -> tuple[int, int]:
        """Return (x, y) of a tile number."""
        return tile % self.width, tile // self.width

    def tiles_of(self, arenas: AbstractSet[int]) -> tuple[int, ...]:
        """Return the free tiles of these arenas, ascending."""
        cached = self._tiles.get(frozenset(arenas))
        if cached is None:
            if len(self._tiles) == _KEPT:
                self._tiles.clear()
            inside = [self._by_arena[self._bounds[a] : self._bounds[a + 1]] for a in arenas]
            tiles = np.sort(np.concatenate([*inside, self._by_arena[:0]]))
            cached = self._tiles[frozenset(arenas)] = tuple(tiles.tolist())
        return cached

    def inside_of(self, arenas: AbstractSet[int]) -> tuple[int, ...]:
        """Return the free tiles of these arenas that are no doors, or all where there are none."""
        cached = self._inner.get(frozenset(arenas))
        if cached is None:
            if len(self._inner) == _KEPT:
                self._inner.clear()
            tiles = self.tiles_of(arenas)
            cached = tuple(t for t in tiles if t not in self._doors) or tiles
            self._inner[frozenset(arenas)] = cached
        return cached

    def find_middle(self, tiles: Sequence[int]) -> int:
        """Return the one of `tiles` nearest to the middle of all of them."""
        at = np.array(tiles)
        x, y = self.x[at], self.y[at]
        return tiles[int(np.argmin((x - x.mean()) ** 2 + (y - y.mean()) ** 2))]

    def beside(self, tile: int) -> list[int]:
        """Return the tile, if free, and its free 4-neighbours in the same arena."""
        near = [tile, *(int(n) for n in self.neighbours[:, tile] if n >= 0)]
        arena = self.arena[tile]
        return [t for t in near if self.free[t] and self.arena[t] == arena]

    def around(self, item: ObjectPlan) -> tuple[int, ...]:
        """Return the free tiles of an object's arena from which one uses it: its own, and beside.

        Tile by tile of the object, each once.
        """
        cached = self._around.get((item.arena, item.tiles))
        if cached is None:
            own = [self.tile(x, y) for x, y in item.tiles]
            near = [t for tile in own for t in (tile, *self.neighbours[:, tile].tolist()) if t >= 0]
            cached = self._around[item.arena, item.tiles] = tuple(
                t for t in dict.fromkeys(near) if self.free[t] and self.arena[t] == item.arena
            )
        return cached

    def find_nearest(
        self,
        tiles: Collection[int],
        is_free: Callable[[int], bool],
        arenas: Container[int],
    ) -> tuple[int, ...]:
        """Return the free tiles that are the fewest steps from `tiles`, if any.

        Args:
            tiles: to start from; may be free themselves.
            is_free: of a tile.
            arenas: the only ones to walk through.
        """
        level, seen = list(tiles), set(tiles)
        while level:
            free = tuple(tile for tile in level if is_free(tile))
            if free:
                return free
            beyond = dict.fromkeys(self.neighbours[:, level].T.ravel().tolist())
            level = [
                tile
                for tile in beyond
                if tile >= 0 and tile not in seen and int(self.arena[tile]) in arenas
            ]
            seen.update(level)
        return ()

    def _neighbours(self) -> Ints:
        """Free neighbours up, left, down, right of each tile, -1 where none; shape (4, tiles)."""
        index = np.where(self.free, np.arange(self.count), -1).reshape(self.height, self.width)
        out = np.full((4, self.height, self.width), -1, dtype=np.int64)
        out[0, 1:] = index[:-1]
        out[1, :, 1:] = index[:, :-1]
        out[2, :-1] = index[1:]
        out[3, :, :-1] = index[:, 1:]
        return out.reshape(4, self.count)
