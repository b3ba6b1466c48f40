"""The ground of all layouts as one: tables that are indexed by tile, person, place and thing.

Tiles of all layouts are numbered through; people, places, things, facts and states have the numbers
of their own town, in tables as large as the largest town needs. The last place, thing and fact of a
table is none, so that -1 means it. Nothing here ever changes but for caches of pure results.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.env import TownEnv
from genagents_env.observe.columns import OBJECT_COLUMNS, OBJECT_SLOTS
from genagents_env.observe.spaces import Floats
from genagents_env.observe.thing_tables import ThingTables
from genagents_env.observe.vector_obs import measure_time
from genagents_env.world.paths import FIELD_BYTES
from genagents_env.world.tiles import HOLD, Bools, Ints
from genagents_env.world.world import World

_FAR = 1 << 20  # more tiles than any town is wide
_MOST = 4 * FIELD_BYTES  # of the fields of all layouts
_UNKNOWN = -2  # of a tile whose things were not looked for yet


class Terrain:
    """The tables of L layouts with N people each.

    Attributes:
        worlds: one of each layout.
        first: the first tile of each layout, and the number of all, shape (L + 1,).
        places, arenas, objects, facts, states: the most that a layout has.
    """

    def __init__(self, envs: Sequence[TownEnv]) -> None:
        self.envs, self.worlds = tuple(envs), tuple(env.world for env in envs)
        towns = [world.town for world in self.worlds]
        self.people, self.layouts = self.worlds[0].count, len(towns)
        grounds = [town.ground for town in towns]
        self.first: Ints = np.cumsum([0, *(ground.count for ground in grounds)])
        self.layout_of: Ints = np.repeat(np.arange(self.layouts), np.diff(self.first))
        self.places = max(len(town.places.all) for town in towns)
        self.arenas = max(len(town.plan.arenas) for town in towns)
        self.objects = max(len(town.plan.objects) for town in towns)
        self.facts = max(len(town.people.fact_ids) for town in towns)
        self.x: Ints = np.concatenate([ground.x for ground in grounds])
        self.y: Ints = np.concatenate([ground.y for ground in grounds])
        self.sight_x: Ints = np.concatenate([ground.sight[0] for ground in grounds])
        self.arena: Ints = np.concatenate([ground.arena for ground in grounds])
        # By how much columns and rows are divided.
        self.size: Ints = np.array([[max(1, g.width - 1), max(1, g.height - 1)] for g in grounds])
        self.delta: Ints = np.stack([ground.delta for ground in grounds])
        self.neighbours: Ints = np.concatenate(
            [
                np.where(ground.neighbours < 0, -1, ground.neighbours + start)
                for ground, start in zip(grounds, self.first, strict=False)
            ],
            axis=1,
        )
        self._tabulate_rules()
        self._tabulate_people()
        self._tabulate_places()
        self.things = ThingTables(self.worlds, [env.parts.knowledge.wanted for env in envs])
        self.surroundings = NearThings(self)
        self.fields = WalkFields(self)

    def _tabulate_rules(self) -> None:
        """Tabulate the rules of each layout."""
        worlds = self.worlds
        self.horizon: Ints = np.array([world.scenario.horizon for world in worlds])
        seconds = np.array([world.scenario.seconds_per_tick for world in worlds])
        self.speed = np.array([w.scenario.rules.walk_speed for w in worlds]) * seconds
        self.limited: Bools = np.array([bool(w.town.rights.limited) for w in worlds])
        self.timed: Bools = np.array([w.town.rights.timed for w in worlds])
        # Rules that are the town's own affair, tick by tick.
        self.plain: Bools = np.array([not world.town.paths.one_by_one for world in worlds])
        self.clear_sight: Bools = np.array([not w.scenario.rules.line_of_sight for w in worlds])
        talks = [world.scenario.rules.conversation for world in worlds]
        self.may_wait: Bools = np.array(
            [t.max_members < self.people or t.turn_taking == "round_robin" for t in talks]
        )
        clocks: dict[tuple[object, int], Floats] = {}
        for env in self.envs:
            key = (env.world.town.clock, env.world.scenario.horizon)
            if key not in clocks:
                ticks = range(max(env.world.scenario.horizon, env.max_cycles) + 1)
                times = [measure_time(env.world, tick) for tick in ticks]
                clocks[key] = np.array(times, dtype=np.float32)
        own = [clocks[env.world.town.clock, env.world.scenario.horizon] for env in self.envs]
        longest = max(map(len, own))
        self.clock: Floats = np.stack(
            [np.pad(times, ((0, longest - len(times)), (0, 0)), mode="edge") for times in own]
        )

    def _tabulate_people(self) -> None:
        worlds, columns = self.worlds, [env.parts.town for env in self.envs]
        self.vision: Ints = np.stack([world.town.people.vision for world in worlds])
        self.hearing: Ints = np.stack([world.town.people.hearing for world in worlds])
        self.index: Floats = np.stack([own.index for own in columns])
        self.count: Floats = np.array([own.count for own in columns], dtype=np.float32)
        self.scale: Floats = np.array([own.scale for own in columns], dtype=np.float32)
        self.home: Ints = np.stack([own.home for own in columns])
        self.workplace: Ints = np.stack([own.workplace for own in columns])
        self.sees_hearers: Bools = np.stack([own.sees_hearers for own in columns])
        self.about: Ints = np.full((self.layouts, self.facts + 1), -1)
        self.known_facts: Ints = np.array([len(own.about) for own in columns])
        for layout, own in enumerate(columns):
            self.about[layout, : len(own.about)] = own.about

    def _tabulate_places(self) -> None:
        layouts, people = self.layouts, self.people
        self.covers: Bools = np.zeros((layouts, self.places + 1, self.arenas), dtype=np.bool_)
        self.room: Floats = np.zeros((layouts, people, self.arenas, 3), dtype=np.float32)
        self.place_of: Ints = np.full((layouts, self.arenas), -1)
        self.sector: Ints = np.full((layouts, self.arenas), -1)
        self.admitted: Bools = np.zeros((layouts, people, self.arenas), dtype=np.bool_)
        self.middle: Ints = np.zeros((layouts, self.places + 1), dtype=np.int64)
        self._place_count: Ints = np.array([len(w.town.places.all) for w in self.worlds])
        # All places by their nearness to each tile, found when they are asked for.
        shape = (int(self.first[-1]), self.places)
        self._nearest: npt.NDArray[np.int16] = np.zeros(shape, dtype=np.int16)
        self._is_near_known: Bools = np.zeros(shape[0], dtype=np.bool_)
        for layout, (world, env) in enumerate(zip(self.worlds, self.envs, strict=True)):
            own, town, start = env.parts.town, world.town, int(self.first[layout])
            places, arenas = len(town.places.all), len(town.plan.arenas)
            self.covers[layout, :places, :arenas] = own.covers[:-1]
            self.room[layout, :, :arenas] = own.room.reshape(people, arenas, 3)
            self.place_of[layout, :arenas] = own.of_arena
            self.sector[layout, :arenas] = [arena.sector for arena in town.plan.arenas]
            self.admitted[layout, :, :arenas] = town.rights.allowed
            self.middle[layout, :places] = own.middle + start

    def find_nearest(self, tile: Ints) -> Ints:
        """Return all places by their nearness to tiles, shape (M, places); `places` is none."""
        new = np.unique(tile[~self._is_near_known[tile]])
        if len(new):
            layout, place = self.layout_of[new], np.arange(self.places)
            middle = self.middle[layout, :-1]
            apart = np.abs(self.x[middle] - self.x[new, None])
            apart += np.abs(self.y[middle] - self.y[new, None])
            is_none = place >= self._place_count[layout, None]
            order = np.where(is_none, _FAR, apart).argsort(axis=1, kind="stable")
            # Where a town has fewer places, the rest of the order is none.
            self._nearest[new] = np.where(is_none, self.places, order)
            self._is_near_known[new] = True
        return self._nearest[tile].astype(np.int64)


class NearThings:
    """The nearest things to each tile, for each radius of sight; found when they are asked for.

    Attributes:
        group: the number of each person's radius, shape (L, N).
    """

    def __init__(self, terrain: Terrain) -> None:
        self._terrain = terrain
        self._radii: list[int] = np.unique(terrain.vision).tolist()
        self.group: Ints = np.searchsorted(self._radii, terrain.vision)
        shape = (len(self._radii), int(terrain.first[-1]), OBJECT_SLOTS)
        self._things: Ints = np.full(shape, _UNKNOWN)
        self._columns: Floats = np.zeros((*shape, OBJECT_COLUMNS), dtype=np.float32)
        places = (*shape[:2], terrain.places)
        self._places: Bools = np.zeros(places, dtype=np.bool_)
        self._are_places_known: Bools = np.zeros(places[:2], dtype=np.bool_)

    def find(self, group: Ints, tile: Ints) -> tuple[Ints, Floats]:
        """Return the things near M tiles, -1 for none, and their columns, but for states."""
        things = self._things[group, tile]
        new = (things[:, 0] == _UNKNOWN).nonzero()[0]
        if len(new):
            for at in dict.fromkeys(zip(group[new].tolist(), tile[new].tolist(), strict=True)):
                self._fill(*at)
            things = self._things[group, tile]
        return things, self._columns[group, tile]

    def find_places(self, group: Ints, tile: Ints) -> Bools:
        """Return which places one learns of on tiles, shape (M, places)."""
        new = (~self._are_places_known[group, tile]).nonzero()[0]
        for g, at in dict.fromkeys(zip(group[new].tolist(), tile[new].tolist(), strict=True)):
            world, start = self._find_layout(at)
            around = world.town.surroundings[self._radii[g]]
            bits = around.places[at - start]
            bits = around.places_at(at - start) if bits is None else bits
            rows = world.town.places.to_rows([bits])[0]
            self._places[g, at, : len(rows)] = rows
            self._are_places_known[g, at] = True
        return self._places[group, tile]

    def _find_layout(self, tile: int) -> tuple[World, int]:
        layout = int(self._terrain.layout_of[tile])
        return self._terrain.worlds[layout], int(self._terrain.first[layout])

    def _fill(self, group: int, tile: int) -> None:
        world, start = self._find_layout(tile)
        radius, objects = self._radii[group], world.plan.objects
        x, y = world.town.ground.xy(tile - start)
        near = world.town.surroundings[radius].objects(tile - start)[:OBJECT_SLOTS]
        self._things[group, tile] = [o for o, _ in near] + [-1] * (OBJECT_SLOTS - len(near))
        for k, (o, apart) in enumerate(near):
            u, v = objects[o].find_nearest_tile(x, y)
            which = (o + 1) / len(objects)
            row = (1.0, (u - x) / radius, (v - y) / radius, 0.0, apart <= 1, which)
            self._columns[group, tile, k] = row


class WalkFields:
    """Direction fields of all layouts in one flat array, each computed when it is walked along.

    A row is where a field begins less the first tile of its layout: `flat[row + tile]` is the step.
    Goals are numbered through: all tiles come first, then the places and the things of all layouts.
    """

    def __init__(self, terrain: Terrain) -> None:
        self._terrain = terrain
        self._first_place = int(terrain.first[-1])
        self._first_thing = self._first_place + terrain.layouts * terrain.places
        self._longest = int(np.diff(terrain.first).max())
        self.flat: npt.NDArray[np.uint8] = np.full(self._longest, HOLD, dtype=np.uint8)
        self.hold: Ints = -terrain.first[:-1]
        self._forget()

    def find_places(self, layout: Ints, place: Ints) -> Ints:
        """Return the rows of the ways to places, all shapes (M,)."""
        return self._find(self._first_place + layout * self._terrain.places + place)

    def find_things(self, layout: Ints, thing: Ints) -> Ints:
        """Return the rows of the ways to things, all shapes (M,)."""
        return self._find(self._first_thing + layout * self._terrain.objects + thing)

    def find_tiles(self, tile: Ints) -> Ints:
        """Return the rows of the ways to beside tiles, on which people are; both shapes (M,)."""
        return self._find(tile)

    def trim(self) -> None:
        """Forget all fields where they take too much room."""
        if self._used > _MOST:
            self._forget()

    def _forget(self) -> None:
        terrain, self._used = self._terrain, self._longest
        goals = self._first_thing + terrain.layouts * terrain.objects
        self._rows: Ints = np.full(goals, _NONE)

    def _find(self, goals: Ints) -> Ints:
        rows = self._rows[goals]
        new = rows == _NONE
        if new.any():
            for goal in np.unique(goals[new]).tolist():
                self._rows[goal] = self._add(*self._find_targets(goal))
            rows = self._rows[goals]
        return rows

    def _find_targets(self, goal: int) -> tuple[int, tuple[int, ...]]:
        """Return the layout of a goal, and the tiles to which one walks."""
        terrain = self._terrain
        if goal < self._first_place:
            layout = int(terrain.layout_of[goal])
            ground = terrain.worlds[layout].town.ground
            return layout, tuple(ground.beside(goal - int(terrain.first[layout])))
        if goal < self._first_thing:
            layout, place = divmod(goal - self._first_place, terrain.places)
            return layout, terrain.worlds[layout].town.paths.find_targets(place)
        layout, thing = divmod(goal - self._first_thing, terrain.objects)
        world = terrain.worlds[layout]
        return layout, world.town.ground.around(world.plan.objects[thing])

    def _add(self, layout: int, targets: tuple[int, ...]) -> int:
        field = self._terrain.worlds[layout].town.paths.to_tiles.field(targets)
        start, self._used = self._used, self._used + len(field)
        if self._used > len(self.flat):
            more = np.zeros(max(len(self.flat), len(field)), dtype=np.uint8)
            self.flat = np.concatenate([self.flat, more])
        self.flat[start : self._used] = field
        return start - int(self._terrain.first[layout])


_NONE = np.iinfo(np.int64).min  # the row of a field that was not computed yet
