"""Pay for coming nearer to goals: `world.rewards.shaping`, for many towns."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.observe.columns import GOAL_SLOTS
from genagents_env.scenario.schema import Goal
from genagents_env.train.core.terrain import Terrain
from genagents_env.train.core.towns import KIND, NONE, Rewards, Towns
from genagents_env.world.rewards.shaping import find_way_targets
from genagents_env.world.tiles import STAY, Bools, Ints


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
        self._span: Ints = np.array(span)[towns.layout][:, None]
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
        total, nearest = np.zeros(self._before.shape), np.full(self._before.shape, -np.inf)
        for slot in range(GOAL_SLOTS):
            counts = (goals.kind[..., slot] > 0) & ~goals.done[..., slot]
            part = self._measure_slot(slot)
            total = total + np.where(counts, part, 0.0)
            nearest = np.maximum(nearest, np.where(counts, part, -np.inf))
        return np.where(np.isinf(nearest), 0.0, nearest) if self._either else total

    def _measure_slot(self, slot: int) -> Rewards:
        towns, goals = self._towns, self._towns.goals
        kind, person = goals.kind[..., slot], goals.person[..., slot]
        out: Rewards = np.zeros(kind.shape)
        other = np.take_along_axis(towns.tile, person, axis=1)
        mine = np.isin(kind, _TO_PLACE)
        out = np.where(mine, -self._find_way(slot, towns.tile, mine), out)
        theirs = kind == KIND["bring"]
        out = np.where(theirs, -self._find_way(slot, other, theirs), out)
        out = np.where(kind == KIND["meet"], -self._find_gap(other), out)
        tells = kind == KIND["tell"]
        if tells.any():
            out = np.where(tells, -self._find_ignorance(slot, tells, other), out)
        return np.where(goals.hidden[..., slot], -1.0, out)

    def _find_ignorance(self, slot: int, tells: Bools, other: Ints) -> Rewards:
        """Return the part of the people concerned who do not know, the way to them included."""
        towns, goals = self._towns, self._towns.goals
        person, fact = goals.person[..., slot], goals.fact[..., slot]
        town, people = np.arange(towns.count)[:, None], towns.terrain.people
        ignorant = (people - towns.facts.sum(axis=1)[town, fact]) / people
        unknowing = np.where(person < 0, ignorant, ~towns.facts[town, person, fact])
        knows = towns.facts[town, towns.who.reshape(person.shape), fact]
        to_place = tells & (person < 0) & (self._way[..., slot] != NONE)
        way = np.where(to_place, self._find_way(slot, towns.tile, to_place), 1.0)
        way = np.where(person >= 0, self._find_gap(other), way)
        way = np.where((unknowing > 0) & knows, way, 1.0)
        ignorance: Rewards = unknowing * (1.0 + way) / 2
        return ignorance

    def _find_gap(self, other: Ints) -> Rewards:
        """Return columns and rows to other tiles, over those of the town."""
        terrain, tile = self._towns.terrain, self._towns.tile
        apart = np.abs(terrain.x[other] - terrain.x[tile])
        gap: Rewards = (apart + np.abs(terrain.y[other] - terrain.y[tile])) / self._span
        return gap

    def _find_way(self, slot: int, tile: Ints, where: Bools) -> Rewards:
        """Return the steps from tiles to the goals' places, as a part of the longest way."""
        out = np.zeros(tile.shape)
        out[where] = self._ways.flat[(self._way[..., slot] + tile)[where]]
        return out


_TO_PLACE = [KIND[kind] for kind in ("use", "accuse", "be")]
