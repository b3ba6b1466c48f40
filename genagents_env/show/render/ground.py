"""What does not change from tick to tick: ground, walls, doors, things and the names of places."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy import ndimage

from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.show.render.boxes import Box, Boxes
from genagents_env.show.render.canvas import (
    DOOR,
    HEDGE,
    SIGN,
    WALL,
    Canvas,
    find_floor_color,
    measure_text,
)
from genagents_env.show.render.fonts import Fonts
from genagents_env.show.render.room_names import write_room_names
from genagents_env.show.render.things import ThingPainter

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
        canvas = Canvas(plan, tile, fonts, self.image, self.draw, self.boxes)
        things = ThingPainter(canvas)
        write_room_names(canvas, named)
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
        """Return whether a name would stand on more than a corner of another building's rooms."""
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
