"""The map of a town as a picture by itself: names of places and things, spawn tiles, rulers."""

import numpy as np
from PIL import Image, ImageDraw

from genagents_env.scenario.plan import TownPlan
from genagents_env.show.render.canvas import FAINT, INK, PAPER, Color, list_around
from genagents_env.show.render.fonts import Fonts
from genagents_env.show.render.ground import GroundImage

WIDEST, HIGHEST = 4600, 3600  # pixels of the map
SMALLEST, LARGEST = 8, 40  # pixels a tile
HEADER, RULER, EVERY = 60, 34, 5  # pixels above and around the map; tiles between numbers
MARGIN = 2  # tiles around what can be walked on
SPAWN: Color = (196, 72, 62)


def draw_map(plan: TownPlan, *, title: str = "") -> Image.Image:
    """Return the map of a town, without anybody in it.

    What of it nobody can reach is cut off at the edges; the rulers number the tiles as `start` and
    `at` of a scenario do.

    Args:
        plan: the town.
        title: above the map.
    """
    fonts = Fonts()
    left, top, right, bottom = _find_used(plan)
    fitting = min(WIDEST // (right - left), HIGHEST // (bottom - top))
    tile = max(SMALLEST, min(LARGEST, fitting))
    ground = GroundImage(plan, tile, fonts)
    _mark_spawns(ground, plan)
    part = ground.image.crop((left * tile, top * tile, right * tile, bottom * tile))
    canvas = Image.new("RGB", (part.width + 2 * RULER, part.height + HEADER + 2 * RULER), PAPER)
    canvas.paste(part, (RULER, HEADER + RULER))
    pen = ImageDraw.Draw(canvas)
    pen.rectangle((0, 0, canvas.width, HEADER - 1), fill=INK)
    middle = HEADER / 2
    bold, plain = fonts.text(24, "Bold"), fonts.text(15, "Medium")
    pen.text((RULER, middle), title, (255, 255, 255), bold, anchor="lm")
    if plan.spawns:
        x = RULER + bold.getlength(title) + 40
        pen.ellipse((x - 6, middle - 5, x + 6, middle + 7), fill=SPAWN, outline=PAPER)
        pen.text((x + 14, middle + 1), "spawn tile", (200, 196, 204), plain, anchor="lm")
    _draw_rulers(pen, fonts, (left, top, right, bottom), tile)
    return canvas


def _find_used(plan: TownPlan) -> tuple[int, int, int, int]:
    """Return the part of the map in which anything is: left, top, right and bottom in tiles."""
    used = ~plan.blocked
    for item in plan.objects:
        for x, y in item.tiles:
            used[y, x] = True
    ys, xs = np.nonzero(used)
    if not len(xs):
        return 0, 0, plan.width, plan.height
    left, top = max(0, int(xs.min()) - MARGIN), max(0, int(ys.min()) - MARGIN)
    right = min(plan.width, int(xs.max()) + 1 + MARGIN)
    return left, top, right, min(plan.height, int(ys.max()) + 1 + MARGIN)


def _mark_spawns(ground: GroundImage, plan: TownPlan) -> None:
    """Mark each spawn tile with a dot in its corner, and its name where there is room."""
    t = ground.tile
    font = ground.fonts.text(max(8, int(t * 0.34)), "SemiBold")
    for spawn in plan.spawns:
        x, y, r = (spawn.tile[0] + 0.82) * t, (spawn.tile[1] + 0.82) * t, t * 0.13
        ground.draw.ellipse((x - r, y - r, x + r, y + r), fill=SPAWN, outline=PAPER)
        name = spawn.id.rsplit("/", 1)[-1]
        wide, high = font.getlength(name), font.getbbox(name)[3]
        spot = ground.boxes.free(list_around(x, y, (r + 1, r + 2), wide, high))
        if spot is not None:
            ground.draw.text(spot[:2], name, SPAWN, font, anchor="la")


def _draw_rulers(
    pen: ImageDraw.ImageDraw, fonts: Fonts, part: tuple[int, int, int, int], tile: int
) -> None:
    left, top, right, bottom = part
    font = fonts.text(max(10, min(15, tile // 2)), "Medium")
    low, far = HEADER + RULER + (bottom - top) * tile, RULER + (right - left) * tile
    every = EVERY if tile * EVERY >= 40 else 4 * EVERY
    for column in range(-(-left // every) * every, right, every):
        middle = RULER + (column - left + 0.5) * tile
        for edge in (HEADER + RULER / 2, low + RULER / 2):
            pen.text((middle, edge), str(column), FAINT, font, anchor="mm")
    for row in range(-(-top // every) * every, bottom, every):
        middle = HEADER + RULER + (row - top + 0.5) * tile
        for edge in (RULER / 2, far + RULER / 2):
            pen.text((edge, middle), str(row), FAINT, font, anchor="mm")
