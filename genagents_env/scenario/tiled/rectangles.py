"""Tiles as rectangles, such as one draws in Tiled: few of them, and together the same tiles."""

from collections.abc import Iterable

from genagents_env.scenario.grid import Tile

Rectangle = tuple[int, int, int, int]  # left, top, width, height


def split_rectangles(tiles: Iterable[Tile]) -> list[Rectangle]:
    """Return rectangles that cover the tiles, each once.

    From the top, each as wide and then as high as it can be; the first holds the first tile.
    """
    rest = set(tiles)
    found: list[Rectangle] = []
    for x, y in sorted(rest, key=lambda tile: (tile[1], tile[0])):
        if (x, y) not in rest:
            continue
        width = height = 1
        while (x + width, y) in rest:
            width += 1
        while all((x + i, y + height) in rest for i in range(width)):
            height += 1
        rest -= {(x + i, y + j) for i in range(width) for j in range(height)}
        found.append((x, y, width, height))
    return found


def list_tiles(rectangle: Rectangle) -> list[Tile]:
    """Return the tiles of a rectangle, row by row."""
    x, y, width, height = rectangle
    return [(x + i, y + j) for j in range(height) for i in range(width)]
