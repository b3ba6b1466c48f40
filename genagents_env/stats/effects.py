"""Effect sizes: a difference of means in standard deviations, corrected for small samples.

Hedges 1981, J. Educ. Stat. 6:107 (the correction, in its exact form); Cohen 1988, Statistical
Power Analysis, p. 48 (d_z).
"""

from math import exp, lgamma, sqrt

from genagents_env.stats.samples import Floats, is_constant


def compute_paired_effect(differences: Floats, least: float) -> float | None:
    """Return d_z, mean over standard deviation of the differences, times Hedges' correction.

    Args:
        differences: shape (n,), n >= 2.
        least: up to which they count as equal.

    Returns:
        0.0 where all differences are 0; None where they are equal otherwise, or n is 2: the
        correction is then 0 and nothing is left of any difference.
    """
    mean, freedom = float(differences.mean()), len(differences) - 1
    if is_constant(differences, least):
        return 0.0 if abs(mean) <= least else None
    if freedom < 2:
        return None
    return compute_correction(freedom) * mean / float(differences.std(ddof=1))


def compute_independent_effect(first: Floats, second: Floats, least: float) -> float | None:
    """Return Hedges' g: mean(second) - mean(first) over the pooled standard deviation, corrected.

    Args:
        first: shape (n,), n >= 2.
        second: shape (m,), m >= 2.
        least: up to which values count as equal.

    Returns:
        0.0 where all values are equal; None where each arm is constant and they differ.
    """
    n, m = len(first) - 1, len(second) - 1
    mean = float(second.mean() - first.mean())
    if is_constant(first, least) and is_constant(second, least):
        return 0.0 if abs(mean) <= least else None
    pooled = (n * first.var(ddof=1) + m * second.var(ddof=1)) / (n + m)
    return compute_correction(n + m) * mean / sqrt(float(pooled))


def compute_correction(freedom: int) -> float:
    """Return J of Hedges for `freedom` >= 2 degrees: below 1, and 1 in the limit."""
    half = freedom / 2
    return exp(lgamma(half) - lgamma(half - 0.5)) / sqrt(half)
