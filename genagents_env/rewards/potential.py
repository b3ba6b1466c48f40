"""How near each agent is to its goals: 0 when nothing is left, at least -1 for each goal."""

import numpy as np

from genagents_env.goals import GoalBoard
from genagents_env.scenario.schema import Goal
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
        """Return which part of those whom a goal is about do not know, the way to them included."""
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

    def _measure_gap(self, one: int, other: int) -> float:
        """Return columns and rows between two tiles, over those of the town."""
        (y, x), (v, u) = divmod(one, self._width), divmod(other, self._width)
        return (abs(x - u) + abs(y - v)) / self._span

    def _measure_way(self, world: World, tile: int, goal: Goal) -> float:
        """Return the steps from `tile` to the goal's place, as a part of the longest way."""
        key = (goal.object, goal.place)
        targets = self._targets.get(key)
        if targets is None:
            targets = self._targets[key] = _list_targets(world, goal)
        steps = self._steps.get(targets)
        if steps is None:
            steps = self._steps[targets] = np.full(world.town.ground.count, -1, dtype=np.int64)
        if steps[tile] < 0:
            path = world.town.paths.to_tiles.find_path(tile, targets)
            steps[tile] = self._span if path is None else min(self._span, len(path))
        return float(steps[tile]) / self._span


def _list_targets(world: World, goal: Goal) -> tuple[int, ...]:
    ground = world.town.ground
    if goal.object is not None:
        return ground.around(world.plan.objects[world.town.places.find_object(goal.object)])
    return ground.tiles_of(world.town.places.find_arenas(goal.place or ""))
