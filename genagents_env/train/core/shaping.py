"""Pay for coming nearer to goals: `world.rewards.shaping`, for many towns."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.schema import Goal
from genagents_env.train.core.terrain import Terrain
from genagents_env.train.core.towns import KIND, NONE, Rewards, Towns, mark_kinds
from genagents_env.world.rewards.shaping import find_way_targets
from genagents_env.world.tiles import STAY, Bools, Ints

_TO_PLACE = mark_kinds("use", "accuse", "be")


class Ways:
    """How many steps it is from every tile to the targets of goals, as a part of the longest way.

    A row is where the numbers of a goal begin less the first tile of its layout.
    """

    def __init__(self, terrain: Terrain) -> None:
        self._terrain = terrain
        self._rows: dict[tuple[int, str | None, str | None], int] = {}
        self.flat: npt.NDArray[np.float64] = np.zeros(0)

    def find(self, layout: int, goal: Goal) -> int:
        """Return the row of a goal that leads to a thing or a place, NONE of any other."""
        if goal.object is None and goal.place is None:
            return NONE
        key = (layout, goal.object, goal.place)
        if key not in self._rows:
            first = int(self._terrain.first[layout])
            parts = self._measure(layout, goal)
            self._rows[key] = len(self.flat) - first
            self.flat = np.concatenate([self.flat, parts])
        return self._rows[key]

    def _measure(self, layout: int, goal: Goal) -> npt.NDArray[np.float64]:
        town = self._terrain.worlds[layout].town
        ground, span = town.ground, town.ground.width + town.ground.height
        targets = find_way_targets(town, goal)
        field = town.paths.to_tiles.field(targets)
        tile, steps = np.arange(ground.count), np.zeros(ground.count, dtype=np.int64)
        while True:
            direction = field[tile]
            walking = direction != STAY
            if not walking.any():
                break
            steps += walking
            tile = tile + ground.delta[direction]
        arrived = np.isin(tile, targets)
        return np.where(arrived, np.minimum(steps, span), span) / span


class Shaper:
    """`shaping * (discount * potential after - potential before)` for each agent with goals.

    Args:
        towns: of the agents.
        either: of an agent's goals the nearest counts alone.
    """

    def __init__(self, towns: Towns, *, either: bool) -> None:
        self._towns, self._either, terrain = towns, either, towns.terrain
        declared = [world.scenario.reward for world in terrain.worlds]
        self._weight = np.array([d.shaping for d in declared])[towns.layout][:, None]
        self._discount = np.array([d.discount for d in declared])[towns.layout][:, None]
        span = [w.town.ground.width + w.town.ground.height for w in terrain.worlds]
        self._span: Ints = np.array(span)[towns.layout][:, None, None]
        self._town: Ints = np.arange(towns.count)[:, None, None]
        self._ways = Ways(terrain)
        self._way: Ints = np.full(towns.goals.kind.shape, NONE)
        self._before = np.zeros(towns.tile.shape)
        self._used = bool(self._weight.any())

    def read(self, t: int, potentials: Sequence[float]) -> None:
        """Go on from the potentials of the owners of goals in town `t`."""
        if not self._used:
            return
        board, layout = self._towns.envs[t].parts.reward.board, int(self._towns.layout[t])
        for i, potential in zip(board.owners, potentials, strict=False):
            self._before[t, i] = potential
        for i in board.owners:
            for slot, goal in enumerate(board.goals[i]):
                self._way[t, i, slot] = self._ways.find(layout, goal)

    def add(self, out: Rewards, ended: Bools) -> None:
        """Add what the tick is worth to `out`; `ended`: it was a town's last."""
        if not self._used:
            return
        now = np.where(ended[:, None], 0.0, self._measure())
        out += self._weight * (self._discount * now - self._before)
        self._before = now

    def _measure(self) -> Rewards:
        """Return the potentials of everybody now, at most 0."""
        goals = self._towns.goals
        counts, parts = (goals.kind > 0) & ~goals.done, self._measure_goals()
        if self._either:
            nearest = np.where(counts, parts, -np.inf).max(axis=2)
            return np.where(np.isinf(nearest), 0.0, nearest)
        total: Rewards = np.where(counts, parts, 0.0).sum(axis=2, initial=0.0)
        return total

    def _measure_goals(self) -> Rewards:
        """Return the potential of each goal, shape (T, N, GOAL_SLOTS)."""
        towns, goals, kind = self._towns, self._towns.goals, self._towns.goals.kind
        here = np.broadcast_to(towns.tile[..., None], kind.shape)
        other = towns.tile[self._town, goals.person]
        known = self._way != NONE  # in towns that are shaped, of places that are
        mine, theirs = known & _TO_PLACE[kind], known & (kind == KIND["bring"])
        tells = kind == KIND["tell"]
        out: Rewards = np.zeros(kind.shape)
        out[mine] = -self._find_way(here, mine)
        out[theirs] = -self._find_way(other, theirs)
        out = np.where(kind == KIND["meet"], -self._find_gap(here, other), out)
        if tells.any():
            out = np.where(tells, -self._find_ignorance(tells, here, other), out)
        return np.where(goals.hidden, -1.0, out)

    def _find_ignorance(self, tells: Bools, here: Ints, other: Ints) -> Rewards:
        """Return the part of the people concerned who do not know, the way to them included."""
        towns, person, fact = self._towns, self._towns.goals.person, self._towns.goals.fact
        people, facts, town = towns.terrain.people, towns.facts, self._town
        ignorant = (people - facts.sum(axis=1)[town, fact]) / people
        unknowing = np.where(person < 0, ignorant, ~facts[town, person, fact])
        to_place, way = tells & (person < 0) & (self._way != NONE), np.ones(tells.shape)
        way[to_place] = self._find_way(here, to_place)
        way = np.where(person >= 0, self._find_gap(here, other), way)
        way = np.where((unknowing > 0) & np.take_along_axis(facts, fact, axis=2), way, 1.0)
        ignorance: Rewards = unknowing * (1.0 + way) / 2
        return ignorance

    def _find_gap(self, here: Ints, there: Ints) -> Rewards:
        """Return columns and rows between tiles, over those of the town."""
        terrain = self._towns.terrain
        apart = np.abs(terrain.x[there] - terrain.x[here])
        gap: Rewards = (apart + np.abs(terrain.y[there] - terrain.y[here])) / self._span
        return gap

    def _find_way(self, tile: Ints, where: Bools) -> Rewards:
        """Return the steps from tiles to the goals' places, as a part of the longest way."""
        way: Rewards = self._ways.flat[(self._way + tile)[where]]
        return way
