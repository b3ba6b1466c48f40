"""From a town to layers as one draws them in Tiled; reading them gives the same town."""

import re
from collections.abc import Iterable, Iterator
from itertools import count

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from genagents_env.scenario.ascii_map import open_doors
from genagents_env.scenario.grid import Grid, Tile
from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Person, Scenario, SectorSpec
from genagents_env.scenario.tiled import palette
from genagents_env.scenario.tiled.document import (
    PaintedLayer,
    PropertyValue,
    Shape,
    ShapeLayer,
    TiledDocument,
)
from genagents_env.scenario.tiled.place_keys import (
    ARENA,
    NEXT,
    OPEN_AIR,
    PART,
    PERSON,
    SPRITE,
    join_list,
)
from genagents_env.scenario.tiled.places import touch
from genagents_env.scenario.tiled.rectangles import Rectangle, list_tiles, split_rectangles

Bools = npt.NDArray[np.bool_]
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_AROUND = np.ones((3, 3), np.bool_)


def draw_town(scenario: Scenario, plan: TownPlan) -> TiledDocument:
    """Return the town of a scenario, laid out as `plan`, as layers."""
    return _Drawing(scenario, plan).draw()


class _Drawing:
    def __init__(self, scenario: Scenario, plan: TownPlan) -> None:
        self.scenario, self.plan = scenario, plan
        self.number = 0
        self.floor = plan.arena.copy()
        for x, y in plan.doors:
            self.floor[y, x] = OUTSIDE
        self.closed = plan.blocked.copy()
        for x, y in plan.sealed:  # reading seals them again, and closes such ground again
            self.closed[y, x] = False
        grounds = [i for i, arena in enumerate(plan.arenas) if arena.ground]
        self.closed &= ~np.isin(plan.arena, grounds)

    def draw(self) -> TiledDocument:
        plan, collisions = self.plan, np.where(self.closed, palette.CLOSED, 0).astype(np.int64)
        layers = (
            PaintedLayer("ground", self._paint_ground(), {}),
            PaintedLayer("collisions", collisions, {}),
            ShapeLayer("sectors", tuple(self._draw_sectors()), {}),
            ShapeLayer("arenas", tuple(self._draw_arenas()), {}),
            ShapeLayer("objects", tuple(self._draw_objects()), {}),
            ShapeLayer("doors", tuple(self._draw_doors()), {}),
            ShapeLayer("spawns", tuple(self._draw_spawns()), {}),
        )
        properties = {"town": self.scenario.town, "outside": self.scenario.outside}
        return TiledDocument(plan.width, plan.height, layers, palette.list_kinds(), properties)

    def _paint_ground(self) -> npt.NDArray[np.int64]:
        """Return what the map looks like: floors in a colour for each sector, walls around them."""
        plan = self.plan
        sector = np.array([arena.sector for arena in plan.arenas])[plan.arena]
        inside = plan.arena != OUTSIDE
        gids = np.where(inside, palette.FLOOR + (sector - 1) % palette.FLOORS, palette.OPEN)
        near = ndimage.binary_dilation(inside, _AROUND)
        walls = self.closed & ~inside
        gids[walls] = np.where(near, palette.WALL, palette.NOTHING)[walls]
        for x, y in plan.doors:
            gids[y, x] = palette.DOOR
        return gids.astype(np.int64)

    def _draw_sectors(self) -> Iterator[Shape]:
        plan = self.plan
        owner = np.array([arena.sector for arena in plan.arenas])[plan.arena]
        taken = np.zeros(owner.shape, np.bool_)
        for index, spec in enumerate(self.scenario.sectors, OUTSIDE + 1):
            mine = owner == index
            box = self._frame(mine, owner, taken)
            taken |= mine
            if box is not None:
                x, y, width, height = box
                taken[y : y + height, x : x + width] = True
            keys = {**_list_keys(spec), **({"common": True} if spec.common else {})}
            yield from self._draw_place(spec.name, _list_tiles(mine), keys, box)

    def _frame(self, mine: Bools, owner: npt.NDArray[np.int_], taken: Bools) -> Rectangle | None:
        """Return a rectangle around a sector, with its walls where it has some around it.

        None where something else would be in it.
        """
        rows, columns = np.nonzero(mine & (self.floor != OUTSIDE))
        for wall in (1, 0) if rows.size else ():
            top, left = max(0, int(rows.min()) - wall), max(0, int(columns.min()) - wall)
            bottom = min(mine.shape[0], int(rows.max()) + 1 + wall)
            right = min(mine.shape[1], int(columns.max()) + 1 + wall)
            part = (slice(top, bottom), slice(left, right))
            foreign = ~mine[part] & ((owner[part] != OUTSIDE) | ~self.closed[part])
            if not foreign.any() and not taken[part].any() and mine[part].sum() == mine.sum():
                return (left, top, right - left, bottom - top)
        return None

    def _draw_arenas(self) -> Iterator[Shape]:
        index = OUTSIDE
        for sector in self.scenario.sectors:
            for spec in sector.arenas:
                index += 1
                tiles = _list_tiles(self.floor == index) or _list_tiles(self.plan.arena == index)
                keys = {**_list_keys(spec), **({OPEN_AIR: True} if spec.open_air else {})}
                yield from self._draw_place(spec.name, tiles, keys)

    def _draw_objects(self) -> Iterator[Shape]:
        specs = (o for sector in self.scenario.sectors for a in sector.arenas for o in a.objects)
        for item, spec in zip(self.plan.objects, specs, strict=True):
            keys = _list_object_keys(spec)
            if any(self.plan.arena[y, x] != item.arena for x, y in item.tiles):
                keys[ARENA] = self.plan.arena_id(item.arena)
            yield from self._draw_place(item.name, item.tiles, keys)

    def _draw_doors(self) -> Iterator[Shape]:
        """Yield the doors; one that would not go to the right place by the rule names it."""
        plan = self.plan
        grounds = sum(arena.ground for arena in plan.arenas)
        rank = [i + grounds if not arena.ground else 0 for i, arena in enumerate(plan.arenas)]
        rank[OUTSIDE] = OUTSIDE
        first = len(plan.arenas) - grounds
        for i in range(first, len(plan.arenas)):
            rank[i] = i - first + 1
        ranked = np.where(self.closed, 0, np.array(rank, np.int16)[self.floor])
        grid = Grid(self.closed.copy(), ranked.astype(np.int16))
        open_doors(grid, list(plan.doors))
        for x, y in plan.doors:
            owner = int(plan.arena[y, x])
            keys: dict[str, PropertyValue] = {}
            if grid.arena[y, x] != rank[owner]:
                keys = {ARENA: "" if owner == OUTSIDE else plan.arena_id(owner)}
            yield self._make_point("", (x, y), keys)

    def _draw_spawns(self) -> Iterator[Shape]:
        sprites = name_sprites(self.scenario.people)
        for spawn in self.plan.spawns:
            who = [person for person in self.scenario.people if person.start == spawn.id]
            keys: dict[str, PropertyValue] = {}
            if len(who) == 1:
                keys[PERSON] = who[0].name
                keys |= {SPRITE: sprites[who[0].name]} if who[0].name in sprites else {}
            if self.plan.arena[spawn.tile[1], spawn.tile[0]] != spawn.arena:
                keys[ARENA] = self.plan.arena_id(spawn.arena)
            yield self._make_point(spawn.id.rsplit("/", 1)[1], spawn.tile, keys)

    def _draw_place(
        self,
        name: str,
        tiles: Iterable[Tile],
        keys: dict[str, PropertyValue],
        box: Rectangle | None = None,
    ) -> Iterator[Shape]:
        """Yield a place as rectangles; what it is says the first."""
        drawn: set[Tile] = set()
        for rectangle in [box] if box is not None else split_rectangles(tiles):
            more = list_tiles(rectangle)
            apart = bool(drawn) and not touch(drawn, more)
            yield self._make_shape(name, _corners(rectangle), {PART: True} if apart else keys)
            drawn.update(more)
            keys = {}

    def _make_point(self, name: str, tile: Tile, keys: dict[str, PropertyValue]) -> Shape:
        return self._make_shape(name, ((tile[0] + 0.5, tile[1] + 0.5),), keys)

    def _make_shape(
        self, name: str, outline: tuple[tuple[float, float], ...], keys: dict[str, PropertyValue]
    ) -> Shape:
        self.number += 1
        return Shape(self.number, name, "", outline, keys)


