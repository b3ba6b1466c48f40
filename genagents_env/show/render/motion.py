"""Positions of people between ticks: from tile to tile at the speed at which they walk.

Everybody takes the town's steps together, and step k ends when the speed has got one k tiles far:
at a speed of v tiles a tick it takes from (k - 1) / v to k / v. The record has where people stood
as each tick ended; which tiles they stepped on in between is a shortest path.
"""

from math import ceil, floor

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import Rules
from genagents_env.world.paths import AStar, DirectionFields
from genagents_env.world.tiles import Ground

Floats = npt.NDArray[np.float64]
_CLOSE = 1e-9  # of a tile; as `PlacePaths.tiles_at` rounds


class Motion:
    """The walks of N people, noted tick by tick, at any time between.

    Args:
        plan: of the town.
        rules: of its scenario.
        seconds_per_tick: simulated.
    """

    def __init__(self, plan: TownPlan, rules: Rules, seconds_per_tick: int) -> None:
        self._ground = Ground(plan)
        fields = DirectionFields(self._ground, cut_through=rules.cut_through_houses)
        self._astar = AStar(self._ground, fields, cut_through=rules.cut_through_houses)
        self._speed = rules.walk_speed * seconds_per_tick  # tiles a tick
        self._first = 0
        self._tiles: list[list[int]] = []  # of everyone, tick by tick from the first noted
        self._trails: tuple[int, list[tuple[int, ...]]] = (-1, [])  # of one tick

    def note(self, tick: int, positions: npt.NDArray[np.integer]) -> None:
        """Take where everyone stands as `tick` ends.

        Args:
            tick: the one after that of the last call.
            positions: columns and rows, shape (N, 2).
        """
        if not self._tiles:
            self._first = tick
        columns, rows = positions[:, 0].astype(np.int64), positions[:, 1].astype(np.int64)
        self._tiles.append((rows * self._ground.width + columns).tolist())

    @property
    def last_tick(self) -> int:
        """The last tick noted."""
        return self._first + len(self._tiles) - 1

    @property
    def known_until(self) -> float:
        """The time up to which nothing that is noted later changes where people are, in ticks."""
        return max(float(self._first), self._count_steps(self.last_tick) / self._speed)

    def find_positions(self, time: float) -> Floats:
        """Return columns and rows of everyone, shape (N, 2), in tiles.

        Who is put elsewhere is there as the tick ends.

        Args:
            time: in ticks, such as 7.5, from the first noted to the last. Beyond `known_until`
                people stand.
        """
        gone = time * self._speed
        done = floor(gone + _CLOSE)  # steps that have ended
        tick = self._find_tick(done + 1)
        now = max(floor(time), self._find_tick(done))
        if tick > self.last_tick:
            return self._place(self._tiles_at(min(now, self.last_tick)))
        before, trails = self._tiles_at(tick - 1), self._find_trails(tick)
        at = done - self._count_steps(tick - 1)
        share = max(0.0, gone - done)
        waiting = self._tiles_at(now) if now < tick - 1 else before
        start, end = [], []
        for here, tile, trail in zip(waiting, before, trails, strict=True):
            # Who is put elsewhere before this step is still where they were.
            way = trail if here == tile else (here,)
            start.append(way[min(at, len(way) - 1)])
            end.append(way[min(at + 1, len(way) - 1)])
        return self._place(start) * (1 - share) + self._place(end) * share

    def _count_steps(self, tick: int) -> int:
        """Count the steps taken by the end of `tick`."""
        return floor(tick * self._speed + _CLOSE)

    def _find_tick(self, step: int) -> int:
        """Return the tick in which a step is taken, as the world takes it."""
        tick = ceil(step / self._speed - _CLOSE)
        while self._count_steps(tick) < step:
            tick += 1
        return max(self._first, tick)

    def _tiles_at(self, tick: int) -> list[int]:
        return self._tiles[max(0, tick - self._first)]

    def _find_trails(self, tick: int) -> list[tuple[int, ...]]:
        """Return the tiles on which everyone was during a tick, the first that of the tick before.

        Of who was put elsewhere it is that one alone.
        """
        if self._trails[0] != tick:
            most = self._count_steps(tick) - self._count_steps(tick - 1)
            pairs = zip(self._tiles_at(tick - 1), self._tiles_at(tick), strict=True)
            self._trails = (tick, [self._find_trail(*pair, most) for pair in pairs])
        return self._trails[1]

    def _find_trail(self, here: int, there: int, most: int) -> tuple[int, ...]:
        if here == there:
            return (here,)
        path = self._astar.find_path_around(here, (there,), (), most)
        return (here, *path) if path else (here,)

    def _place(self, tiles: list[int]) -> Floats:
        at = np.array(tiles, dtype=np.float64).reshape(-1)
        return np.stack([at % self._ground.width, at // self._ground.width], axis=1)
