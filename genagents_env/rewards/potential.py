"""How near each agent is to its goals: 0 when nothing is left, at least -1 for each goal."""

import numpy as np

from genagents_env.goals import GoalBoard
from genagents_env.scenario.schema import Goal
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World


class Potential:
    """The potentials of the agents of one world.

    A goal that leads to a place counts the steps of a shortest path there over those of the
    longest; one that leads to a person the columns and rows between both over those of the town;
    `tell` those who do not know yet over all. `keep` counts nothing.

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
        if goal.kind in ("use", "accuse", "be"):
            return -self._measure_way(world, int(tile[i]), goal)
        j = int(self._board.person[i, slot])
        if goal.kind == "bring":
            return -self._measure_way(world, int(tile[j]), goal)
        if goal.kind == "meet":
            (y, x), (v, u) = divmod(int(tile[i]), self._width), divmod(int(tile[j]), self._width)
            return -(abs(x - u) + abs(y - v)) / self._span
        if goal.kind == "tell":
            fact = int(self._board.fact[i, slot])
            who = range(world.count) if j < 0 else (j,)
            unknowing = sum(not world.state.facts[k] >> fact & 1 for k in who)
            return -unknowing / len(who)
        return 0.0

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
