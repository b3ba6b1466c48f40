"""Shortest paths: direction fields for many who walk to one place, A* for one who walks alone.

A direction field holds, for every tile, the next step of a shortest path to the nearest target. It
costs one search over the town and then serves everyone who walks there. A* finds one path, which
may keep clear of some tiles, such as people's.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from genagents_env.scenario.schema import Scenario
from genagents_env.world.places import Places
from genagents_env.world.tiles import DOWN, HOLD, LEFT, OPEN_AIR, RIGHT, STAY, UP, Ground, Ints

FIELD_BYTES = 1 << 26  # direction fields of tiles and objects walked up to, one byte a tile
_GRAPH_BYTES = 1 << 27  # of the steps that may be walked, kept for each building gone to
_KEPT = 4096  # tuples of targets that are known
_AS_SORTED = (UP, LEFT, RIGHT, DOWN)  # the neighbours of a tile by their numbers, ascending

Field = npt.NDArray[np.uint8]
Steps = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]  # a sparse matrix: indptr, indices


class DirectionFields:
    """The fields of one ground, sideways steps only.

    Args:
        ground: walked on.
        cut_through: whether paths may cross a building on the way to another. Where they may not
            and there is no other way (a building inside a building), they do.
    """

    def __init__(self, ground: Ground, *, cut_through: bool = False) -> None:
        self._ground, self._cut_through = ground, cut_through
        self._delta: list[int] = ground.delta.tolist()
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
        views, wanted = self._views, []
        for targets in of:
            known = views.get(id(targets))
            if known is None or known[0] is not targets:
                if len(views) == _KEPT:
                    views.clear()
                known = views[id(targets)] = (targets, self.field(targets).data)
            wanted.append(known[1])
        return wanted

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
        buildings = None
        if not self._cut_through:
            buildings = tuple(np.unique(self._ground.building[goals]).tolist())
        directions, reached = self._spread(goals, self._list_steps(buildings))
        if not self._cut_through and np.isin(self._parts[~reached], self._parts[goals]).any():
            through, _ = self._spread(goals, self._list_steps(None))
            directions = np.where(reached, directions, through)
        directions.flags.writeable = False
        return directions

    @cached_property
    def _parts(self) -> Ints:
        """The connected part of the ground that each tile is in."""
        bounds, ends = self._select_steps(None)
        shape = (self._ground.count, self._ground.count)
        graph = csr_array((self._ones[: len(ends)], ends, bounds), shape=shape)
        parts: Ints = connected_components(graph, directed=False)[1]
        return parts

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

    def _list_steps(self, buildings: tuple[int, ...] | None) -> Steps:
        """Return the steps back that lead into no other building than these, or all; cached."""
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


_NOWHERE: frozenset[int] = frozenset()


class AStar:
    """A* over one ground, sideways steps only; paths are as long as those of `DirectionFields`.

    The estimate is the way to the rectangle around the targets as if nothing stood in it, so of two
    open tiles that promise equally short paths the one found last is tried first.

    Args:
        ground: walked on.
        fields: of the same ground, for the rare tile from which only cutting through a building
            leads to the targets.
        cut_through: whether paths may cross a building on the way to another.
    """

    def __init__(
        self, ground: Ground, fields: DirectionFields, *, cut_through: bool = False
    ) -> None:
        self._ground, self._fields, self._cut_through = ground, fields, cut_through
        self._neighbours: tuple[tuple[int, ...], ...] = ()
        self._building: list[int] = ground.building.tolist()
        self._buildings = set(self._building)

    def __deepcopy__(self, memo: dict[int, object]) -> "AStar":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return partial(AStar, cut_through=self._cut_through), (self._ground, self._fields)

    def find_path(self, tile: int, targets: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the tiles stepped on, the last of them a target; None where there is no way."""
        path = self.find_path_around(tile, targets, _NOWHERE)
        if path is None and not self._cut_through:
            return self._fields.find_path(tile, targets)
        return path

    def find_path_around(
        self, tile: int, targets: tuple[int, ...], taken: Container[int], longest: int | None = None
    ) -> tuple[int, ...] | None:
        """Return the tiles of a shortest path that steps on none of `taken`.

        Args:
            tile: where it begins, taken or not.
            targets: of which it ends at one.
            taken: tiles nobody can step on.
            longest: the most tiles it may have; None for any number.

        Returns:
            Tiles, the last of them a target; empty at a target, None where there is no such path.
        """
        goals = set(targets)
        if tile in goals:
            return ()
        if not goals:
            return None
        if not self._neighbours:
            self._neighbours = self._list_neighbours()
        return self._search(tile, goals, taken, self._ground.count if longest is None else longest)

    def _search(
        self, start: int, goals: set[int], taken: Container[int], longest: int
    ) -> tuple[int, ...] | None:
        width, neighbours, building = self._ground.width, self._neighbours, self._building
        columns, rows = [t % width for t in goals], [t // width for t in goals]
        left, right, top, bottom = min(columns), max(columns), min(rows), max(rows)
        inside = self._buildings if self._cut_through else {OPEN_AIR, *(building[t] for t in goals)}
        before, walked, done = {start: start}, {start: 0}, set()
        # Open tiles by how much longer than at least needed a path over them is, last come first.
        waiting: dict[int, list[int]] = {0: [start]}
        total = 0
        while waiting:
            if total not in waiting:
                total = min(waiting)
            stack = waiting[total]
            tile = stack.pop()
            if not stack:
                del waiting[total]
            if tile in done:
                continue
            done.add(tile)
            if tile in goals:
                return _trace(before, tile)
            steps = walked[tile] + 1
            for near in neighbours[tile]:
                if near in taken or steps >= walked.get(near, steps + 1):
                    continue
                if building[near] not in inside and building[near] != building[tile]:
                    continue
                x, y = near % width, near // width
                ahead = (left - x if x < left else x - right if x > right else 0) + (
                    top - y if y < top else y - bottom if y > bottom else 0
                )
                if steps + ahead > longest:
                    continue
                walked[near], before[near] = steps, tile
                waiting.setdefault(steps + ahead, []).append(near)
        return None

    def _list_neighbours(self) -> tuple[tuple[int, ...], ...]:
        columns = self._ground.neighbours.T.tolist()
        return tuple(tuple(near for near in four if near >= 0) for four in columns)


PathFinder: TypeAlias = DirectionFields | AStar


def _trace(before: dict[int, int], tile: int) -> tuple[int, ...]:
    path = []
    while before[tile] != tile:
        path.append(tile)
        tile = before[tile]
    return tuple(reversed(path))


DETOUR = 16  # tiles that getting round others may add to a walk, twice the usual radius of sight


@dataclass(slots=True)
class Way:
    """A planned way; it holds only for one who still stands `at` its beginning.

    Attributes:
        goals: the tiles walked to.
        at: the tile from which it leads on.
        ahead: the tiles to step on, the next one last.
        aside: whether it ends beside the goals, since people stand on all of them.
        waited: steps that others have kept one from taking, in a row.
        slack: tiles by which getting round others may still make it longer.
    """

    goals: frozenset[int]
    at: int
    ahead: list[int]
    aside: bool = False
    waited: int = 0
    slack: int = DETOUR

    @property
    def end(self) -> int:
        """The tile to which it leads."""
        return self.ahead[0] if self.ahead else self.at


class PlacePaths:
    """Direction fields to the places of one town, and how fast people walk along them.

    Only the number of computed fields changes, so worlds of one scenario share it. `to_tiles` has
    the fields to any other tiles, `astar` finds paths one by one; `finder` is the one of them by
    which those find their way who walk by `rules.paths`.
    """

    def __init__(self, ground: Ground, places: Places, scenario: Scenario) -> None:
        self.ground, self.places = ground, places
        rules = scenario.rules
        self.to_tiles = DirectionFields(ground, cut_through=rules.cut_through_houses)
        self.astar = AStar(ground, self.to_tiles, cut_through=rules.cut_through_houses)
        self.finder: PathFinder = self.astar if rules.paths == "astar" else self.to_tiles
        # Whether everyone has an own way (see `crowd`), and not all the same fields.
        self.one_by_one = rules.paths == "astar" or rules.bodies_block
        self._targets: dict[int, tuple[int, ...]] = {}
        self._tiles_per_tick = rules.walk_speed * scenario.seconds_per_tick
        count = len(places.all)
        # One row a place, flat; goal -1 reads the last row, which holds everyone where they are.
        self.fields: Field = np.zeros((count + 1) * ground.count, dtype=np.uint8)
        self.fields[count * ground.count :] = HOLD
        self.hold = count * ground.count
        self._ready: npt.NDArray[np.bool_] = np.zeros(count + 1, dtype=np.bool_)
        self._ready[count] = True
        self._all_ready = False

    def find_targets(self, place: int) -> tuple[int, ...]:
        """Return the tiles at which one has arrived at a place: its inside, not its doors."""
        targets = self._targets.get(place)
        if targets is None:
            plan, arenas = self.ground.plan, set(self.places.all[place].arenas)
            public = {a for a in arenas if not plan.arenas[a].users}
            targets = self._targets[place] = self.ground.inside_of(public or arenas)
        return targets

    def prepare(self, goals: Ints) -> None:
        """Compute the missing direction fields to `goals`, place indices or -1, any shape."""
        if self._all_ready or np.count_nonzero(self._ready[goals]) == goals.size:
            return
        for place in np.unique(goals[~self._ready[goals]]).tolist():
            start = place * self.ground.count
            field = self.to_tiles.field(self.find_targets(place))
            self.fields[start : start + self.ground.count] = field
            self._ready[place] = True
        self._all_ready = bool(self._ready.all())

    def field(self, place: int) -> Field:
        """Return the direction field to one place that has been prepared."""
        return self.fields[place * self.ground.count : (place + 1) * self.ground.count]

    def tiles_at(self, tick: int) -> int:
        """Return the number of tiles that walkers advance at `tick`."""
        speed = self._tiles_per_tick
        return int(tick * speed + 1e-9) - int((tick - 1) * speed + 1e-9)
