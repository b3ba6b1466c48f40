"""The things of a town, drawn on its ground over all their tiles, with their names."""

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from genagents_env.scenario.plan import ObjectPlan
from genagents_env.show.render.boxes import Box
from genagents_env.show.render.canvas import (
    EDGE,
    FAINT,
    ICON,
    THING,
    Canvas,
    Color,
    find_floor_color,
    measure_text,
)
from genagents_env.show.render.fonts import AnyFont
from genagents_env.show.render.symbols import find_emoji

NAMED = 20  # pixels a tile from which on things have names
_SMALL = 4  # tiles of a thing so small that no other name is written over it

_Tile = tuple[int, int]


class ThingPainter:
    """Draws the things at once, and their names when the more important names are written."""

    def __init__(self, canvas: Canvas) -> None:
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
        choices = [
            (x - wide / 2, y + t * 0.46, x + wide / 2, y + t * 0.46 + high),
            (x - wide / 2, y - t * 0.46 - high, x + wide / 2, y - t * 0.46),
            (x + t * 0.5, y - high / 2, x + t * 0.5 + wide, y + high / 2),
            (x - t * 0.5 - wide, y - high / 2, x - t * 0.5, y + high / 2),
        ]
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
        """Draw a thing over all its tiles, and return the tile for the sign of each part of it."""
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
        """Return the tile for the sign of a part of a thing: to the left of a row, else its middle.

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
