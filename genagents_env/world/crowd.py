"""Doors; and people who walk one by one, round one another where bodies block."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from math import ceil
from typing import NamedTuple

from genagents_env.world.paths import Way
from genagents_env.world.snapshot import ActionOutcome
from genagents_env.world.state import WorldState
from genagents_env.world.tiles import Ground


class Doors:
    """The doors of one town during one step; people go through one after another."""

    def __init__(self, state: WorldState) -> None:
        self._state, self._access = state, state.access
        self._now: list[int] = []
        if self._access.limited:
            now = zip(state.arena, state.present, strict=True)
            self._now = [int(arena) if present else -1 for arena, present in now]

    def let(self, i: int, here: int, there: int) -> bool:
        """Let `i` pass into another arena, or fail with the reason; return whether it may."""
        state, access = self._state, self._access
        if not access.may_enter(i, there, here):
            state.fail(i, "move", access.explain_refusal(i, there))
            return False
        if access.limited:
            before, self._now[i] = self._now[i], -1
            if there in access.limited and access.is_full(there, self._now):
                self._now[i] = before
                state.fail(i, "move", f"{state.town.plan.arena_id(there)} is full")
                return False
            self._now[i] = there
        state.log.emit("arrive", i, place=state.town.places.arena_ids[there])
        return True


_NOBODY: Sequence[int] = ()


class Floor:
    """The positions of people in one town.

    Attributes:
        tile: of everyone, present or not.
        taken: who stands on each tile that is taken; empty where bodies do not block.
    """

    def __init__(
        self, ground: Ground, tiles: Iterable[int], present: Iterable[int], *, bodies_block: bool
    ) -> None:
        self._ground, self._bodies_block = ground, bodies_block
        self.tile = list(tiles)
        self.taken: dict[int, list[int]] = {}
        for i in present if bodies_block else _NOBODY:
            self.taken.setdefault(self.tile[i], []).append(i)

    def move(self, tiles: dict[int, int]) -> None:
        """Stand people on other tiles, all at once."""
        if not self._bodies_block:
            for i, tile in tiles.items():
                self.tile[i] = tile
            return
        for i in tiles:
            others = self.taken[self.tile[i]]
            others.remove(i)
            if not others:
                del self.taken[self.tile[i]]
        for i, tile in tiles.items():
            self.tile[i] = tile
            self.taken.setdefault(tile, []).append(i)

    def find_other(self, i: int, tile: int) -> int | None:
        """Return somebody else than `i` on `tile`."""
        return next((j for j in self.taken.get(tile, _NOBODY) if j != i), None)

    def find_row(
        self, first: int, closed: Container[int], may_move: Callable[[int], bool]
    ) -> dict[int, int] | None:
        """Find a row of people who could each move up by a tile, the last onto a free one.

        Args:
            first: in the row.
            closed: tiles onto which nobody may.
            may_move: whether somebody could be asked to.

        Returns:
            The new tile of each, first to last, all in one arena; None where no row is so.
        """
        ground, start = self._ground, self.tile[first]
        before, level = {start: start}, [start]
        while level:
            beyond: list[int] = []
            for tile in level:
                for near in ground.neighbours[:, tile].tolist():
                    if near < 0 or near in before or near in closed:
                        continue
                    if ground.arena[near] != ground.arena[start]:
                        continue
                    before[near] = tile
                    if near not in self.taken:
                        row, end = {}, near
                        while before[end] != end:
                            row[self.taken[before[end]][0]] = end
                            end = before[end]
                        return dict(reversed(row.items()))
                    if all(map(may_move, self.taken[near])):
                        beyond.append(near)
            level = beyond
        return None


class Walk(NamedTuple):
    """Where somebody walks in this tick: to one of `goals`, tiles, together named `label`."""

    goals: tuple[int, ...]
    label: str


class Crowd:
    """Everyone in one town during one tick.

    Steps are taken together: a tile that is left may be entered in the same step, and who comes
    first in the order of ties has the choice. Where bodies block, nobody enters a taken tile, and
    whoever would gets round if that is not far. Otherwise they wait. Two who face each other
    change places after `rules.swap_seconds`; one who only stands in the way makes way.

    Attributes:
        arrived: who has come to where they walk.
    """

    def __init__(self, state: WorldState, walks: Mapping[int, Walk]) -> None:
        rules = state.town.scenario.rules
        self._state, self._walks, self._paths = state, walks, state.town.paths
        self._ground, self._names = state.town.ground, state.town.names
        self._patience = ceil(rules.swap_seconds * rules.walk_speed)  # steps
        self._speed = rules.walk_speed
        here = state.present.nonzero()[0].tolist()
        self._floor = Floor(
            self._ground, state.tile.tolist(), here, bodies_block=rules.bodies_block
        )
        self._order = [i for i in state.rank() if i in walks]
        state.ways = {i: way for i, way in state.ways.items() if i in walks}
        self._refused: set[int] = set()  # who cannot get on in this tick whatever others do
        self.arrived: set[int] = set()
        for i in self._order:
            self._look_ahead(i)

    def step(self) -> None:
        """Take one step."""
        before = list(self._floor.tile)
        self._doors, self._settled = Doors(self._state), self.arrived | self._refused
        for i in self._order:
            self._resolve(i)
        moved = {i: t for i, t in enumerate(self._floor.tile) if t != before[i]}
        if moved:
            self._state.set_tiles(moved)

    def _resolve(self, first: int) -> None:
        """Let `first` take this step, after those in the way who walk on."""
        chain = [first]
        while chain:
            i = chain[-1]
            if i in self._settled:
                chain.pop()
                continue
            want = self._state.ways[i].ahead[-1]
            other = self._floor.find_other(i, want)
            if other is None:
                self._settled.add(i)
                self._enter(i, want)
            elif other in chain[:-2]:
                ring = chain[chain.index(other) :]  # three or more who follow one another
                if not self._exchange({i: self._state.ways[i].ahead[-1] for i in ring}):
                    self._settled.add(ring[-1])
            elif other not in chain and other not in self._settled and self._is_walking(other):
                chain.append(other)
            else:
                self._settled.add(i)
                self._get_by(i, other)

    def _look_ahead(self, i: int) -> None:
        """Plan a new way for `i` if the old one no longer holds, and note arrival."""
        state, here, goals = self._state, self._floor.tile[i], frozenset(self._walks[i].goals)
        way = state.ways.get(i)
        if way is not None and (way.at != here or way.goals != goals):
            way = None
        if way is None or way.aside or self._is_held(way.end, i):
            planned = self._plan(i, goals)
            if planned is None:
                return
            if way is not None:
                planned.waited, planned.slack = way.waited, way.slack
            state.ways[i] = way = planned
        if not way.ahead:
            self.arrived.add(i)

    def _plan(self, i: int, goals: frozenset[int]) -> Way | None:
        """Plan the way of `i`; fail with the reason if there is none."""
        walk, here = self._walks[i], self._floor.tile[i]
        free = walk.goals
        if here not in goals:
            free = tuple(tile for tile in walk.goals if not self._is_held(tile, i))
        aside = not free
        if aside:
            arenas = {int(self._ground.arena[tile]) for tile in goals}
            free = self._ground.find_nearest(
                walk.goals, lambda tile: not self._is_held(tile, i), arenas
            )
            if not free:
                self._refuse(i, f"there is no room left at {walk.label}")
                return None
        finder = self._paths.finder if len(free) == len(goals) else self._paths.astar
        path = finder.find_path(here, free)
        if path is None:
            self._refuse(i, f"there is no way to {walk.label}")
            return None
        return Way(goals, here, list(reversed(path)), aside)

    def _refuse(self, i: int, reason: str) -> None:
        self._refused.add(i)
        self._state.fail(i, "move", reason)

    def _is_walking(self, i: int) -> bool:
        return i in self._walks and i not in self.arrived and i not in self._refused

    def _is_standing(self, i: int) -> bool:
        return not self._state.asleep[i] and not self._is_walking(i)

    def _is_held(self, tile: int, i: int) -> bool:
        """Return True if somebody other than `i` is on `tile` to stay."""
        others = self._floor.taken.get(tile, _NOBODY)
        return any(j != i and not self._is_walking(j) for j in others)

    def _enter(self, i: int, tile: int) -> None:
        """Step onto a free tile, if the door there lets one."""
        here, there = (int(self._ground.arena[t]) for t in (self._floor.tile[i], tile))
        if here == there or self._doors.let(i, here, there):
            self._move({i: tile})
        else:
            self._refused.add(i)

    def _move(self, tiles: dict[int, int]) -> None:
        """Stand people on tiles; a walker for whom it was the next one is one tile further."""
        self._floor.move(tiles)
        for i, tile in tiles.items():
            self._settled.add(i)
            if self._is_walking(i):
                way = self._state.ways[i]
                if way.ahead[-1] == tile:
                    way.ahead.pop()
                    way.at, way.waited = tile, 0
                if not way.ahead or (tile in way.goals and not way.aside):
                    self.arrived.add(i)

    def _exchange(self, tiles: dict[int, int]) -> bool:
        """Let people stand on one another's tiles, if all doors let them; return whether they do.

        As many enter each arena as leave it, so none gets fuller.
        """
        arena, access = self._ground.arena, self._state.access
        crossing = {}
        for i, tile in tiles.items():
            here, there = int(arena[self._floor.tile[i]]), int(arena[tile])
            if here != there:
                if not access.may_enter(i, there, here):
                    return False
                crossing[i] = there
        self._move(tiles)
        for i, there in crossing.items():
            self._state.log.emit("arrive", i, place=self._state.town.plan.arena_id(there))
        return True

    def _get_by(self, i: int, other: int) -> None:
        """Get round `other`, who is in the way, or past, or wait."""
        ways, way = self._state.ways, self._state.ways[i]
        if self._is_held(way.end, i):
            self._look_ahead(i)
        elif self._dodge(i, other, len(way.ahead) + way.slack):
            pass
        elif way.waited >= self._patience and not self._is_walking(other):
            self._get_past(i, other)
        else:
            facing = self._is_walking(other) and ways[other].ahead[-1] == self._floor.tile[i]
            if not (way.waited >= self._patience and facing and self._swap(i, other)):
                way.waited += 1

    def _dodge(self, i: int, other: int, longest: int | None) -> bool:
        """Take another way, on which nobody stands now, if there is one; return whether so."""
        way, here = self._state.ways[i], self._floor.tile[i]
        goals = (way.end,) if way.aside else tuple(sorted(way.goals))
        path = self._paths.astar.find_path_around(here, goals, self._floor.taken, longest)
        if not path:
            return False
        longer = len(path) - len(way.ahead)
        way.slack -= max(0, longer)
        way.ahead = list(reversed(path))
        self._state.log.emit("detour", i, around=self._names[other], longer=longer)
        self._enter(i, path[0])
        return True

    def _get_past(self, i: int, other: int) -> None:
        """Get past somebody who is there to stay."""
        here, there = self._floor.tile[i], self._floor.tile[other]
        goals, arena = self._state.ways[i].goals, self._ground.arena
        if self._state.asleep[other]:
            if not self._dodge(i, other, None):
                self._refuse(i, f"{self._names[other]} sleeps in the way")
            return
        inwards = arena[here] != arena[there] or (there in goals and here not in goals)
        if not (inwards and self._push(i, other)) and not self._swap(i, other):
            self._refuse(i, f"{self._names[other]} stands in the way")

    def _swap(self, i: int, other: int) -> bool:
        """Let two change places; return whether they do."""
        waited = self._count_waited(i)
        if not self._exchange({i: self._floor.tile[other], other: self._floor.tile[i]}):
            return False
        self._state.log.emit("swap", i, **{"with": self._names[other]}, waited=waited)
        self._notify(other, i)
        return True

    def _push(self, i: int, other: int) -> bool:
        """Let those who stand there move up, each by a tile; return whether they do."""
        here, there = self._floor.tile[i], self._floor.tile[other]
        arena = self._ground.arena
        if not self._state.access.may_enter(i, int(arena[there]), int(arena[here])):
            return False
        row = self._floor.find_row(other, {here}, self._is_standing)
        if row is None:
            return False
        waited, moved = self._count_waited(i), [self._names[j] for j in row]
        self._move(row)
        self._state.log.emit("aside", i, moved=moved, waited=waited)
        for j in row:
            self._notify(j, i)
        if there not in self._floor.taken:
            self._enter(i, there)
        return True

    def _count_waited(self, i: int) -> int:
        """Return the seconds that `i` has waited for others."""
        return round(self._state.ways[i].waited / self._speed)

    def _notify(self, i: int, passing: int) -> None:
        """Notify a standing person why they were moved."""
        if i not in self._walks:
            passed = ActionOutcome(True, f"You let {self._names[passing]} pass.")
            self._state.outcomes.setdefault(i, passed)
