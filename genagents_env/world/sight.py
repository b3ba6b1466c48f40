"""Sight and hearing: pairs within a Chebyshev radius, in one zone, nearest first."""

import numpy as np

from genagents_env.world.tiles import Bools, Ground, Ints

Pairs = tuple[Ints, Ints, Ints]
DENSE = 128  # up to here all pairs at once beat a tree
_LOW = (1 << 20) - 1


class Sight:
    """Finds the pairs for N people with constant vision radii, shape (N,), in tiles."""

    def __init__(self, radius: Ints) -> None:
        count = len(radius)
        self._radius = radius
        self._reach = float(radius.max())
        self._dense = count <= DENSE
        if self._dense:
            self._limit: Ints = np.repeat(radius[:, None], count, axis=1)
            np.fill_diagonal(self._limit, -1)  # nobody sees oneself
            # Viewer and seen, as they stand in a key.
            self._codes: Ints = (np.arange(count)[:, None] << 40) + np.arange(count)

    def find_pairs(self, where: Ints) -> Pairs:
        """Return (viewer, seen, distance), each shape (M,), sorted by viewer, distance, seen.

        Args:
            where: columns and rows of everyone as `Ground.sight` measures them, shape (2, N).
        """
        key = self._list_all(where) if self._dense else self._list_near(where)
        key.sort()
        return key >> 40, key & _LOW, key >> 20 & _LOW

    def _list_all(self, where: Ints) -> Ints:
        offset = where[:, :, None] - where[:, None, :]
        np.abs(offset, out=offset)
        apart = np.maximum(offset[0], offset[1])
        near = apart <= self._limit
        apart <<= 20
        apart += self._codes
        keys: Ints = apart[near]
        return keys

    def _list_near(self, where: Ints) -> Ints:
        from scipy.spatial import cKDTree  # slow to load, and of use to large towns only

        tree = cKDTree(where.T, balanced_tree=False, compact_nodes=False)
        pairs = tree.query_pairs(self._reach, p=np.inf, output_type="ndarray")
        both = np.concatenate([pairs, pairs[:, ::-1]])
        apart = np.abs(where[:, both[:, 0]] - where[:, both[:, 1]]).max(axis=0)
        near = apart <= self._radius[both[:, 0]]
        keys: Ints = (both[near, 0] << 40) + (apart[near] << 20) + both[near, 1]
        return keys


def is_clear(ground: Ground, a: int, b: int) -> bool:
    """Return True if no blocked tile lies on the straight line between two tiles (Bresenham)."""
    (x, y), (x1, y1) = ground.xy(a), ground.xy(b)
    dx, dy = abs(x1 - x), -abs(y1 - y)
    step_x, step_y = (1 if x < x1 else -1), (1 if y < y1 else -1)
    error = dx + dy
    while (x, y) != (x1, y1):
        if not ground.free[ground.tile(x, y)]:
            return False
        twice = 2 * error
        if twice >= dy:
            error, x = error + dy, x + step_x
        if twice <= dx:
            error, y = error + dx, y + step_y
    return True


class Surroundings:
    """The objects and places around each tile for one vision radius, found once a tile."""

    def __init__(self, ground: Ground, radius: int, places_of: tuple[int, ...]) -> None:
        """`places_of`: for each arena the bits of the places one learns by seeing into it."""
        self.ground, self.radius = ground, radius
        self._places_of = places_of
        objects = ground.plan.objects
        tiles = np.array([tile for o in objects for tile in o.tiles], dtype=np.int64)
        self._x, self._y = tiles.reshape(-1, 2).T
        # Of the tiles of all objects, where those of each begin.
        self._first = np.cumsum([0, *(len(o.tiles) for o in objects)], dtype=np.int64)[:-1]
        arenas = np.array([o.arena for o in objects], dtype=np.int64)
        self._zone = ground.zone_of_arena[arenas] if len(objects) else arenas
        self._objects: dict[int, tuple[tuple[int, int], ...]] = {}
        self._exits: dict[int, tuple[int, ...]] = {}
        self.places: list[int | None] = [None] * ground.count

    def objects(self, tile: int) -> tuple[tuple[int, int], ...]:
        """Return (object, distance) in sight of `tile`, nearest first, ties by index."""
        visible = self._objects.get(tile)
        if visible is None:
            x, y = self.ground.xy(tile)
            apart = np.maximum(np.abs(self._x - x), np.abs(self._y - y))
            apart = np.minimum.reduceat(apart, self._first) if len(apart) else apart
            near = (apart <= self.radius) & (self._zone == self.ground.zone[tile])
            pairs = sorted((int(apart[o]), int(o)) for o in np.flatnonzero(near))
            visible = self._objects[tile] = tuple((o, d) for d, o in pairs)
        return visible

    def places_at(self, tile: int) -> int:
        """Return the bits of the places in sight of `tile`: seen into, or entrances seen.

        `places` caches the results, None for tiles not yet asked for.
        """
        g, r = self.ground, self.radius
        x, y = g.xy(tile)
        rows = np.arange(max(0, y - r), min(g.height, y + r + 1))
        columns = np.arange(max(0, x - r), min(g.width, x + r + 1))
        window = (rows[:, None] * g.width + columns).ravel()
        window = window[g.free[window] & (g.zone[window] == g.zone[tile])]
        beyond = g.neighbours[:, window].ravel()
        visible = np.unique(g.arena[np.concatenate([window, beyond[beyond >= 0]])])
        bits = 0
        for arena in visible.tolist():
            bits |= self._places_of[arena]
        self.places[tile] = bits
        self._exits[tile] = tuple(a for a in visible.tolist() if a != g.arena[tile])
        return bits

    def exits(self, tile: int) -> tuple[int, ...]:
        """Return the arenas one sees into, or sees the entrance of, from `tile`; not one's own."""
        if tile not in self._exits:
            self.places_at(tile)
        return self._exits[tile]


