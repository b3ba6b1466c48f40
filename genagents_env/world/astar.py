"""A*: one shortest path from one tile, which may keep clear of some tiles, such as people's.

For one walker who goes where nobody else goes, or has to get round others; where many walk to one
place, direction fields (`direction_fields`) cost less.
"""

from collections.abc import Container
from functools import partial

from genagents_env.world.direction_fields import DirectionFields
from genagents_env.world.tiles import OPEN_AIR, Ground

_NOWHERE: frozenset[int] = frozenset()


class AStar:
    """A* over one ground, sideways steps only. Implements `path_finder.PathFinder`.

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


def _trace(before: dict[int, int], tile: int) -> tuple[int, ...]:
    path = []
    while before[tile] != tile:
        path.append(tile)
        tile = before[tile]
    return tuple(reversed(path))
