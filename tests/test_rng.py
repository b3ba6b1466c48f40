import subprocess
import sys

import numpy as np

from genagents_env.rng import draw_bits, draw_index, draw_unit, rank, ranks


def test_draws_depend_on_every_word_and_on_nothing_else() -> None:
    assert draw_bits(1, 2, "Ann", "talk") == draw_bits(1, 2, "Ann", "talk")
    words: list[tuple[int, *tuple[int | str, ...]]] = [
        (1, 2, "Ann"),
        (1, 2, "Bob"),
        (1, 3, "Ann"),
        (2, 2, "Ann"),
        (1, "Ann", 2),
    ]
    assert len({draw_bits(*w) for w in words}) == len(words)
    code = "from genagents_env.rng import *; print(draw_bits(7, 'x', 3), rank(7, 3, 9).tolist())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in range(3)
    }
    assert len(outputs) == 1


def test_units_and_indices_are_in_range_and_spread_evenly() -> None:
    units = [draw_unit(0, k) for k in range(4000)]
    assert min(units) >= 0
    assert max(units) < 1
    counts = [0] * 8
    for k in range(8000):
        counts[draw_index(5, 8, k, "x")] += 1
    assert all(850 < c < 1150 for c in counts)


def test_everyone_wins_ties_equally_often() -> None:
    firsts = [0] * 5
    for seed in range(5000):
        order = rank(seed, 1, 5).tolist()
        assert sorted(order) == [0, 1, 2, 3, 4]
        firsts[order[0]] += 1
    assert all(850 < f < 1150 for f in firsts)


def test_the_ranks_of_many_are_those_of_each() -> None:
    seeds = np.array([0, 7, 2**63 + 11, 2**64 - 1], dtype=np.uint64)
    ticks = np.array([1, 2, 3, 86_400])
    each = [rank(int(s), int(t), 25).tolist() for s, t in zip(seeds, ticks, strict=True)]
    assert ranks(seeds, ticks, 25).tolist() == each
