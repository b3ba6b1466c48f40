"""Shaping: pay beside the reward, as agents approach their goals."""

from collections.abc import Sequence

import numpy as np

from genagents_env.scenario.schema import Goal
from genagents_env.world.constants import TownConstants
from genagents_env.world.events import JSON
from genagents_env.world.goals import GoalBoard
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World


class Potential:
    """The potentials of the agents of one world.

    A goal that leads to a place counts the steps of a shortest path there over those of the
    longest, and all of it as long as its agent has no word of that place; one that leads to a
    person the columns and rows between both over those of the town. `tell` counts those who do not
    know yet over all: half for that, half for the way to that person or place, from when on its
    agent knows the fact. `keep` and `escape` count nothing.

    Args:
        world: of the agents.
        board: their goals.
        either: the nearest goal of an agent counts alone, in place of all of them.
    """

    def __init__(self, world: World, board: GoalBoard, *, either: bool = False) -> None:
        self._board, self._either = board, either
        ground = world.town.ground
        self._width, self._span = ground.width, ground.width + ground.height
        self._steps: dict[tuple[int, ...], Ints] = {}
        self._targets: dict[tuple[str | None, str | None], tuple[int, ...]] = {}

    def measure(self, world: World, i: int) -> float:
        """Return the potential of `i` now, at most 0."""
        board = self._board
        parts = [
            self._measure_goal(world, i, slot, goal)
            for slot, goal in enumerate(board.goals[i])
            if not board.done[i, slot]
        ]
        return max(parts, default=0.0) if self._either else sum(parts)

    def _measure_goal(self, world: World, i: int, slot: int, goal: Goal) -> float:
        tile = world.state.tile
        if self._board.is_hidden(i, slot):
            return -1.0
        if goal.kind in ("use", "accuse", "be"):
            return -self._measure_way(world, int(tile[i]), goal)
        j = int(self._board.person[i, slot])
        if goal.kind == "bring":
            return -self._measure_way(world, int(tile[j]), goal)
        if goal.kind == "meet":
            return -self._measure_gap(int(tile[i]), int(tile[j]))
        return -self._measure_ignorance(world, i, slot, goal) if goal.kind == "tell" else 0.0

    def _measure_ignorance(self, world: World, i: int, slot: int, goal: Goal) -> float:
        """Return the part of the people concerned who do not know, the way to them included."""
        j, fact = int(self._board.person[i, slot]), int(self._board.fact[i, slot])
        who = range(world.count) if j < 0 else (j,)
        facts, tile = world.state.facts, world.state.tile
        unknowing = sum(not facts[k] >> fact & 1 for k in who) / len(who)
        way = 1.0
        if unknowing and facts[i] >> fact & 1:
            if j >= 0:
                way = self._measure_gap(int(tile[i]), int(tile[j]))
            elif goal.place is not None:
                way = self._measure_way(world, int(tile[i]), goal)
        return unknowing * (1.0 + way) / 2

    def _measure_gap(self, here: int, there: int) -> float:
        """Return columns and rows between two tiles, over those of the town."""
        (y, x), (v, u) = divmod(here, self._width), divmod(there, self._width)
        return (abs(x - u) + abs(y - v)) / self._span

    def _measure_way(self, world: World, tile: int, goal: Goal) -> float:
        """Return the steps from `tile` to the goal's place, as a part of the longest way."""
        key = (goal.object, goal.place)
        targets = self._targets.get(key)
        if targets is None:
            targets = self._targets[key] = find_way_targets(world.town, goal)
        steps = self._steps.get(targets)
        if steps is None:
            steps = self._steps[targets] = np.full(world.town.ground.count, -1, dtype=np.int64)
        if steps[tile] < 0:
            path = world.town.paths.to_tiles.find_path(tile, targets)
            steps[tile] = self._span if path is None else min(self._span, len(path))
        return float(steps[tile]) / self._span


def find_way_targets(town: TownConstants, goal: Goal) -> tuple[int, ...]:
    """Return the tiles to which a goal with a thing or a place leads."""
    if goal.object is not None:
        return town.ground.around(town.plan.objects[town.places.find_object(goal.object)])
    return town.ground.tiles_of(town.places.find_arenas(goal.place or ""))


class Shaping:
    """`shaping * (discount * potential after - potential before)` for each agent with goals.

    The potential of the episode's last state is 0, truncation included, so which policy is best
    does not change (Ng, Harada and Russell 1999; for ends and truncation Grzes 2017).

    Args:
        world: whose reward says how much it counts; 0 is no shaping.
        board: the goals.
        either: of an agent's goals the nearest counts alone, since one of them is enough.

    Attributes:
        potentials: of the owners of goals, in the last state.
    """

    def __init__(self, world: World, board: GoalBoard, *, either: bool = False) -> None:
        declared = world.scenario.reward
        self._weight, self._discount = declared.shaping, declared.discount
        self._owners = board.owners
        self._potential = Potential(world, board, either=either)
        self.potentials: list[float] = []

    def begin(self, world: World) -> None:
        """Begin an episode where the agents stand."""
        if self._weight:
            self.potentials = [self._potential.measure(world, i) for i in self._owners]

    def add(self, world: World, out: dict[str, float], *, ended: bool) -> None:
        """Add what the tick is worth to `out`, by name; `ended`: it was the episode's last."""
        if not self._weight:
            return
        now = [0.0 if ended else self._potential.measure(world, i) for i in self._owners]
        for i, before, after in zip(self._owners, self.potentials, now, strict=True):
            out[world.names[i]] += self._weight * (self._discount * after - before)
        self.potentials = now

    def state(self) -> JSON:
        """Return the potentials of the last state."""
        return list(self.potentials)

    def fits(self, state: Sequence[JSON]) -> bool:
        """Return True if `state` is one of such a reward."""
        numbers = all(isinstance(value, int | float) for value in state)
        return numbers and len(state) == (len(self._owners) if self._weight else 0)

    def load_state(self, state: Sequence[JSON]) -> None:
        """Resume from `state`, which fits."""
        self.potentials = [float(value) for value in state]
