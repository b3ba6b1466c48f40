"""Walking: everyone's next tiles at once, doors and their rules, making room on arrival."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.schema import Scenario
from genagents_env.world.acts import Act, Go
from genagents_env.world.places import Places
from genagents_env.world.snapshot import Bools, Outcome
from genagents_env.world.tiles import HOLD, STAY, Ground, Ints

if TYPE_CHECKING:
    from genagents_env.world.town import World

WALK_EMOJI, THERE_EMOJI, IDLE = "🚶", "🧍", "standing around"


class Walking:
    """Direction fields to all named places, and the rules on the way.

    Nothing in it changes but what has been computed so far, so worlds of one scenario share it.
    """

    def __init__(self, ground: Ground, places: Places, scenario: Scenario) -> None:
        self.ground, self.places = ground, places
        self._tiles_per_tick = scenario.rules.walk_speed * scenario.seconds_per_tick
        count = len(places.all)
        # One row a place, flat; goal -1 reads the last row, which holds everyone where they are.
        self.fields: npt.NDArray[np.uint8] = np.zeros((count + 1) * ground.count, dtype=np.uint8)
        self.fields[count * ground.count :] = HOLD
        self._ready: npt.NDArray[np.bool_] = np.zeros(count + 1, dtype=np.bool_)
        self._ready[count] = True
        self._all_ready = False
        self._walking = tuple(f"walking to {p.label}" for p in places.all)
        self._there = tuple(f"at {p.label}" for p in places.all)

    def shown_by_walking(self, doing: str) -> bool:
        """Return whether `doing` was set by walking, and so ends with it."""
        return doing.startswith(("walking to ", "talking to "))

    def targets(self, place: int) -> tuple[int, ...]:
        """Return the tiles at which one has arrived at a place: its inside, not its doors."""
        plan, arenas = self.ground.plan, set(self.places.all[place].arenas)
        public = {a for a in arenas if not plan.arenas[a].users}
        tiles = self.ground.tiles_of(public or arenas)
        doors = {self.ground.tile(x, y) for x, y in plan.doors}
        return tuple(t for t in tiles if t not in doors) or tuple(tiles)

    def walk(self, world: "World", goals: Ints, acts: Mapping[int, Act]) -> None:
        """Move everyone one tick, and let others see where they are going.

        `County` does the same for many worlds at once: what changes here changes there.
        """
        self.prepare(goals)
        going = {i: act for i, act in acts.items() if isinstance(act, Go)} if acts else {}
        rows = goals * self.ground.count
        for _ in range(self.tiles_at(world.tick)):
            self._advance(world, rows, going)
        arrived = self.fields[rows + world.tile] == STAY
        for i, act in going.items():
            arrived[i] = self.ground.first_step(int(world.tile[i]), act.targets) == STAY
        world.arrived = arrived
        if np.count_nonzero(arrived):
            self.make_room(world, goals, going)
        shown = self.to_show(goals, arrived)
        for i in going:
            shown[i] = -1
        changed = (shown != world.shown).nonzero()[0].tolist()
        world.shown = shown
        self.show(world, goals, changed, acts, going)

    def prepare(self, goals: Ints) -> None:
        """Make sure of the direction fields to `goals`, place indices or -1, any shape."""
        if self._all_ready or self._ready[goals].all():
            return
        for place in np.unique(goals[~self._ready[goals]]).tolist():
            start = place * self.ground.count
            field = self.ground.field(self.targets(place))
            self.fields[start : start + self.ground.count] = field
            self._ready[place] = True
        self._all_ready = bool(self._ready.all())

    def tiles_at(self, tick: int) -> int:
        """Return how many tiles everyone who walks gets on at `tick`."""
        speed = self._tiles_per_tick
        return int(tick * speed + 1e-9) - int((tick - 1) * speed + 1e-9)

    def _advance(self, world: "World", rows: Ints, going: Mapping[int, Go]) -> None:
        ground, tile = self.ground, world.tile
        new = tile + ground.delta[self.fields[rows + tile]]
        for i, act in going.items():
            new[i] = tile[i] + ground.delta[ground.first_step(int(tile[i]), act.targets)]
        arena = ground.arena[new]
        crossing = (arena != world.arena).nonzero()[0]
        if crossing.size:
            self.cross(world, new, arena, set(crossing.tolist()))
            arena = ground.arena[new]
        world.tile, world.arena = new, arena

    def cross(self, world: "World", new: Ints, arena: Ints, crossing: set[int]) -> None:
        """Let people through doors in the order of ties; who may not pass stays outside.

        Args:
            world: where they are.
            new: the tile each steps onto, shape (N,); put back where somebody may not.
            arena: in which each of these is, shape (N,).
            crossing: whose arena changes.
        """
        access = world.access
        limited, now = access.limited, []
        if limited:
            now = [int(a) if p else -1 for a, p in zip(world.arena, world.present, strict=True)]
        order = world.rank() if len(crossing) > 1 and limited else sorted(crossing)
        for i in order:
            if i not in crossing:
                continue
            there = int(arena[i])
            if not access.may_enter(i, there, int(world.arena[i])):
                new[i] = world.tile[i]
                world.fail(i, "move", access.refusal(i, there))
                continue
            if limited:
                here, now[i] = now[i], -1
                if there in limited and access.full(there, now):
                    now[i] = here
                    new[i] = world.tile[i]
                    world.fail(i, "move", f"{self.ground.plan.arena_id(there)} is full")
                    continue
                now[i] = there
            world.log.emit("arrive", i, place=self.ground.plan.arena_id(there))

    def make_room(self, world: "World", goals: Ints, going: Mapping[int, Go]) -> None:
        """Who arrives on a taken tile steps aside to a free one that is as good, if any."""
        taken = world.tile[world.present].tolist()
        if len(set(taken)) == len(taken):
            return
        aside: dict[int, int] = {}
        for i in world.arrived.nonzero()[0].tolist():
            tile = int(world.tile[i])
            if taken.count(tile) < 2:
                continue
            field = self._field(int(goals[i]), going.get(i))
            for near in self.ground.neighbours[:, tile].tolist():
                same = near >= 0 and world.ground.arena[near] == world.arena[i]
                if same and field[near] == STAY and near not in taken:
                    aside[i] = near
                    taken[taken.index(tile)] = near
                    break
        if aside:
            world.set_tiles(aside)

    def _field(self, goal: int, go: Go | None) -> npt.NDArray[np.uint8]:
        if go is not None:
            return self.ground.field(go.targets)
        return self.fields[goal * self.ground.count : (goal + 1) * self.ground.count]

    def to_show(self, goals: Ints, arrived: Bools) -> Ints:
        """Return what walking makes of everyone's looks, as a number; -1 for nothing."""
        return goals + arrived * len(self._walking)

    def show(
        self,
        world: "World",
        goals: Ints,
        changed: Iterable[int],
        acts: Mapping[int, Act],
        going: Mapping[int, Go],
    ) -> None:
        """Update what others see of those who set out, arrived or stopped: `changed`, `going`."""
        count = len(self._walking)
        for i in changed:
            k = int(world.shown[i])
            if k >= count:
                world.show(i, self._there[k - count], THERE_EMOJI)
            elif k >= 0:
                world.show(i, self._walking[k], WALK_EMOJI)
            elif i not in acts and not world.asleep[i]:
                world.show(i, IDLE, THERE_EMOJI)
        for i, act in going.items():
            there = bool(world.arrived[i])
            doing = act.doing or (f"at {act.label}" if there else f"walking to {act.label}")
            world.show(i, doing, act.emoji or (THERE_EMOJI if there else WALK_EMOJI))
        for i in world.arrived.nonzero()[0].tolist():
            label = going[i].label if i in going else self.places.all[int(goals[i])].label
            world.outcomes.setdefault(i, Outcome(True, f"You are at {label}."))