_PENDING = 64  # ticks of sightings held back, because writing many at once is faster


class Sightings:
    """For N people the tile on which each last saw each, or -1."""

    def __init__(self, count: int) -> None:
        self._tiles: Ints = np.full((count, count), -1, dtype=np.int64)
        self._pending: list[tuple[Ints, Ints, Ints]] = []

    def note(self, viewer: Ints, seen: Ints, tile: Ints) -> None:
        """Remember that each `viewer` saw `seen`, shapes (M,), where `tile`, by person, says."""
        self._pending.append((viewer, seen, tile))
        if len(self._pending) == _PENDING:
            self._write()

    def last(self, i: int, j: int) -> int:
        """Return the tile on which `i` last saw `j`, -1 if never."""
        self._write()
        return int(self._tiles[i, j])

    def list_last(self, viewers: Ints, seen: Ints) -> Ints:
        """Return the tile on which each of `viewers` last saw each of `seen`, -1 if never."""
        self._write()
        tiles: Ints = self._tiles[viewers, seen]
        return tiles

    def list_all(self) -> Ints:
        """Return the tile on which each last saw each, -1 if never, shape (N, N)."""
        self._write()
        return self._tiles

    def state(self) -> list[list[int]]:
        """Return everything, as JSON values."""
        self._write()
        rows, columns = np.nonzero(self._tiles >= 0)
        return [rows.tolist(), columns.tolist(), self._tiles[rows, columns].tolist()]

    def load_state(self, state: list[list[int]]) -> None:
        """Resume from `state`."""
        self._pending = []
        self._tiles[:] = -1
        rows, columns, tiles = state
        self._tiles[rows, columns] = tiles

    def _write(self) -> None:
        if self._pending:
            viewers, seen, tiles = zip(*self._pending, strict=True)
            where = np.concatenate([t[s] for s, t in zip(seen, tiles, strict=True)])
            # Of what is assigned to one element several times, the last stays.
            self._tiles[np.concatenate(viewers), np.concatenate(seen)] = where
            self._pending = []


class Earshot:
    """The hearers of people in one town, cached while nobody moves.

    Args:
        ground: stood on.
        hearing: how far each hears, in tiles, shape (N,).
    """

    def __init__(self, ground: Ground, hearing: Ints) -> None:
        self._ground, self._hearing = ground, hearing
        self._tile: Ints = np.zeros(0, dtype=np.int64)
        self._present: Bools = np.zeros(0, dtype=np.bool_)
        self._where = ground.sight[:, :0]
        self._near: dict[int, list[int]] = {}

    def find_hearers(self, i: int, tile: Ints, present: Bools) -> list[int]:
        """Return the people near enough to hear `i` (asleep or not), ascending; not to be changed.

        Args:
            i: who speaks.
            tile: of everyone, shape (N,).
            present: who is in town, shape (N,).
        """
        if tile is not self._tile or present is not self._present:
            same = np.array_equal(tile, self._tile) and np.array_equal(present, self._present)
            self._tile, self._present = tile, present
            if not same:
                self._where = self._ground.sight.take(tile, axis=1)
                self._near.clear()
        near = self._near.get(i)
        if near is None:
            where = self._where
            x, y = np.abs(where - where[:, i : i + 1])
            heard = (x <= self._hearing) & (y <= self._hearing) & present
            heard[i] = False
            near = self._near[i] = heard.nonzero()[0].tolist()
        return near