def name_sprites(people: Iterable[Person]) -> dict[str, str]:
    """Return by their names the file of each one's picture beside an exported map, no two alike."""
    files: dict[str, str] = {}
    for person in people:
        if person.sprite is not None:
            stem = _NOT_IN_NAMES.sub("_", person.name.lower()).strip("_") or "somebody"
            names = (f"{stem}_{number}.png" if number > 1 else f"{stem}.png" for number in count(1))
            files[person.name] = next(name for name in names if name not in files.values())
    return files


def _corners(rectangle: Rectangle) -> tuple[tuple[float, float], ...]:
    x, y, width, height = map(float, rectangle)
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def _list_tiles(where: Bools) -> list[Tile]:
    rows, columns = np.nonzero(where)
    return list(zip(columns.tolist(), rows.tolist(), strict=True))


def _list_keys(spec: SectorSpec | ArenaSpec) -> dict[str, PropertyValue]:
    keys: dict[str, PropertyValue] = {}
    if spec.hours:
        keys["hours"] = join_list(spec.hours)
    if spec.users:
        keys["users"] = join_list(spec.users)
    if spec.capacity is not None:
        keys["capacity"] = spec.capacity
    return keys


def _list_object_keys(spec: ObjectSpec) -> dict[str, PropertyValue]:
    """Return what differs from the default; solid tiles are drawn as closed."""
    keys: dict[str, PropertyValue] = {}
    if spec.state != (spec.states[0] if spec.states else "idle"):
        keys["state"] = spec.state
    for key, entries in (("states", spec.states), ("users", spec.users), ("lasting", spec.lasting)):
        if entries:
            keys[key] = join_list(entries)
    if spec.free_text:
        keys["free_text"] = True
    if spec.sleep_state is not None:
        keys["sleep_state"] = spec.sleep_state
    return keys | {f"{NEXT}{state}": join_list(after) for state, after in spec.next.items()}
