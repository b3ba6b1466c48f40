"""The names of rooms, written into them."""

from collections.abc import Container, Iterator
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.plan import OUTSIDE
from genagents_env.show.render.boxes import Box
from genagents_env.show.render.canvas import FAINT, INK, THING, Canvas, measure_text

_SMALLEST = 9  # pixels of a letter, in a room
_Bools = npt.NDArray[np.bool_]


def write_room_names(canvas: Canvas, sectors: Container[int]) -> None:
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


def _write_on_floor(canvas: Canvas, name: str, tiles: _Bools) -> bool:
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


def _write_across(canvas: Canvas, name: str, tiles: _Bools) -> None:
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
