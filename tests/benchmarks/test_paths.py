from collections import deque
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.matrices import read_matrices
from benchmarks.paths import make_courses, read_plan
from benchmarks.published_paths import LEVELS, find_published_path
from benchmarks.towns import make_plan


def measure_distance(
    blocked: list[list[bool]], start: tuple[int, int], goal: tuple[int, int]
) -> int:
    """Return the steps from `start` to `goal`."""
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


def test_every_course_plans_for_the_same_town_and_the_lengths_agree() -> None:
    courses = make_courses(make_plan(), 30, 1, cut_through=True)
    for course in courses:
        course.measure()
    named = [c.length for c in courses if "places" in c.name]
    anywhere = [c.length for c in courses[1:] if "any tile" in c.name]
    assert len(set(named)) == len(set(anywhere)) == 1
    assert all(course.costs[0] > 0 for course in courses)


def test_matrices_are_read_with_their_rooms_and_things(tmp_path: Path) -> None:
    rows = {
        "collision": ["1" if at < 3 else "0" for at in range(280)],
        "sector": ["7" if 140 <= at < 146 else "0" for at in range(280)],
        "arena": ["9" if 140 <= at < 143 else "0" for at in range(280)],
        "game_object": ["5" if at in (141, 142) else "0" for at in range(280)],
    }
    for name, values in rows.items():
        (tmp_path / f"{name}_maze.csv").write_text(", ".join(values))
    plan = read_plan(tmp_path)
    assert (plan.width, plan.height) == (140, 2)
    assert plan.blocked[0].tolist() == [True] * 3 + [False] * 137
    assert [arena.name for arena in plan.arenas] == ["outside", "0", "9"]
    assert plan.arena[1, :7].tolist() == [2, 2, 2, 1, 1, 1, 0]
    assert [item.tiles for item in plan.objects] == [((1, 1), (2, 1))]
    assert read_matrices(tmp_path).sectors[1].name == "7"


def test_a_shipped_scenario_can_be_walked_in() -> None:
    with pytest.raises(Exception, match="no_such_town"):
        read_plan(Path("no_such_town"))
    assert read_plan(Path("tiny")).width == 15
