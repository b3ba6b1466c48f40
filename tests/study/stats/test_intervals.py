"""The interval of a mean over seeds."""

import pytest

from genagents_env.errors import ConfigError
from genagents_env.study.stats import Interval, compute_interval


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


@pytest.mark.parametrize("values", [[], [None], [float("inf")], ["1"]])
def test_what_is_no_sample_is_refused(values: list[float]) -> None:
    with pytest.raises(ConfigError, match="allowed"):
        compute_interval(values)
