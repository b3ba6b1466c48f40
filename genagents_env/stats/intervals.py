"""Bootstrap intervals of a mean, and of the difference of two."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genagents_env.errors import ConfigError
from genagents_env.stats.samples import (
    RESAMPLES,
    Floats,
    Statistic,
    check_sample,
    find_difference,
    find_grain,
    find_mean,
    is_constant,
    make_generator,
)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of `n` values, and the interval from `low` to `high` at confidence `level`.

    Of one value, or of equal ones, nothing can be resampled: `low` and `high` are then the mean,
    which says that no spread was seen, not that there is none: see `n`.
    """

    mean: float
    low: float
    high: float
    n: int
    level: float


def compute_interval(
    values: Sequence[float], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Return the mean of independent `values` with its bootstrap interval.

    BCa (Efron 1987, J. Am. Stat. Assoc. 82:171), and percentiles where its correction is
    undefined. Few values make it too narrow: `docs/statistics.md` has the coverage by n.

    Args:
        values: one for each run, n >= 1, in any order.
        level: confidence, between 0 and 1.
        resamples: drawn with replacement, 100 or more.
        seed: of the resamples.

    Raises:
        ConfigError: no values, one that is no finite number, or an argument out of range.
    """
    if not 0 < level < 1:
        raise ConfigError(f"level is {level}, allowed is more than 0 and less than 1")
    if resamples < 100:
        raise ConfigError(f"resamples is {resamples}, allowed is 100 or more")
    found = np.sort(check_sample(values, "interval"))
    low, high = mean_bounds(found, find_grain(found), level=level, resamples=resamples, seed=seed)
    return Interval(float(found.mean()), low, high, len(found), level)


def mean_bounds(
    values: Floats,
    least: float,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the bounds of the mean of `values`, shape (n,); differences up to `least` are none."""
    mean = float(values.mean())
    if is_constant(values, least):
        return mean, mean
    return _bounds((values,), find_mean, level, resamples, seed)


def difference_bounds(
    first: Floats, second: Floats, least: float, *, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Return the bounds of mean(second) - mean(first), two independent samples."""
    alone = min(len(first), len(second)) == 1
    if alone or (is_constant(first, least) and is_constant(second, least)):
        difference = float(second.mean() - first.mean())
        return difference, difference
    return _bounds((first, second), find_difference, level, RESAMPLES, seed)


def _bounds(
    data: tuple[Floats, ...], statistic: Statistic, level: float, resamples: int, seed: int
) -> tuple[float, float]:
    from scipy.stats import bootstrap

    for method in ("BCa", "percentile"):
        with warnings.catch_warnings():  # what BCa warns of is what the percentiles are for
            warnings.simplefilter("ignore")
            found = bootstrap(
                data,
                statistic,
                vectorized=True,
                axis=-1,
                confidence_level=level,
                n_resamples=resamples,
                method=method,
                rng=make_generator(seed, "bootstrap"),
            ).confidence_interval
        if np.isfinite(found.low) and np.isfinite(found.high):
            break
    return float(found.low), float(found.high)
