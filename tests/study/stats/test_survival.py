"""Times that some runs did not see."""

import numpy as np
import pytest

from genagents_env.study.stats.effects import CellValues, compute_effect, list_contrasts
from genagents_env.study.stats.survival import compare_times


def test_medians_and_p_know_of_runs_that_ended_before() -> None:
    first = [(1.0, False), (2.0, False), (3.0, True), (3.0, True)]
    second = [(3.0, True)] * 4
    found = compare_times(first, second)
    assert (found.first_reached, found.second_reached) == (2, 0)
    assert (found.first_median, found.second_median) == (2.0, None)
    assert found.p is not None
    assert found.p == pytest.approx(0.1278, abs=0.001)  # z = -1.523 by hand
    assert compare_times(second, second).p is None
    late = [(5.0, False)] * 4  # when the others had ended
    assert compare_times(second, late).p is None


def test_restricted_means_have_the_right_sign_where_survivors_have_the_wrong_one() -> None:
    """Always: all reach half, late. Seldom: a third does, but then early."""
    rng = np.random.default_rng(8)
    levels = {"share": ("always", "seldom")}
    (one,) = list_contrasts(levels)
    right, wrong, horizon = 0, 0, 3.0
    for _ in range(100):
        always = rng.uniform(0.8, 1.6, 12)
        seldom = np.where(rng.random(12) < 0.35, rng.uniform(0.3, 0.7, 12), np.inf)
        values: CellValues = {
            ("always",): dict(enumerate(np.minimum(always, horizon))),
            ("seldom",): dict(enumerate(np.minimum(seldom, horizon))),
        }
        found = compute_effect("half_time", values, levels, one)
        assert found is not None
        right += found.difference > 0
        survivors = seldom[np.isfinite(seldom)]
        wrong += len(survivors) > 0 and survivors.mean() < always.mean()
    assert right >= 95
    assert wrong >= 95


def test_runs_of_unequal_length_differ_by_no_more_than_the_shortest_saw() -> None:
    levels = {"hours": ("1", "2")}
    (one,) = list_contrasts(levels)
    lengths: CellValues = {
        ("1",): dict.fromkeys(range(6), 1.0),
        ("2",): dict.fromkeys(range(6), 2.0),
    }
    cut = [(cell, seed) for cell in lengths for seed in range(6)]
    found = compute_effect("half_time", lengths, levels, one, cut)
    assert found is not None
    assert (found.difference, found.is_tested, found.second_mean) == (0.0, False, 1.0)
    assert "mean time up to 1, where the shortest of 12 runs ended before" in found.note
