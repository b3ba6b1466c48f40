from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.scenario.plan import ArenaPlan, SectorPlan, TownPlan
from genagents_env.world.paths import AStar, DirectionFields, PathFinder
from genagents_env.world.tiles import Ground


def finders(plan: TownPlan, *, cut_through: bool = False) -> tuple[Ground, DirectionFields, AStar]:
    ground = Ground(plan)
    fields = DirectionFields(ground, cut_through=cut_through)
    return ground, fields, AStar(ground, fields, cut_through=cut_through)


def open_plan(rows: Sequence[str]) -> TownPlan:
    """Return open ground with walls (#) and houses: one letter is one building of one room."""
    tiles = np.array([list(row) for row in rows])
    letters = sorted(set(tiles.ravel()) - {"#", "."})
    arena = np.zeros(tiles.shape, dtype=np.int16)
    for index, letter in enumerate(letters, 1):
        arena[tiles == letter] = index
    return TownPlan(
        *(tiles.shape[1], tiles.shape[0], tiles == "#", arena),
        sectors=tuple(SectorPlan(name, common=True) for name in ("outside", *letters)),
        arenas=(
            ArenaPlan("outside", 0, open_air=True),
            *(ArenaPlan(letter, index) for index, letter in enumerate(letters, 1)),
        ),
        objects=(),
    )


def check_path(ground: Ground, start: int, targets: Sequence[int], path: Sequence[int]) -> None:
    """Assert that `path` leads over free tiles side by side from `start` to one of `targets`."""
    for here, there in zip((start, *path), path, strict=False):
        assert there in ground.neighbours[:, here]
        assert ground.free[there]
    assert (start, *path)[-1] in targets


def test_paths_cut_through_houses_only_where_the_scenario_lets_them() -> None:
    rows = [
        "...........",
        ".#########.",
        ".#aaaaaaa#.",
        ".aaaaaaaaa.",
        ".#aaaaaaa#.",
        ".#########.",
    ]
    plan = open_plan(rows)
    lengths = {}
    for cut_through in (False, True):
        ground, fields, astar = finders(plan, cut_through=cut_through)
        for finder in (fields, astar):
            path = finder.find_path(ground.tile(0, 3), (ground.tile(10, 3),))
            assert path is not None
            lengths[cut_through, type(finder)] = len(path)
            inside = [tile for tile in path if ground.arena[tile]]
            assert bool(inside) == cut_through
    assert lengths == {
        **{(False, DirectionFields): 16, (False, AStar): 16},
        **{(True, DirectionFields): 10, (True, AStar): 10},
    }


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
def test_both_find_the_same_lengths_in_any_maze(seed: int, targets: int, cut_through: bool) -> None:
    draw = np.random.default_rng(seed)
    height, width = draw.integers(3, 14, 2)
    rows = draw.choice(list("....##ab"), (height, width))
    rows[0, 0] = "."
    ground, fields, astar = finders(open_plan(rows.tolist()), cut_through=cut_through)
    free = np.flatnonzero(ground.free)
    goals = tuple(sorted({int(t) for t in draw.choice(free, targets)}))
    finder: PathFinder
    for start in draw.choice(free, 8).tolist():
        found = []
        for finder in (fields, astar):
            path = finder.find_path(start, goals)
            found.append(None if path is None else len(path))
            if path is not None:
                check_path(ground, start, goals, path)
        assert found[0] == found[1]


def test_a_path_keeps_clear_of_taken_tiles_and_within_a_length() -> None:
    ground, _, astar = finders(open_plan([".....", ".###.", "....."]))
    start, goal = ground.tile(0, 0), (ground.tile(4, 0),)
    assert astar.find_path_around(start, goal, {ground.tile(2, 0)}) == tuple(
        ground.tile(x, y)
        for x, y in [(0, 1), (0, 2), (1, 2), (2, 2), (3, 2), (4, 2), (4, 1), (4, 0)]
    )
    assert astar.find_path_around(start, goal, {ground.tile(2, 0)}, longest=7) is None
    both = {ground.tile(2, 0), ground.tile(2, 2)}
    assert astar.find_path_around(start, goal, both) is None
    assert astar.find_path_around(start, (start,), both) == ()
