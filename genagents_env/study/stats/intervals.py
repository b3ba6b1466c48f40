"""The interval of a mean over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from genagents_env.study.stats.effects import Effect
from genagents_env.study.stats.samples import check_sample, find_grain
from genagents_env.study.stats.signs import find_t_bounds


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of `n` values, and its 95 % bounds by Student's t.

    `low` and `high` are None of one value, or of equal ones: no spread was seen, which does not say
    that there is none.
    """

    mean: float
    low: float | None
    high: float | None
    n: int


def list_bounds(one: Interval | Effect) -> list[float]:
    """Return the two ends of an interval, as figures draw them; nothing where there is none."""
    return [end for end in (one.low, one.high) if end is not None]


def compute_interval(
    values: Sequence[float], within: tuple[float, float] = (-inf, inf)
) -> Interval:
    """Return the mean of independent `values` with its interval.

    Args:
        values: one for each run, n >= 1, in any order.
        within: the least and the most that they can be; an interval goes no further.

    Raises:
        ConfigError: no values, or one that is no finite number.
    """
    found = check_sample(values, "interval")
    found.sort()  # so that their order changes no digit
    mean, bounds = float(found.mean()), find_t_bounds(found, find_grain(found))
    if bounds is None:
        return Interval(mean, None, None, len(found))
    return Interval(mean, max(bounds[0], within[0]), min(bounds[1], within[1]), len(found))
