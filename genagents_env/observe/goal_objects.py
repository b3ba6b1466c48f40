"""The objects that goals are about: their states as numbers, and from where they can be used."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.world.tiles import Ints
from genagents_env.world.world import World

Bools = npt.NDArray[np.bool_]


class GoalObjects:
    """Tables of the K objects of goals in T towns of one scenario.

    Args:
        worlds: the towns.
        objects: the indices of the objects.
    """

    def __init__(self, worlds: Sequence[World], objects: Sequence[int]) -> None:
        self._worlds, self._objects = worlds, tuple(objects)
        world = worlds[0]
        plans = [world.plan.objects[o] for o in objects]
        self._row: Ints = np.full(len(world.plan.objects) + 1, len(plans), dtype=np.int64)
        self._row[list(objects)] = np.arange(len(plans))
        most = max((len(plan.states) for plan in plans), default=0)
        # By object, state now and state wanted: as which next state it can be had, -1 if it cannot.
        # The state after the last of an object is any that its plan does not name.
        self._next: Ints = np.full((len(plans) + 1, most + 1, most + 1), -1, dtype=np.int64)
        self._code: list[dict[str, int]] = []
        self._users: Bools = np.zeros((len(plans) + 1, world.count), dtype=np.bool_)
        self._reach: Bools = np.zeros((len(plans) + 1, world.town.ground.count), dtype=np.bool_)
        for k, (o, plan) in enumerate(zip(objects, plans, strict=True)):
            code = {state: s for s, state in enumerate(plan.states)}
            self._code.append(code)
            for now, number in (*code.items(), ("", len(code))):
                for s, state in enumerate(world.state.objects.next_states(o, now)):
                    if state in code:
                        self._next[k, number, code[state]] = s
            self._users[k] = [not plan.users or name in plan.users for name in world.names]
            self._reach[k] = _find_reach(world, o)
        self._now: Ints = np.zeros((len(worlds), len(plans) + 1), dtype=np.int64)
        self._states: list[object] = [None] * len(worlds)

    def refresh(self) -> None:
        """Take over the states that the objects are in now."""
        for t, world in enumerate(self._worlds):
            states = world.state.objects.states
            if states is not self._states[t]:
                self._states[t] = states
                for k, (o, code) in enumerate(zip(self._objects, self._code, strict=True)):
                    self._now[t, k] = code.get(states[o], len(code))

    def find_now(self, towns: Ints, objects: Ints) -> Ints:
        """Return the states that objects are in, by number; all shapes (M,)."""
        now: Ints = self._now[towns, self._row[objects]]
        return now

    def find_next(self, towns: Ints, objects: Ints, wanted: Ints) -> Ints:
        """Return as which of its next states an object can be had in the wanted one, -1 if not."""
        row = self._row[objects]
        found: Ints = self._next[row, self._now[towns, row], wanted]
        return found

    def find_in_reach(self, people: Ints, tiles: Ints, objects: Ints) -> Bools:
        """Return who may use which object from where they are."""
        row = self._row[objects]
        found: Bools = self._reach[row, tiles] & self._users[row, people]
        return found


def _find_reach(world: World, o: int) -> Bools:
    """Return from which tiles an object is within reach, shape (tiles,)."""
    ground, item = world.town.ground, world.plan.objects[o]
    found = np.zeros((ground.height, ground.width), dtype=np.bool_)
    for x, y in item.tiles:
        found[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2] = True
    near: Bools = found.ravel() & (ground.zone == ground.zone_of_arena[item.arena])
    return near
