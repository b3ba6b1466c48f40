"""The unchanging background of a town: ground, walls, doors, things and the names of places."""

from collections.abc import Container, Iterator
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy import ndimage

from genagents_env.scenario.plan import OUTSIDE, ObjectPlan, TownPlan
from genagents_env.show.render.canvas import (
    DOOR,
    EDGE,
    FAINT,
    HEDGE,
    ICON,
    INK,
    SIGN,
    THING,
    WALL,
    Box,
    Boxes,
    Color,
    find_floor_color,
    list_around,
    measure_text,
)
from genagents_env.show.render.fonts import AnyFont, Fonts
from genagents_env.show.render.symbols import find_emoji

NAMED = 20  # pixels a tile from which on things have names
_SMALL = 4  # tiles of a thing so small that no other name is written over it

_Tile = tuple[int, int]


class ThingPainter:
    """Draws the things at once, and their names when the more important names are written."""

    def __init__(self, canvas: "GroundImage") -> None:
        self.canvas = canvas
        self.size = max(9, int(canvas.tile * 0.8))  # of a sign
        self.gap = (canvas.tile - self.size) // 2
        self.font: AnyFont = canvas.fonts.text(max(9, int(canvas.tile * 0.36)), "Regular")
        self._named: set[int] = set()  # the things that have their names in them
        self._signs: list[_Tile] = []  # the tile of each thing's first sign
        for o, item in enumerate(canvas.plan.objects):
            tiles = [item.tile] if len(item.tiles) == 1 else self._spread(o, item)
            for tile in tiles:
                self._draw_sign(item, tile)
            self._signs.append(tiles[0])

    def write_names(self) -> None:
        """Name the things next to which there is room."""
        if self.canvas.tile < NAMED:
            return
        for o, item in enumerate(self.canvas.plan.objects):
            if o not in self._named:
                self._write_beside(item, self._signs[o])

    def _write_beside(self, item: ObjectPlan, sign: _Tile) -> None:
        t, (wide, high) = self.canvas.tile, measure_text(self.font, item.name)
        x, y = sign[0] * t + t / 2, sign[1] * t + t / 2
        choices = list_around(x, y, (t * 0.46, t * 0.5), wide, high)
        found = self.canvas.boxes.free(b for b in choices if self._is_on_floor(b, item.arena))
        if found is not None:
            self.canvas.draw.text(found[:2], item.name, FAINT, self.font, anchor="lt")

    def _is_on_floor(self, box: Box, arena: int) -> bool:
        plan = self.canvas.plan
        x0, y0, x1, y1 = (int(edge // self.canvas.tile) for edge in box)
        part = plan.arena[max(0, y0) : y1 + 1, max(0, x0) : x1 + 1]
        wall = plan.blocked[max(0, y0) : y1 + 1, max(0, x0) : x1 + 1]
        return bool(part.size and (part == arena).all() and not wall.any())

    def _draw_sign(self, item: ObjectPlan, tile: _Tile) -> None:
        canvas, size = self.canvas, self.size
        x, y = tile[0] * canvas.tile + self.gap, tile[1] * canvas.tile + self.gap
        box = canvas.boxes.take((x, y, x + size - 1, y + size - 1))
        canvas.draw.rounded_rectangle(box, size // 4, fill=THING, outline=EDGE)
        centre = (x + size / 2, y + size / 2)
        sign = canvas.fonts.drawable(find_emoji(item.name))
        if sign:
            font = canvas.fonts.emoji(max(8, int(size * 0.66)))
            canvas.draw.text(centre, sign, ICON, font, anchor="mm")
        else:
            plain = canvas.fonts.text(max(8, int(size * 0.55)), "SemiBold")
            canvas.draw.text(centre, item.name[:1].upper(), ICON, plain, anchor="mm")

    def _spread(self, o: int, item: ObjectPlan) -> list[_Tile]:
        """Draw a thing over all its tiles, and return the tile for the emoji of each part of it."""
        marked = np.zeros_like(self.canvas.plan.blocked)
        for x, y in item.tiles:
            marked[y, x] = True
        red, green, blue = find_floor_color(self.canvas.plan, item.arena)
        large = ((2 * red + THING[0]) // 3, (2 * green + THING[1]) // 3, (2 * blue + THING[2]) // 3)
        fill = THING if len(item.tiles) <= _SMALL else large
        for grow, color in ((0, EDGE), (1, fill)):
            for y, x in np.argwhere(marked).tolist():
                self._fill_tile(marked, (x, y), self.gap + grow, color)
        parts, count = ndimage.label(marked)
        return [self._find_sign(o, np.argwhere(parts == part)) for part in range(1, count + 1)]

    def _find_sign(self, o: int, tiles: npt.NDArray[np.intp]) -> _Tile:
        """Return the tile for the emoji of a part of a thing: the left of a row, else its middle.

        Beside a sign to the left the thing's name is written, if there is room for it.
        """
        canvas, t, name = self.canvas, self.canvas.tile, self.canvas.plan.objects[o].name
        for y, x in tiles.tolist() if len(tiles) <= _SMALL else []:
            canvas.boxes.take((x * t, y * t, x * t + t - 1, y * t + t - 1))
        if tiles[:, 0].min() < tiles[:, 0].max():
            y, x = tiles[np.abs(tiles - tiles.mean(axis=0)).sum(axis=1).argmin()].tolist()
            return x, y
        (row, left), right = tiles[0].tolist(), int(tiles[:, 1].max())
        wide, _ = measure_text(self.font, name)
        if t >= NAMED and o not in self._named and wide + 6 <= (right - left) * t:
            x, y = (left + 1) * t + 2, (row + 0.5) * t
            canvas.draw.text((x, y), name, FAINT, self.font, anchor="lm")
            canvas.boxes.take((x, y - t / 3, x + wide, y + t / 3))
            self._named.add(o)
        return left, row

    def _fill_tile(
        self, marked: npt.NDArray[np.bool_], tile: _Tile, gap: int, color: Color
    ) -> None:
        """Fill a tile up to where the thing ends: `gap` pixels from its edges, none within it."""
        t, (x, y), (height, width) = self.canvas.tile, tile, marked.shape
        left = 0 if x and marked[y, x - 1] else gap
        right = 0 if x + 1 < width and marked[y, x + 1] else gap
        top = 0 if y and marked[y - 1, x] else gap
        low = 0 if y + 1 < height and marked[y + 1, x] else gap
        box = (x * t + left, y * t + top, x * t + t - 1 - right, y * t + t - 1 - low)
        self.canvas.draw.rectangle(box, fill=color)


_SMALLEST = 9  # pixels of a letter, in a room
_Bools = npt.NDArray[np.bool_]


def write_room_names(canvas: "GroundImage", sectors: Container[int]) -> None:
    """Write each room's name into it, where the room has a name of its own and space for it."""
    plan, floor = canvas.plan, ~canvas.plan.blocked
    for x, y in plan.doors:
        floor[y, x] = False
    for index, arena in enumerate(plan.arenas):
        own = arena.name != plan.sectors[arena.sector].name
        tiles = (plan.arena == index) & floor
        if index == OUTSIDE or not own or not tiles.any() or arena.sector not in sectors:
            continue
        if not _write_on_floor(canvas, arena.name, tiles):
            _write_across(canvas, arena.name, tiles)


def _write_on_floor(canvas: "GroundImage", name: str, tiles: _Bools) -> bool:
    """Write a name where it covers floor of its room alone, in up to three lines."""
    for size in range(max(_SMALLEST, min(16, int(canvas.tile * 0.6))), _SMALLEST - 1, -1):
        font = canvas.fonts.text(size, "SemiBold")
        for lines in _split(name):
            wide = max(measure_text(font, line)[0] for line in lines)
            spots = _list_spots(canvas.tile, tiles, wide, len(lines) * (size + 2))
            found = canvas.boxes.free(spots)
            if found is None:
                continue
            for row, line in enumerate(lines):
                place = ((found[0] + found[2]) / 2, found[1] + row * (size + 2))
                canvas.draw.text(place, line, FAINT, font, anchor="mt")
            return True
    return False


def _list_spots(t: int, tiles: _Bools, wide: float, high: float) -> Iterator[Box]:
    """Yield where a label fits on these tiles, from the top down, in each row from the middle."""
    ys, xs = np.nonzero(tiles)
    low, right = float((ys.max() + 1) * t - high), float((xs.max() + 1) * t - wide)
    first, left, step = int(ys.min()) * t, int(xs.min()) * t, max(2, t // 4)
    middle = (left + right) / 2
    columns = sorted(range(left + 2, int(right), step), key=lambda x: abs(x - middle))
    # Right below a wall is its shadow, so that is where a name goes last.
    for y in (*range(first + t // 4, int(low), step), first + max(2, t // 10)):
        for x in columns:
            box = (float(x), float(y), x + wide, y + high)
            x0, y0, x1, y1 = (int(edge // t) for edge in box)
            if tiles[y0 : y1 + 1, x0 : x1 + 1].all():
                yield box


def _write_across(canvas: "GroundImage", name: str, tiles: _Bools) -> None:
    """Write a name over the walls of its room too, where it covers nothing written."""
    t = canvas.tile
    ys, xs = np.nonzero(tiles)
    left, right = xs.min() * t + 2, (xs.max() + 1) * t - 2
    for size in range(max(9, min(16, int(t * 0.6))), 7, -1):
        font = canvas.fonts.text(size, "SemiBold")
        wide, high = measure_text(font, name)
        rows = range(int(ys.min()) * t + t // 4, int((ys.max() + 1) * t - high), max(2, t // 4))
        starts = [(left + right - wide) / 2, left, right - wide] if wide <= right - left else []
        found = canvas.boxes.free((x, y, x + wide, y + high) for y in rows for x in starts)
        if found is not None:
            place = found[:2]
            canvas.draw.text(place, name, INK, font, anchor="lt", stroke_width=2, stroke_fill=THING)
            return


def _split(name: str) -> list[list[str]]:
    """Return a name in one line, in two, and in three, broken between words as evenly as can be."""
    words = name.split(" ")
    found = [[name]]
    for count in range(2, min(3, len(words)) + 1):
        breaks = (
            [" ".join(words[a:b]) for a, b in pairwise((0, *cuts, len(words)))]
            for cuts in combinations(range(1, len(words)), count - 1)
        )
        found.append(min(breaks, key=lambda lines: max(map(len, lines))))
    return found


_CORNER = 4  # tiles of another building that a building's name may stand on


class GroundImage:
    """The background of the picture, drawn once.

    `image`: RGB, plan.width x plan.height tiles of `tile` pixels. `boxes`: what labels cover.
    """

    def __init__(self, plan: TownPlan, tile: int, fonts: Fonts) -> None:
        self.plan, self.tile, self.fonts = plan, tile, fonts
        self.image = Image.fromarray(
            np.kron(_color_tiles(plan), np.ones((tile, tile, 1), np.uint8))
        )
        self.boxes = Boxes(*self.image.size)
        self.draw = ImageDraw.Draw(self.image)
        self._shade_walls()
        self._doors()
        named = self._sector_names()
        things = ThingPainter(self)
        write_room_names(self, named)
        things.write_names()

    def _shade_walls(self) -> None:
        """Give walls a shadow on the floor below them, so that rooms look like rooms."""
        walls, t = find_walls(self.plan), self.tile
        below = np.zeros_like(walls)
        below[1:] = walls[:-1]
        for y, x in np.argwhere(below & ~self.plan.blocked).tolist():
            floor = self.image.getpixel((x * t + t // 2, y * t + t // 2))
            shade = tuple(int(c * 0.86) for c in floor)  # type: ignore[union-attr]
            self.draw.rectangle((x * t, y * t, x * t + t - 1, y * t + max(1, t // 6)), fill=shade)

    def _doors(self) -> None:
        t, blocked = self.tile, self.plan.blocked
        for x, y in self.plan.doors:
            beside = blocked[y, max(0, x - 1)] and blocked[y, min(self.plan.width - 1, x + 1)]
            thick = max(2, t // 4)
            low, high = (t - thick) // 2, (t - thick) // 2 + thick - 1
            left, top = x * t, y * t
            bar = (
                (left, top + low, left + t - 1, top + high)
                if beside
                else (left + low, top, left + high, top + t - 1)
            )
            self.draw.rectangle(bar, fill=DOOR)

    def _sector_names(self) -> dict[int, Box]:
        """Write each building's name on its upper edge; return where, by sector."""
        t, font = self.tile, self.fonts.text(max(11, min(20, int(self.tile * 0.72))), "Bold")
        placed: dict[int, Box] = {}
        for index, sector in enumerate(self.plan.sectors):
            owned = [i for i, a in enumerate(self.plan.arenas) if a.sector == index]
            tiles = np.isin(self.plan.arena, [i for i in owned if i != OUTSIDE])
            if not tiles.any():
                continue
            ys, xs = np.nonzero(tiles)
            middle = (xs.min() + xs.max() + 1) * t / 2
            wide, high = measure_text(font, sector.name)
            pad = max(3, t // 5)
            top = ys.min() * t - t // 2 - high / 2 - pad
            box = (
                middle - wide / 2 - 2 * pad,
                top,
                middle + wide / 2 + 2 * pad,
                top + high + 2 * pad,
            )
            choices = [box, _shift(box, 0, -t), _shift(box, 0, t)]
            choices += [_shift(box, dx, dy) for dx, dy in self._find_tops(owned, box, t)]
            own = [b for b in choices if not self._covers_others(b, index)]
            box = self.boxes.best(own or choices)
            self.draw.rounded_rectangle(box, radius=(high + 2 * pad) / 2, fill=SIGN)
            centre = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
            self.draw.text(centre, sector.name, (255, 255, 255), font, anchor="mm")
            placed[index] = box
        return placed

    def _find_tops(self, owned: list[int], box: Box, t: int) -> Iterator[tuple[float, float]]:
        """Yield how far a building's name is from standing above each of its rooms instead."""
        middle, height = (box[0] + box[2]) / 2, box[3] - box[1]
        for arena in owned:
            ys, xs = np.nonzero((self.plan.arena == arena) & ~self.plan.blocked)
            if len(xs):
                top = ys.min() * t - t // 2 - height / 2
                yield (xs.min() + xs.max() + 1) * t / 2 - middle, top - box[1]

    def _covers_others(self, box: Box, sector: int) -> bool:
        """Return True if a name would cover more than a corner of another building's rooms."""
        x0, y0, x1, y1 = (max(0, int(edge // self.tile)) for edge in self.boxes.inside(box))
        part = self.plan.arena[y0 : y1 + 1, x0 : x1 + 1]
        owners = np.array([arena.sector for arena in self.plan.arenas])[part]
        return int(((owners != sector) & (part != OUTSIDE)).sum()) > _CORNER


def find_walls(plan: TownPlan) -> npt.NDArray[np.bool_]:
    """Return the blocked tiles that touch a room; the other blocked ones are hedges."""
    indoors = (plan.arena != OUTSIDE) & ~np.array([a.open_air for a in plan.arenas])[plan.arena]
    near = ndimage.binary_dilation(indoors, np.ones((3, 3), bool))
    found: npt.NDArray[np.bool_] = plan.blocked & near
    return found


def _color_tiles(plan: TownPlan) -> npt.NDArray[np.uint8]:
    """Return a colour for each tile, shape (height, width, 3)."""
    table = np.array([find_floor_color(plan, i) for i in range(len(plan.arenas))], np.uint8)
    tiles = table[plan.arena]
    tiles[plan.blocked] = HEDGE
    tiles[find_walls(plan)] = WALL
    odd = (np.indices(plan.arena.shape).sum(axis=0) % 2).astype(bool) & ~plan.blocked
    tiles[odd] = np.minimum(tiles[odd].astype(np.int16) + 4, 255).astype(np.uint8)
    return tiles


def _shift(box: Box, dx: float, dy: float) -> Box:
    return (box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy)
