"""The states of the things of any number of towns as arrays: what may follow what, and for whom."""

from collections.abc import Collection, Sequence

import numpy as np

from genagents_env.observe.columns import STATE_SLOTS
from genagents_env.observe.spaces import Floats
from genagents_env.scenario.plan import ObjectPlan
from genagents_env.world.tiles import Bools, Ints
from genagents_env.world.world import World


class ThingTables:
    """The states of the things of L layouts, by number: the last of a thing is any other.

    All tables begin with layout and thing, of which the last is none; states follow.

    Attributes:
        code: the numbers of the states by name, of each thing of each layout.
        states: how many a plan names, at least 1.
        number: what observations show of a state.
        following: the states that may follow one, in menu order; -1 where there are no more.
        options: how many of them a menu shows.
        number_of: as which of them another state follows, -1 if it does not; by state now, wanted.
        name_of: the person whose name a state is, -1 for nobody.
        sleeps: whether one who brings about a state sleeps then.
        users: who may use a thing, by person.

    Args:
        worlds: one of each layout.
        wanted: the things of each layout that goals are about.
        only: leave the others out.
    """

    def __init__(
        self, worlds: Sequence[World], wanted: Sequence[Collection[int]], *, only: bool = False
    ) -> None:
        plans = [world.plan.objects for world in worlds]
        most = max((len(plan.states) for own in plans for plan in own), default=0) + 1
        shape = (len(worlds), max(map(len, plans)) + 1)
        first = np.cumsum([0, *(world.town.ground.count for world in worlds)]).tolist()
        self.code: list[list[dict[str, int]]] = [
            [{state: s for s, state in enumerate(plan.states)} for plan in own] for own in plans
        ]
        self.states: Ints = np.ones(shape, dtype=np.int64)
        self.number: Floats = np.ones((*shape, most), dtype=np.float32)
        self.following: Ints = np.full((*shape, most, max(most, STATE_SLOTS)), -1)
        self.options: Ints = np.zeros((*shape, most), dtype=np.int64)
        self.number_of: Ints = np.full((*shape, most, most), -1)
        self.name_of: Ints = np.full((*shape, most), -1)
        self.sleeps: Bools = np.zeros((*shape, most), dtype=np.bool_)
        self.users: Bools = np.zeros((*shape, worlds[0].count), dtype=np.bool_)
        self._column: Ints = np.full(shape, -1)
        self._reach: Bools = np.zeros((first[-1], max(map(len, wanted)) + 1), dtype=np.bool_)
        for layout, (world, own) in enumerate(zip(worlds, wanted, strict=True)):
            for o in sorted(own) if only else range(len(plans[layout])):
                self._tabulate(world, (layout, o), plans[layout][o])
            for column, o in enumerate(sorted(own)):
                self._column[layout, o] = column
                self._mark_reach(world, first[layout], column, plans[layout][o])

    def find_in_reach(self, layout: Ints, thing: Ints, tile: Ints) -> Bools:
        """Mark the things of goals that can be used from tiles; all shapes (M,)."""
        return self._reach[tile, self._column[layout, thing]]

    def find_named(self, layout: Ints, thing: Ints, state: Ints) -> Ints:
        """Return whom the states name that may follow, -1 for nobody: (M, STATE_SLOTS)."""
        following = self.following[layout, thing, state, :STATE_SLOTS]
        return self.name_of[layout[:, None], thing[:, None], following]

    def find_states(self, layout: int, states: Sequence[str]) -> list[int]:
        """Return the numbers of states, a state for each thing of a layout."""
        codes = zip(self.code[layout], states, strict=True)
        return [code.get(state, len(code)) for code, state in codes]

    def _tabulate(self, world: World, at: tuple[int, int], plan: ObjectPlan) -> None:
        (layout, o), objects, index = at, world.state.objects, world.town.people.index
        code = self.code[layout][o]
        self.states[at] = max(1, len(code))
        self.users[at] = [not plan.users or name in plan.users for name in world.names]
        for now, s in (*code.items(), ("", len(code))):
            self.number[(*at, s)] = s / len(code) if s < len(code) else 1.0
            self.sleeps[(*at, s)] = plan.sleep_state is not None and now == plan.sleep_state
            self.name_of[(*at, s)] = index.get(now, -1)
            options = objects.next_states(o, now)
            self.options[(*at, s)] = min(len(options), STATE_SLOTS)
            for k, state in enumerate(options):
                becomes = objects.match_option(o, options, state)
                self.following[(*at, s, k)] = code.get(becomes or "", len(code))
                if state in code:
                    self.number_of[(*at, s, code[state])] = k

    def _mark_reach(self, world: World, start: int, column: int, plan: ObjectPlan) -> None:
        ground = world.town.ground
        near = np.zeros((ground.height, ground.width), dtype=np.bool_)
        for x, y in plan.tiles:
            near[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2] = True
        there = near.ravel() & (ground.zone == ground.zone_of_arena[plan.arena])
        self._reach[start : start + ground.count, column] = there
