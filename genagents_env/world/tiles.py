"""The ground: walkable tiles, who can see across what, and shortest paths.

Tiles are numbered row by row: tile = y * width + x. Immutable but for caches of pure results,
so copies of a world share it.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from genagents_env.scenario.plan import OUTSIDE, ObjectPlan, TownPlan

Ints = npt.NDArray[np.int64]
STAY, UP, LEFT, DOWN, RIGHT, HOLD = range(6)  # STAY: there is nothing left to walk; HOLD: no walk
FAR = 1 << 12  # more tiles than any town is wide or any vision radius
OPEN_AIR = -1
_KEPT = 1000  # sets of arenas whose tiles are cached
FIELD_BYTES = 1 << 26  # direction fields of tiles and objects walked up to, one byte a tile


class Ground:
    """Tiles, zones of sight and direction fields of one town plan."""

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
        self._edges = self._walkable_steps()
        # Which building a tile is in: its sector, or OPEN_AIR.
        sectors = np.array([a.sector for a in plan.arenas])
        self._building: Ints = np.where(self.zone == 0, OPEN_AIR, sectors[self.arena])
        self._tiles: dict[frozenset[int], tuple[int, ...]] = {}
        self._fields: dict[tuple[int, ...], npt.NDArray[np.uint8]] = {}

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

    def tiles_of(self, arenas: set[int]) -> list[int]:
        """Return the free tiles of these arenas, ascending."""
        found = self._tiles.get(frozenset(arenas))
        if found is None:
            if len(self._tiles) == _KEPT:
                self._tiles.clear()
            inside = self.free & np.isin(self.arena, list(arenas))
            found = self._tiles[frozenset(arenas)] = tuple(inside.nonzero()[0].tolist())
        return list(found)

    def beside(self, tile: int) -> list[int]:
        """Return the tile, if free, and its free 4-neighbours in the same arena."""
        near = [tile, *(int(n) for n in self.neighbours[:, tile] if n >= 0)]
        arena = self.arena[tile]
        return [t for t in near if self.free[t] and self.arena[t] == arena]

    def around(self, item: ObjectPlan) -> tuple[int, ...]:
        """Return the free tiles of an object's arena from which one uses it: its own, and beside.

        Tile by tile of the object, each once.
        """
        own = [self.tile(x, y) for x, y in item.tiles]
        near = [t for tile in own for t in (tile, *self.neighbours[:, tile].tolist()) if t >= 0]
        return tuple(t for t in dict.fromkeys(near) if self.free[t] and self.arena[t] == item.arena)

    def first_step(self, tile: int, targets: tuple[int, ...]) -> int:
        """Return the direction of the first step from `tile` to the nearest of `targets`."""
        return int(self.field(targets)[tile])

    def field(self, targets: tuple[int, ...]) -> npt.NDArray[np.uint8]:
        """Return the direction of the next step from every tile, uint8, STAY at a target.

        Computed once per set of targets; the oldest fields are dropped beyond FIELD_BYTES.
        """
        field = self._fields.get(targets)
        if field is None:
            if len(self._fields) * self.count > FIELD_BYTES:
                del self._fields[next(iter(self._fields))]
            field = self._fields[targets] = self._search(targets)
        return field

    def _neighbours(self) -> Ints:
        """Free neighbours up, left, down, right of each tile, -1 where none; shape (4, tiles)."""
        index = np.where(self.free, np.arange(self.count), -1).reshape(self.height, self.width)
        out = np.full((4, self.height, self.width), -1, dtype=np.int64)
        out[0, 1:] = index[:-1]
        out[1, :, 1:] = index[:, :-1]
        out[2, :-1] = index[1:]
        out[3, :, :-1] = index[:, 1:]
        return out.reshape(4, self.count)

    def _search(self, targets: tuple[int, ...]) -> npt.NDArray[np.uint8]:
        """Breadth-first from the targets; no path cuts through a building on the way to another.

        Where there is no other way (a building inside a building), it does.
        """
        goals = np.unique(self._building[list(targets)])
        start, end = self._edges
        leaving = self._building[start] != self._building[end]
        # The search runs backwards: its step out of a building is a walker's step into it.
        shut = leaving & (self._building[start] != OPEN_AIR)
        shut &= ~np.isin(self._building[start], goals)
        directions, reached = self._spread(targets, start[~shut], end[~shut])
        if not reached[self.free].all():
            through, _ = self._spread(targets, start, end)
            directions = np.where(reached, directions, through)
        return directions

    def _spread(
        self, targets: tuple[int, ...], start: Ints, end: Ints
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
        """Return directions to the targets over some edges, and from where there is a way."""
        beyond = np.full(len(targets), self.count)  # one node before all targets
        rows = np.concatenate([start, beyond])
        columns = np.concatenate([end, np.array(targets, dtype=np.int64)])
        size = self.count + 1
        edges = csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
        _, before = breadth_first_order(edges, self.count, return_predecessors=True)
        before = before[: self.count].astype(np.int64)
        step = before - np.arange(self.count)
        directions = np.zeros(self.count, dtype=np.uint8)
        for direction in (UP, LEFT, DOWN, RIGHT):
            directions[step == self.delta[direction]] = direction
        directions[list(targets)] = STAY
        return directions, before >= 0

    def _walkable_steps(self) -> tuple[Ints, Ints]:
        """Return all steps between free neighbours as (from, to), sorted."""
        start = np.concatenate([np.flatnonzero(self.free & (n >= 0)) for n in self.neighbours])
        end = np.concatenate([n[self.free & (n >= 0)] for n in self.neighbours])
        order = np.argsort(start, kind="stable")
        return start[order], end[order]
