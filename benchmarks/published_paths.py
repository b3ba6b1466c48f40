"""The path finder published with Park et al. 2023, written anew from a description of it.

A wave spreads from the start over a grid of numbers. For each level the whole grid is gone through
for the tiles that have it; a path has at most 150 levels. It is traced back up, left, down, right.
"""

from collections.abc import Sequence

LEVELS = 150
_SIDES = ((0, -1), (-1, 0), (0, 1), (1, 0))

Tile = tuple[int, int]
Grid = Sequence[Sequence[bool]]


def find_published_path(blocked: Grid, start: Tile, goal: Tile) -> list[Tile]:
    """Return the tiles (x, y) from `start` to `goal`, both included; `goal` alone where none."""
    levels = [[0] * len(row) for row in blocked]
    levels[start[1]][start[0]] = 1
    level = 0
    while not levels[goal[1]][goal[0]]:
        level += 1
        if level > LEVELS:
            return [goal]
        _spread(blocked, levels, level)
    return _trace(levels, goal)


def _spread(blocked: Grid, levels: list[list[int]], level: int) -> None:
    for y in range(len(levels)):
        for x in range(len(levels[y])):
            if levels[y][x] != level:
                continue
            for dx, dy in _SIDES:
                at, row = x + dx, y + dy
                inside = 0 <= row < len(levels) and 0 <= at < len(levels[row])
                if inside and not levels[row][at] and not blocked[row][at]:
                    levels[row][at] = level + 1


def _trace(levels: list[list[int]], goal: Tile) -> list[Tile]:
    (x, y), path = goal, [goal]
    level = levels[y][x]
    while level > 1:
        level -= 1
        for dx, dy in _SIDES:
            at, row = x + dx, y + dy
            inside = 0 <= row < len(levels) and 0 <= at < len(levels[row])
            if inside and levels[row][at] == level:
                x, y = at, row
                break
        path.append((x, y))
    return path[::-1]
