"""Which tiles a drawn shape covers: those whose middle lies inside it."""

from math import floor

import numpy as np

from genagents_env.scenario.grid import Tile
from genagents_env.scenario.schema import SIDE_LIMIT
from genagents_env.scenario.tiled.document import Outline
from genagents_env.scenario.tiled.refusal import TiledRefusal

_CORNER = 500  # a corner takes as long as so many tiles
WORK_LIMIT = 20_000_000  # a map of 512 x 512 all covered by sectors and arenas takes a tenth


class WorkLimit:
    """How much work the shapes of a map may be together."""

    def __init__(self) -> None:
        self._left = WORK_LIMIT

    def spend(self, work: int) -> None:
        """Take `work` away, in tiles looked at.

        Raises:
            TiledRefusal: so much is not left.
        """
        if work > self._left:
            raise TiledRefusal("what is drawn is too much; use fewer, smaller or plainer shapes")
        self._left -= work


def cover(outline: Outline, width: int, height: int, limit: WorkLimit) -> tuple[Tile, ...]:
    """Return the tiles of a shape, row by row; of one too small for any, the tile of its middle.

    Raises:
        TiledRefusal: it reaches out of the map, or is too much work.
    """
    xs, ys = [x for x, _ in outline], [y for _, y in outline]
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    middle = (floor((left + right) / 2), floor((top + bottom) / 2))
    if max(map(abs, (left, top, right, bottom))) > 4 * SIDE_LIMIT:
        raise TiledRefusal(_tell_outside(middle, width, height))
    area = (floor(right - left) + 2) * (floor(bottom - top) + 2)
    limit.spend(len(outline) * (area + _CORNER))
    tiles = _fill(outline, (floor(left), floor(top), floor(right) + 1, floor(bottom) + 1))
    tiles = tiles or [middle]
    for x, y in tiles:
        if not (0 <= x < width and 0 <= y < height):
            raise TiledRefusal(_tell_outside((x, y), width, height))
    return tuple(tiles)


def _tell_outside(tile: Tile, width: int, height: int) -> str:
    where = f"it reaches out of the map, to tile {tile[0]}, {tile[1]}"
    return f"{where}; the map is {width} x {height} tiles, the first is 0, 0"


def _fill(outline: Outline, box: tuple[int, int, int, int]) -> list[Tile]:
    """Return the tiles of `box` whose middle a line to the right leaves across an odd number."""
    left, top, right, bottom = box
    x, y = np.arange(left, right) + 0.5, np.arange(top, bottom)[:, None] + 0.5
    inside = np.zeros((bottom - top, right - left), np.bool_)
    for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
        if ay != by:
            crosses = (ay > y) != (by > y)
            inside ^= crosses & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    rows, columns = np.nonzero(inside)
    return list(zip((columns + left).tolist(), (rows + top).tolist(), strict=True))
