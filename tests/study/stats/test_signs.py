"""The sign-flip test and the interval that is its inversion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.study.stats.intervals import Interval, compute_interval
from genagents_env.study.stats.samples import find_grain
from genagents_env.study.stats.signs import SignFlips, find_smallest_p, find_t_bounds

NUMBERS = st.lists(st.integers(-20, 20).map(lambda k: k / 10), min_size=6, max_size=12)


def test_p_is_the_share_of_sign_choices_as_far_from_nought() -> None:
    numbers = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert SignFlips(numbers, 0.0).find_p() == 2 / 64
    assert SignFlips(-numbers, 0.0).find_p() == 2 / 64
    # Sums of 13 or more turn numbers of at most 4 together: none, 1, 2, 3, 4, 1 and 2, 1 and 3.
    assert SignFlips(np.array([-1.0, -3.0, 2.0, 4.0, 5.0, 6.0]), 0.0).find_p() == pytest.approx(
        2 * 7 / 64
    )
    assert SignFlips(np.zeros(6), 0.0).find_p() == 1.0


def test_the_smallest_p_halves_with_each_seed_until_signs_are_drawn() -> None:
    assert [find_smallest_p(n) for n in (0, 1, 2, 5, 6, 13)] == [
        1,
        1,
        0.5,
        0.0625,
        2 / 64,
        2 / 2**13,
    ]
    assert find_smallest_p(14) == find_smallest_p(40) == 2 / 10_000


@given(NUMBERS)
def test_the_interval_leaves_out_nought_exactly_where_p_is_small(given_: list[float]) -> None:
    numbers = np.array(given_)
    grain = find_grain(numbers)
    flips = SignFlips(numbers, grain)
    bounds = flips.find_bounds()
    if bounds is None:
        assert np.ptp(numbers) <= grain
    else:
        assert (not bounds[0] <= 0 <= bounds[1]) == (flips.find_p() < 0.05)
        assert bounds[0] <= numbers.mean() + grain
        assert bounds[1] >= numbers.mean() - grain


@pytest.mark.parametrize("n", [6, 8, 12, 20])
def test_of_symmetric_nulls_it_leaves_out_nought_in_one_to_seven_of_a_hundred(n: int) -> None:
    draws = np.random.default_rng(n).normal(size=(2000, n))
    missed = 0
    for numbers in draws:
        grain = find_grain(numbers)
        flips = SignFlips(numbers, grain)
        bounds = flips.find_bounds()
        assert bounds is not None
        out = not bounds[0] <= 0 <= bounds[1]
        assert out == (flips.find_p() < 0.05)
        missed += out
    assert 0.01 <= missed / 2000 <= 0.07


def test_a_bound_that_ties_with_nought_is_nought() -> None:
    numbers = np.array([1 / 6, 1 / 6, 0, 0, 0, 0, 0, 0])
    flips = SignFlips(numbers, find_grain(numbers))
    bounds = flips.find_bounds()
    assert bounds is not None
    assert bounds[0] == 0
    assert flips.find_p() == 0.5


def test_few_or_equal_numbers_have_no_interval() -> None:
    assert SignFlips(np.arange(5.0), 0.0).find_bounds() is None
    assert SignFlips(np.full(8, 0.3), 1e-12).find_bounds() is None
    assert find_t_bounds(np.array([1.0]), 0.0) is None
    assert find_t_bounds(np.full(3, 2.0), 0.0) is None
    assert find_t_bounds(np.array([1.0, 2.0, 3.0]), 0.0) == pytest.approx(
        (-0.4841, 4.4841), abs=1e-4
    )


def test_the_interval_is_student_s() -> None:
    found = compute_interval([1.0, 2.0, 3.0, 4.0])
    assert (found.mean, found.n) == (2.5, 4)
    assert (found.low, found.high) == pytest.approx((0.4457, 4.5543), abs=1e-4)


def test_an_interval_ends_where_values_do() -> None:
    found = compute_interval([0.9, 1.0, 0.95], (0.0, 1.0))
    assert found.high == 1.0
    assert found.low == compute_interval([0.9, 1.0, 0.95]).low


def test_the_order_of_values_changes_no_digit() -> None:
    assert compute_interval([0.1, 0.7, 0.2]) == compute_interval([0.7, 0.2, 0.1])


@pytest.mark.parametrize("values", [[0.5], [0.3, 0.3, 0.3], [0.1 + 0.2, 0.3]])
def test_without_spread_there_is_no_interval(values: list[float]) -> None:
    found = compute_interval(values)
    assert found == Interval(found.mean, None, None, len(values))
    assert found.mean == pytest.approx(values[0])


@pytest.mark.parametrize("values", [[], [None], [float("inf")]])
def test_what_is_no_sample_is_refused(values: list[float]) -> None:
    with pytest.raises(ConfigError, match="allowed"):
        compute_interval(values)
