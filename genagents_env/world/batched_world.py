"""Many towns of one scenario, stepped at once: what all do in one call, what few do town by town.

Movement, clocks and sight are computed for all people of all towns together; speech, the use of
objects, doors and interventions happen in the town where they happen. The rules are those of one
town (`tick`, `movement`): each world is in the state that its own `step` would have left, bit for
bit.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from genagents_env.rng import ranks
from genagents_env.world.movement import TownActs
from genagents_env.world.sight import Pairs, Sightings
from genagents_env.world.state import TownFields, TownIndex, WorldState
from genagents_env.world.tick import advance, find_pairs
from genagents_env.world.tiles import Bools, Ints
from genagents_env.world.world import World

_SHARED = ("tile", "arena", "shown", "asleep", "present", "arrived")  # arrays (T, N)


class BatchedWorld:
    """Towns that step together; each has been reset. Implements `state.Bodies`.

    `pairs` is who sees whom, (viewer, seen, distance), each shape (M,); people count through all
    towns: town * N + person. `first` is where those whom each sees begin in it, and M, shape
    (T * N + 1,). `ticks` has shape (T,).

    The arrays of `_SHARED` are replaced and never written again, like those of the towns, whose
    rows they hold: snapshots keep them.

    Args:
        worlds: fresh copies of one (`World.fresh_copy`), T of them, of N people each.
    """

    tile: Ints
    arena: Ints
    shown: Ints
    asleep: Bools
    present: Bools
    arrived: Bools

    def __init__(self, worlds: Sequence[World]) -> None:
        self.worlds, self.town = tuple(worlds), worlds[0].town
        self.size = self.town.count
        self._states = [world.state for world in worlds]
        self.towns: Sequence[tuple[TownIndex, WorldState]] = list(enumerate(self._states))
        self._rows = {name: [getattr(state, name) for state in self._states] for name in _SHARED}
        for name, rows in self._rows.items():
            self.__dict__[name] = np.stack(rows)
        self.ticks: Ints = np.zeros(len(worlds), dtype=np.int64)
        self._seeds: npt.NDArray[np.uint64] = np.zeros(len(worlds), dtype=np.uint64)
        self._sightings = Sightings(self.size, len(worlds))
        self._bounds = np.arange(len(worlds) * self.size + 1)
        self._glances = [partial(self._pairs_of, t) for t in range(len(worlds))]
        self.rejoin(range(len(worlds)))

    def __setattr__(self, name: str, value: Any) -> None:
        """Replace an attribute; of a shared array let each town hold its row."""
        self.__dict__[name] = value
        if name in _SHARED:
            rows = self._rows[name] = list(value)
            for state, row in zip(self._states, rows, strict=True):
                setattr(state, name, row)

    def rejoin(self, towns: Sequence[int] | range) -> None:
        """Resume with what `World.reset` or `World.load_state` has just made of `towns`."""
        for name in _SHARED:
            self._collect(name)
        for t in towns:
            state = self.worlds[t].state
            self.ticks[t], self._seeds[t] = state.tick, state.seed & 0xFFFFFFFFFFFFFFFF
            state.sightings.share(self._sightings, t)
        self._look()

    def step(self, goals: Ints, acts: TownActs) -> None:
        """Advance every town one tick.

        Args:
            goals: the index of the place each walks to, shape (T, N), -1 for none.
            acts: what everyone else attempts, by town and person.
        """
        self.ticks = self.ticks + 1
        advance(self, goals, acts)
        self._look()
        viewer, seen, _ = self.pairs
        self._sightings.note(viewer, seen, self.tile)

    def towns_with(self, *masks: Bools) -> Iterable[tuple[TownIndex, WorldState]]:
        """Return the towns in which one of `masks` holds for anybody."""
        some = np.asarray(masks[0].any(axis=1))
        for mask in masks[1:]:
            some |= mask.any(axis=1)
        return [self.towns[t] for t in some.nonzero()[0].tolist()]

    def plan_steps(self, rows: Ints, own: TownFields) -> Iterable[tuple[Ints, TownFields]]:
        """Return the movers of each step of this tick; towns with fewer tiles to walk wait."""
        paths, ticks = self.town.paths, self.ticks.tolist()
        tiles = {tick: paths.tiles_at(tick) for tick in dict.fromkeys(ticks)}
        shortest, longest = min(tiles.values()), max(tiles.values())
        for k in range(longest):
            if k < shortest:
                yield rows, own
            else:
                walks = np.array([tiles[tick] > k for tick in ticks])
                movers = {town: fields for town, fields in own.items() if walks[town]}
                yield np.where(walks[:, None], rows, paths.hold), movers

    def rank_in(self, towns: Sequence[TownIndex]) -> Mapping[TownIndex, Sequence[int]]:
        """Return the order in which ties are won at this tick, in each of `towns`."""
        if not towns:
            return {}
        rows = np.array(towns, dtype=np.int64)
        orders = ranks(self._seeds[rows], self.ticks[rows], self.size)
        return dict(zip(towns, orders.tolist(), strict=True))

    def collect(self) -> None:
        """Take over what was changed in single towns: where people are, and asleep or here."""
        self.collect_tiles()
        self._collect("asleep")
        self._collect("present")

    def collect_tiles(self) -> None:
        """Take over where people were put in single towns."""
        self._collect("tile")
        self._collect("arena")

    def _collect(self, name: str) -> None:
        """Take over what towns hold instead of their rows."""
        rows = self._rows[name]
        now = [getattr(state, name) for state in self._states]
        changed = [t for t, row in enumerate(now) if row is not rows[t]]
        if changed:
            array = self.__dict__[name].copy()
            for t in changed:
                array[t] = rows[t] = now[t]
            self.__dict__[name] = array

    def _look(self) -> None:
        """Find the pairs in sight, and give them to the worlds on request."""
        for world, glance in zip(self.worlds, self._glances, strict=True):
            world.state.check_presence()
            world.look_later(glance)
        self.all_here = all(state.all_here for state in self._states)
        self.all_awake = self.all_here and not self.asleep.any()
        self.pairs = find_pairs(self)
        self.first: Ints = self.pairs[0].searchsorted(self._bounds)

    def _pairs_of(self, town: int) -> Pairs:
        """Return the pairs in sight of one town, by its own people's indices."""
        viewer, seen, apart = self.pairs
        start = town * self.size
        part = slice(self.first[start], self.first[start + self.size])
        return viewer[part] - start, seen[part] - start, apart[part]
