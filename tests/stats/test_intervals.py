"""Intervals cover what they say, within what few values allow."""

import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.stats import compute_interval

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12)


def measure_coverage(draw: Callable[[np.random.Generator], list[float]], truth: float) -> float:
    """Part of 200 samples whose interval holds `truth`."""
    found = [
        compute_interval(draw(np.random.default_rng(number)), resamples=1999)
        for number in range(200)
    ]
    return sum(each.low <= truth <= each.high for each in found) / len(found)


@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (lambda rng: rng.normal(3, 2, size=20).tolist(), 3.0),
        (lambda rng: rng.binomial(1, 0.5, size=20).tolist(), 0.5),
        (lambda rng: rng.binomial(25, 0.3, size=20).tolist(), 7.5),
        (lambda rng: rng.exponential(2, size=20).tolist(), 2.0),
    ],
    ids=["normal", "yes or no", "people of 25", "exponential"],
)
def test_an_interval_of_twenty_covers(
    draw: Callable[[np.random.Generator], list[float]], truth: float
) -> None:
    assert measure_coverage(draw, truth) >= 0.88


def test_a_higher_level_is_wider() -> None:
    values = np.random.default_rng(0).normal(size=20).tolist()
    narrow, wide = compute_interval(values, level=0.5), compute_interval(values, level=0.99)
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high
    assert (narrow.level, wide.level, wide.n) == (0.5, 0.99, 20)


@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_values_means_nothing(values: list[float], random: Random) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert compute_interval(values, resamples=199) == compute_interval(shuffled, resamples=199)


@given(VALUES)
def test_the_bounds_lie_around_the_mean_and_within_the_values(values: list[float]) -> None:
    found = compute_interval(values, resamples=199)
    slack = 1e-9 * max(1.0, *map(abs, values))
    assert min(values) - slack <= found.low <= found.high <= max(values) + slack
    assert min(values) - slack <= found.mean <= max(values) + slack


@pytest.mark.parametrize("values", [[2.5], [0.0, 0.0], [0.3 - 0.1, 0.2, 0.2], [True, True]])
def test_one_value_or_equal_ones_have_no_spread(values: list[float]) -> None:
    found = compute_interval(values)
    assert found.low == found.mean == found.high
    assert found.n == len(values)


def test_two_values_reach_from_one_to_the_other() -> None:
    found = compute_interval([1, 3])
    assert (found.low, found.mean, found.high) == (1, 2, 3)


def test_nothing_is_warned_of_where_bca_is_undefined() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compute_interval([0.0, 0.0, 0.0, 0.0, 1e-300], resamples=199)
    assert np.isfinite([found.low, found.high]).all()


def test_the_seed_decides_the_resamples() -> None:
    values = np.random.default_rng(0).normal(size=20).tolist()
    assert (
        compute_interval(values, seed=1)
        == compute_interval(values, seed=1)
        != compute_interval(values, seed=2)
    )


@pytest.mark.parametrize("bad", [None, float("nan"), float("inf"), "0.5"])
def test_what_is_no_finite_number_is_refused(bad: float) -> None:
    with pytest.raises(ConfigError, match="finite numbers"):
        compute_interval([1.0, bad, 2.0])


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([], {}, "no values"),
        ([1.0, 2.0], {"level": 1.0}, "level is 1.0"),
        ([1.0, 2.0], {"resamples": 10}, "resamples is 10"),
    ],
)
def test_arguments_out_of_range_are_refused(
    values: list[float], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        compute_interval(values, **options)
