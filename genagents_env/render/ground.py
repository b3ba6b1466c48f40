"""What does not change from tick to tick: ground, walls, doors, things and the names of places."""

from colorsys import hls_to_rgb

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy import ndimage

from genagents_env.render.boxes import Box, Boxes
from genagents_env.render.fonts import AnyFont, Fonts
from genagents_env.render.symbols import find_emoji
from genagents_env.scenario.plan import OUTSIDE, TownPlan

Color = tuple[int, int, int]

GRASS: Color = (214, 228, 199)
WALL: Color = (158, 146, 138)
SIGN: Color = (88, 80, 84)
HEDGE: Color = (137, 166, 124)
DOOR: Color = (176, 128, 84)
INK: Color = (58, 54, 60)
FAINT: Color = (128, 120, 124)


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
        names = self._sector_names()
        self._things()
        self._arena_names(names)
        self._thing_names()

    def _shade_walls(self) -> None:
        """Give walls a shadow on the floor below them, so that rooms look like rooms."""
        walls, t = _find_walls(self.plan), self.tile
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
            wide, high = _measure(font, sector.name)
            pad = max(3, t // 5)
            top = ys.min() * t - t // 2 - high / 2 - pad
            box = (
                middle - wide / 2 - 2 * pad,
                top,
                middle + wide / 2 + 2 * pad,
                top + high + 2 * pad,
            )
            box = self.boxes.best([box, _shift(box, 0, -t), _shift(box, 0, t)])
            self.draw.rounded_rectangle(box, radius=(high + 2 * pad) / 2, fill=SIGN)
            centre = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
            self.draw.text(centre, sector.name, (255, 255, 255), font, anchor="mm")
            placed[index] = box
        return placed

    def _things(self) -> None:
        size = max(9, int(self.tile * 0.8))
        for item in self.plan.objects:
            x = item.tile[0] * self.tile + (self.tile - size) // 2
            y = item.tile[1] * self.tile + (self.tile - size) // 2
            box = self.boxes.take((x, y, x + size - 1, y + size - 1))
            self.draw.rounded_rectangle(
                box, size // 4, fill=(252, 249, 242), outline=(190, 178, 164)
            )
            centre = (x + size / 2, y + size / 2)
            sign = self.fonts.drawable(find_emoji(item.name))
            if sign:
                font = self.fonts.emoji(max(8, int(size * 0.66)))
                self.draw.text(centre, sign, (120, 92, 70), font, anchor="mm")
            else:
                font = self.fonts.text(max(8, int(size * 0.55)), "SemiBold")
                self.draw.text(centre, item.name[:1].upper(), (120, 92, 70), font, anchor="mm")

    def _arena_names(self, sectors: dict[int, Box]) -> None:
        """Write each room's name into it, where the room has a name of its own and space for it."""
        t, floor = self.tile, ~self.plan.blocked
        for x, y in self.plan.doors:
            floor[y, x] = False
        for index, arena in enumerate(self.plan.arenas):
            own = arena.name != self.plan.sectors[arena.sector].name
            tiles = (self.plan.arena == index) & floor
            if index == OUTSIDE or not own or not tiles.any() or arena.sector not in sectors:
                continue
            ys, xs = np.nonzero(tiles)
            left, right = xs.min() * t + 2, (xs.max() + 1) * t - 2
            for size in range(max(9, min(16, int(t * 0.6))), 7, -1):
                font = self.fonts.text(size, "SemiBold")
                wide, high = _measure(font, arena.name)
                rows = range(
                    int(ys.min()) * t + t // 4, int((ys.max() + 1) * t - high), max(2, t // 4)
                )
                middle = (left + right - wide) / 2
                starts = [middle, left, right - wide] if wide <= right - left else []
                found = self.boxes.free((x, y, x + wide, y + high) for y in rows for x in starts)
                if found is not None:
                    self.draw.text(found[:2], arena.name, FAINT, font, anchor="lt")
                    break

    def _thing_names(self) -> None:
        """Name the things next to which there is room."""
        if self.tile < 20:
            return
        t, font = self.tile, self.fonts.text(max(9, int(self.tile * 0.36)), "Regular")
        for item in self.plan.objects:
            wide, high = _measure(font, item.name)
            x, y = item.tile[0] * t + t / 2, item.tile[1] * t + t / 2
            choices = [
                (x - wide / 2, y + t * 0.46, x + wide / 2, y + t * 0.46 + high),
                (x - wide / 2, y - t * 0.46 - high, x + wide / 2, y - t * 0.46),
                (x + t * 0.5, y - high / 2, x + t * 0.5 + wide, y + high / 2),
                (x - t * 0.5 - wide, y - high / 2, x - t * 0.5, y + high / 2),
            ]
            found = self.boxes.free(box for box in choices if self._on_floor(box, item.arena))
            if found is not None:
                self.draw.text(found[:2], item.name, FAINT, font, anchor="lt")

    def _on_floor(self, box: Box, arena: int) -> bool:
        x0, y0, x1, y1 = (int(edge // self.tile) for edge in box)
        part = self.plan.arena[max(0, y0) : y1 + 1, max(0, x0) : x1 + 1]
        wall = self.plan.blocked[max(0, y0) : y1 + 1, max(0, x0) : x1 + 1]
        return bool(part.size and (part == arena).all() and not wall.any())


def _find_walls(plan: TownPlan) -> npt.NDArray[np.bool_]:
    """Return the blocked tiles that touch a room; the other blocked ones are hedges."""
    indoors = (plan.arena != OUTSIDE) & ~np.array([a.open_air for a in plan.arenas])[plan.arena]
    near = ndimage.binary_dilation(indoors, np.ones((3, 3), bool))
    found: npt.NDArray[np.bool_] = plan.blocked & near
    return found


def _color_tiles(plan: TownPlan) -> npt.NDArray[np.uint8]:
    """Return a colour for each tile, shape (height, width, 3)."""
    table = np.array([_floor_color(plan, i) for i in range(len(plan.arenas))], np.uint8)
    tiles = table[plan.arena]
    tiles[plan.blocked] = HEDGE
    tiles[_find_walls(plan)] = WALL
    odd = (np.indices(plan.arena.shape).sum(axis=0) % 2).astype(bool) & ~plan.blocked
    tiles[odd] = np.minimum(tiles[odd].astype(np.int16) + 4, 255).astype(np.uint8)
    return tiles


def _floor_color(plan: TownPlan, arena: int) -> Color:
    if arena == OUTSIDE:
        return GRASS
    spec = plan.arenas[arena]
    if spec.open_air:
        return (190, 219, 167)
    hue = spec.sector * 0.618034 % 1.0
    room = arena * 0.37 % 1.0
    red, green, blue = hls_to_rgb(hue, 0.875 + 0.035 * room, 0.42)
    return (round(red * 255), round(green * 255), round(blue * 255))


def _shift(box: Box, dx: float, dy: float) -> Box:
    return (box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy)


def _measure(font: AnyFont, text: str) -> tuple[float, float]:
    box = font.getbbox(text, anchor="lt") if hasattr(font, "path") else font.getbbox(text)
    return box[2] - box[0], box[3] - box[1]
