from collections import deque
from itertools import pairwise

import numpy as np

from benchmarks.published_paths import LEVELS, find_published_path


def measure_distance(
    blocked: list[list[bool]], start: tuple[int, int], goal: tuple[int, int]
) -> int:
    found, waiting = {start: 0}, deque([start])
    while waiting:
        x, y = waiting.popleft()
        for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= near[1] < len(blocked) and 0 <= near[0] < len(blocked[0])
            if inside and not blocked[near[1]][near[0]] and near not in found:
                found[near] = found[x, y] + 1
                waiting.append(near)
    return found[goal]


def test_the_published_path_finder_finds_shortest_paths_up_to_its_limit() -> None:
    draw = np.random.default_rng(0)
    blocked = (draw.random((12, 15)) < 0.2).tolist()
    blocked[0][0] = blocked[11][14] = False
    path = find_published_path(blocked, (0, 0), (14, 11))
    assert len(path) - 1 == measure_distance(blocked, (0, 0), (14, 11))
    assert (path[0], path[-1]) == ((0, 0), (14, 11))
    assert all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in pairwise(path))
    corridor = [[False] * (LEVELS + 60)]
    assert len(find_published_path(corridor, (0, 0), (LEVELS, 0))) == LEVELS + 1
    assert find_published_path(corridor, (0, 0), (LEVELS + 1, 0)) == [(LEVELS + 1, 0)]
