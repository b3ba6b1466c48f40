"""Bootstrap intervals of a mean, and of the difference of two."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from genagents_env.errors import ConfigError
from genagents_env.stats.samples import RESAMPLES, Floats, generator, grain, sample, still


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of `n` values, and the interval from `low` to `high` at confidence `level`.

    Of one value, or of equal ones, nothing can be resampled: `low` and `high` are then the mean,
    which says that no spread was seen and not that there is none. A reader has `n` to tell by.
    """

    mean: float
    low: float
    high: float
    n: int
    level: float


def interval(
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
    found = np.sort(sample(values, "interval"))
    low, high = mean_bounds(found, grain(found), level=level, resamples=resamples, seed=seed)
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
    if still(values, least):
        return mean, mean
    return _bounds((values,), _mean, level, resamples, seed)


def difference_bounds(
    first: Floats, second: Floats, least: float, *, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Return the bounds of mean(second) - mean(first), two independent samples."""
    alone = min(len(first), len(second)) == 1
    if alone or (still(first, least) and still(second, least)):
        difference = float(second.mean() - first.mean())
        return difference, difference
    return _bounds((first, second), _difference, level, RESAMPLES, seed)


def _mean(values: Floats, axis: int) -> Any:
    return values.mean(axis=axis)


def _difference(first: Floats, second: Floats, axis: int) -> Any:
    return second.mean(axis=axis) - first.mean(axis=axis)


def _bounds(
    data: tuple[Floats, ...], statistic: Any, level: float, resamples: int, seed: int
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
                rng=generator(seed, "bootstrap"),
            ).confidence_interval
        if np.isfinite(found.low) and np.isfinite(found.high):
            break
    return float(found.low), float(found.high)
