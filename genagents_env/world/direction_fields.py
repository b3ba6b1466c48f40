"""Direction fields: from every tile the next step of a shortest path to the nearest target.

A field costs one search over the town and then serves everyone who walks there, from wherever.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from genagents_env.world.tiles import DOWN, LEFT, OPEN_AIR, RIGHT, STAY, UP, Ground, Ints

FIELD_BYTES = 1 << 26  # direction fields of tiles and objects walked up to, one byte a tile
_GRAPH_BYTES = 1 << 27  # of the steps that may be walked, kept for each building gone to
_KEPT = 4096  # tuples of targets that are known
_AS_SORTED = (UP, LEFT, RIGHT, DOWN)  # the neighbours of a tile by their numbers, ascending

Field = npt.NDArray[np.uint8]
Steps = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]  # a sparse matrix: indptr, indices


class DirectionFields:
    """The fields of one ground. Implements `path_finder.PathFinder`.

    Args:
        ground: walked on.
        cut_through: whether paths may cross a building on the way to another. Where they may not
            and there is no other way (a building inside a building), they do.
    """

    def __init__(self, ground: Ground, *, cut_through: bool = False) -> None:
        self._ground, self._cut_through = ground, cut_through
        self._delta: list[int] = ground.delta.tolist()
        # The part of the ground that each tile hangs together with.
        shape = (ground.height, ground.width)
        self._parts: Ints = ndimage.label(ground.free.reshape(shape))[0].ravel()
        self._tiles = np.arange(ground.count, dtype=np.int32)
        self._ones = np.ones(5 * ground.count + 1)
        self._direction: Field = np.zeros(2 * ground.width + 1, dtype=np.uint8)
        for direction in (UP, LEFT, DOWN, RIGHT):
            self._direction[self._delta[direction] + ground.width] = direction
        self._fields: dict[tuple[int, ...], Field] = {}
        # By the tuple itself, which is held: the hash of thousands of tiles takes a while.
        self._views: dict[int, tuple[tuple[int, ...], memoryview]] = {}
        self._steps: dict[tuple[int, ...] | None, Steps] = {}

    def __deepcopy__(self, memo: dict[int, object]) -> "DirectionFields":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return partial(DirectionFields, cut_through=self._cut_through), (self._ground,)

    def field(self, targets: tuple[int, ...]) -> Field:
        """Return the direction of the next step from every tile, uint8, STAY at a target.

        Computed once per set of targets; the oldest fields are dropped beyond FIELD_BYTES.
        """
        field = self._fields.get(targets)
        if field is None:
            if len(self._fields) * self._ground.count > FIELD_BYTES:
                del self._fields[next(iter(self._fields))]
                self._views.clear()
            field = self._fields[targets] = self._search(targets)
        return field

    def list_views(self, of: Sequence[tuple[int, ...]]) -> list[memoryview]:
        """Return the `field` of each of many targets, to be read tile by tile.

        Faster for targets that were given before, as the same objects.
        """
        views, found = self._views, []
        for targets in of:
            known = views.get(id(targets))
            if known is None or known[0] is not targets:
                if len(views) == _KEPT:
                    views.clear()
                known = views[id(targets)] = (targets, self.field(targets).data)
            found.append(known[1])
        return found

    def first_step(self, tile: int, targets: tuple[int, ...]) -> int:
        """Return the direction of the first step from `tile` to the nearest of `targets`."""
        return int(self.field(targets)[tile])

    def find_path(self, tile: int, targets: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the tiles stepped on, the last of them a target; None where there is no way."""
        field, delta, path = self.field(targets).data, self._delta, []
        here = tile
        while direction := field[here]:
            here += delta[direction]
            path.append(here)
        return tuple(path) if path or tile in targets else None

    def _search(self, targets: tuple[int, ...]) -> Field:
        """Search breadth-first from the targets, where one may not cut through and then anywhere.

        From where no path keeps out of other buildings, one leads to where such a path begins.
        """
        goals = np.unique(np.array(targets, dtype=np.int32))
        directions, reached = self._spread(goals, self._find_steps(goals))
        if not self._cut_through and (self._is_near(goals) & ~reached).any():
            through, _ = self._spread(goals, self._list_steps(None))
            directions = np.where(reached, directions, through)
        directions.flags.writeable = False
        return directions

    def _is_near(self, goals: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Return from which tiles there is any way to the goals, whatever it leads through."""
        found = np.zeros(int(self._parts.max()) + 1, dtype=np.bool_)
        found[self._parts[goals]] = True
        near: npt.NDArray[np.bool_] = found[self._parts]
        return near

    def _spread(
        self, goals: npt.NDArray[np.int32], steps: Steps
    ) -> tuple[Field, npt.NDArray[np.bool_]]:
        """Return directions to the goals over some steps, and from where there is a way."""
        count, (bounds, ends) = self._ground.count, steps
        # One node before all goals, from which the search begins.
        bounds = np.append(bounds, bounds[-1] + np.int32(len(goals)))
        ends = np.concatenate([ends, goals])
        edges = csr_array((self._ones[: len(ends)], ends, bounds), shape=(count + 1, count + 1))
        _, before = breadth_first_order(edges, count, return_predecessors=True)
        before = before[:count]
        reached = before >= 0
        # Where one step leads is told by the difference of two tiles.
        step = np.where(reached, before - self._tiles, 0) + self._ground.width
        directions: Field = self._direction.take(step, mode="clip")
        directions[goals] = STAY
        return directions, reached

    def _find_steps(self, goals: npt.NDArray[np.int32]) -> Steps:
        """Return the steps back from `goals` that may be walked; kept by the buildings gone to."""
        if self._cut_through:
            return self._list_steps(None)
        buildings = np.unique(self._ground.building[goals])
        return self._list_steps(tuple(buildings.tolist()))

    def _list_steps(self, buildings: tuple[int, ...] | None) -> Steps:
        """Return all steps back, or those that lead into no other building than these."""
        steps = self._steps.get(buildings)
        if steps is None:
            if (len(self._steps) + 1) * self._ground.count * 20 > _GRAPH_BYTES:
                self._steps.clear()
            steps = self._steps[buildings] = self._select_steps(buildings)
        return steps

    def _select_steps(self, buildings: tuple[int, ...] | None) -> Steps:
        ground = self._ground
        end = ground.neighbours[[direction - UP for direction in _AS_SORTED]].T
        open_ = (end >= 0) & ground.free[:, None]
        if buildings is not None:
            # The search runs backwards: its step out of a building is a walker's step into it.
            inside = ground.building
            entered = inside[:, None] != inside[end]
            shut = (inside != OPEN_AIR) & ~np.isin(inside, buildings)
            open_ &= ~(entered & shut[:, None])
        bounds: Ints = np.concatenate([[0], open_.sum(axis=1).cumsum()])
        return bounds.astype(np.int32), end[open_].astype(np.int32)
