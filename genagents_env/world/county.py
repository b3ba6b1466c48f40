"""Many towns of one scenario, stepped at once: what all do in one call, what few do town by town.

Walking, clocks and sight are computed for all people of all towns together; speech, the use of
objects, doors and outside events happen in the town where they happen, by the code of `World`.
Each world is in the state that its own `step` would have left, bit for bit.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from genagents_env.rng import ranks
from genagents_env.world.acts import Act, Go
from genagents_env.world.lent import Lent
from genagents_env.world.sight import DENSE, Pairs, clear_lines
from genagents_env.world.tiles import STAY, Ints
from genagents_env.world.town import World

Acts: TypeAlias = Mapping[int, Mapping[int, Act]]  # by town, then by person
_PENDING = 64  # ticks of sightings held back, because writing many at once is cheap
_LOW = (1 << 20) - 1
_NOBODY: Mapping[int, Act] = {}


class Sight(NamedTuple):
    """Who sees whom in all towns; people count through them: town * N + person. Shapes (M,)."""

    viewer: Ints
    seen: Ints
    apart: Ints


class County:
    """Towns that step together; each has been reset.

    Args:
        worlds: twins (`World.twin`), T of them, of N people each.
    """

    def __init__(self, worlds: Sequence[World]) -> None:
        first = worlds[0]
        self.worlds, self.size = tuple(worlds), first.count
        self._ground, self._walking = first.ground, first.walking
        self._rules, self._limit = first.scenario.rules, first.sight
        self.tile, self._arena = Lent(worlds, "tile"), Lent(worlds, "arena")
        self.asleep, self.present = Lent(worlds, "asleep"), Lent(worlds, "present")
        self.arrived, self._shown = Lent(worlds, "arrived"), Lent(worlds, "shown")
        self.ticks: Ints = np.zeros(len(worlds), dtype=np.int64)
        self._seeds: npt.NDArray[np.uint64] = np.zeros(len(worlds), dtype=np.uint64)
        self._here = np.ones(len(worlds), dtype=np.bool_)  # worlds in which nobody is away
        self._sightings: Ints = np.zeros((len(worlds) * self.size, self.size), dtype=np.int64)
        self._pending: list[tuple[Ints, Ints, Ints]] = []
        self._glances = [partial(self._pairs_of, t) for t in range(len(worlds))]
        self._viewers = np.arange(len(worlds) * self.size) << 40
        self.rejoin(range(len(worlds)))

    @property
    def all_awake(self) -> bool:
        """Whether everyone is in town and awake, in every town."""
        return self._all_awake

    def rejoin(self, towns: Sequence[int] | range) -> None:
        """Go on with what `World.reset` or `load_world` has just made of `towns`."""
        for lent in (self.tile, self._arena, self.asleep, self.present, self.arrived, self._shown):
            lent.collect()
        self._write()
        for t in towns:
            world, start = self.worlds[t], t * self.size
            self.ticks[t], self._seeds[t] = world.tick, world.seed & 0xFFFFFFFFFFFFFFFF
            rows = self._sightings[start : start + self.size]
            world.sightings.share(rows, self._write)
        self._see()

    def step(self, goals: Ints, acts: Acts) -> None:
        """Advance every town one tick.

        Args:
            goals: the index of the place each walks to, shape (T, N), -1 for none; overwritten.
            acts: what everyone else attempts.
        """
        self.ticks = self.ticks + 1
        for t, world in enumerate(self.worlds):
            world.begin(goals[t], acts.get(t, _NOBODY))
        for lent in (self.tile, self._arena, self.asleep, self.present):
            lent.collect()
        if not self._here.all():
            acts = self._keep_present(goals, acts)
        self._walk(goals, acts)
        orders = self._orders([t for t, own in acts.items() if len(own) > 1])
        for t, world in enumerate(self.worlds):
            world.finish(acts.get(t, _NOBODY), orders.get(t))
        for lent in (self.tile, self._arena, self.asleep):
            lent.collect()
        self._see()
        self._note()

    def _keep_present(self, goals: Ints, acts: Acts) -> Acts:
        """Let those who are away do nothing."""
        away = ~self._here
        goals[away] = np.where(self.present.array[away], goals[away], -1)
        kept = dict(acts)
        for t in away.nonzero()[0].tolist():
            present = self.present.array[t]
            kept[t] = {i: act for i, act in acts.get(t, _NOBODY).items() if present[i]}
        return kept

    def _walk(self, goals: Ints, acts: Acts) -> None:
        """Do what `Walking.walk` does, for all towns."""
        walking, ground = self._walking, self._ground
        walking.prepare(goals)
        going = {
            t: {i: act for i, act in own.items() if isinstance(act, Go)} for t, own in acts.items()
        }
        going = {t: own for t, own in going.items() if own}
        rows = goals * ground.count
        speeds = {tick: walking.tiles_at(tick) for tick in dict.fromkeys(self.ticks.tolist())}
        tiles = [speeds[tick] for tick in self.ticks.tolist()]
        hold = len(walking.places.all) * ground.count
        for k in range(max(tiles)):
            walks = np.array([count > k for count in tiles])
            now = rows if walks.all() else np.where(walks[:, None], rows, hold)
            self._advance(now, {t: own for t, own in going.items() if walks[t]})
        arrived = walking.fields[rows + self.tile.array] == STAY
        for t, walkers in going.items():
            for i, act in walkers.items():
                tile = int(self.tile.array[t, i])
                arrived[t, i] = ground.first_step(tile, act.targets) == STAY
        self.arrived.lend(arrived)
        there = arrived.any(axis=1).nonzero()[0].tolist()
        for t in there:
            walking.make_room(self.worlds[t], goals[t], going.get(t, {}))
        if there:
            self.tile.collect()
            self._arena.collect()
        self._show(goals, acts, going, there)

    def _advance(self, rows: Ints, going: Mapping[int, Mapping[int, Go]]) -> None:
        ground, tile, arena = self._ground, self.tile.array, self._arena.array
        new = tile + ground.delta[self._walking.fields[rows + tile]]
        for t, own in going.items():
            for i, act in own.items():
                here = int(tile[t, i])
                new[t, i] = here + ground.delta[ground.first_step(here, act.targets)]
        beyond = ground.arena[new]
        crossing = beyond != arena
        if np.count_nonzero(crossing):
            for t in crossing.any(axis=1).nonzero()[0].tolist():
                who = set(crossing[t].nonzero()[0].tolist())
                self._walking.cross(self.worlds[t], new[t], beyond[t], who)
            beyond = ground.arena[new]
        self.tile.lend(new)
        self._arena.lend(beyond)

    def _show(
        self, goals: Ints, acts: Acts, going: Mapping[int, Mapping[int, Go]], there: Sequence[int]
    ) -> None:
        shown = self._walking.to_show(goals, self.arrived.array)
        for t, walkers in going.items():
            shown[t, list(walkers)] = -1
        changed = shown != self._shown.array
        self._shown.lend(shown)
        busy = changed.any(axis=1)
        busy[list(going)] = True
        busy[list(there)] = True
        for t in busy.nonzero()[0].tolist():
            who, own = changed[t].nonzero()[0].tolist(), acts.get(t, _NOBODY)
            self._walking.show(self.worlds[t], goals[t], who, own, going.get(t, {}))

    def _orders(self, towns: Sequence[int]) -> dict[int, list[int]]:
        """Return in which order ties are won, for each of `towns`."""
        if not towns:
            return {}
        found = ranks(self._seeds[list(towns)], self.ticks[list(towns)], self.size)
        return dict(zip(towns, found.tolist(), strict=True))

    def _see(self) -> None:
        """Find who sees whom, and let the worlds ask for it."""
        for t, world in enumerate(self.worlds):
            world.check_presence()
            world.look_later(self._glances[t])
            self._here[t] = world.all_here
        self._all_awake = bool(self._here.all()) and not self.asleep.array.any()
        viewer, seen, apart = self._near() if self.size <= DENSE else self._near_by_town()
        if not self._all_awake:
            present, asleep = self.present.array.ravel(), self.asleep.array.ravel()
            keep = present[viewer] & ~asleep[viewer] & present[seen]
            viewer, seen, apart = viewer[keep], seen[keep], apart[keep]
        if self._rules.line_of_sight and len(viewer):
            tile = self.tile.array.ravel()
            keep = clear_lines(self._ground, tile[viewer], tile[seen])
            viewer, seen, apart = viewer[keep], seen[keep], apart[keep]
        self.sight = Sight(viewer, seen, apart)
        ends = np.arange(len(self.worlds) + 1) * self.size
        self._bounds: list[int] = viewer.searchsorted(ends).tolist()

    def _near(self) -> Pairs:
        """Do what `Sight.pairs` of a world does, for all towns."""
        shape = (2, len(self.worlds), self.size)
        where = self._ground.sight.take(self.tile.array.ravel(), axis=1).reshape(shape)
        key = self._limit.keys(where, self._viewers)
        key.sort()
        viewer = key >> 40
        return viewer, (key & _LOW) + viewer // self.size * self.size, key >> 20 & _LOW

    def _near_by_town(self) -> Pairs:
        found = []
        for t, tile in enumerate(self.tile.array):
            viewer, seen, apart = self._limit.pairs(self._ground.sight.take(tile, axis=1))
            found.append((viewer + t * self.size, seen + t * self.size, apart))
        viewers, seens, aparts = zip(*found, strict=True)
        return np.concatenate(viewers), np.concatenate(seens), np.concatenate(aparts)

    def _pairs_of(self, town: int) -> Pairs:
        """Return who sees whom in one town, by its own people's indices."""
        part = slice(self._bounds[town], self._bounds[town + 1])
        viewer, seen, apart = self.sight
        start = town * self.size
        return viewer[part] - start, seen[part] - start, apart[part]

    def _note(self) -> None:
        """Remember who was seen where."""
        self._pending.append((self.sight.viewer, self.sight.seen, self.tile.array))
        if len(self._pending) == _PENDING:
            self._write()

    def _write(self) -> None:
        pending, self._pending = self._pending, []
        for viewer, seen, tile in pending:
            self._sightings[viewer, seen % self.size] = tile.ravel()[seen]
