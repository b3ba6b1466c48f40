"""Permutation p values: two-sided, exact where there are few arrangements, drawn otherwise."""

from math import comb

from genagents_env.stats.samples import (
    RESAMPLES,
    Floats,
    Statistic,
    find_difference,
    find_mean,
    make_generator,
)


def flip_signs(differences: Floats, least: float, seed: int) -> float:
    """Return the p of the mean of `differences`, shape (n,), among all choices of their signs.

    Args:
        differences: of n pairs, n >= 1.
        least: up to which two means count as equal.
        seed: of the arrangements drawn, where they are too many.
    """
    return _compute_p((differences,), find_mean, "samples", 2 ** len(differences), least, seed)


def shuffle_labels(first: Floats, second: Floats, least: float, seed: int) -> float:
    """Return the p of mean(second) - mean(first) among all divisions of the pooled values.

    Args:
        first: shape (n,), n >= 1.
        second: shape (m,), m >= 1.
        least: up to which two differences count as equal.
        seed: of the arrangements drawn, where they are too many.
    """
    count = comb(len(first) + len(second), len(first))
    return _compute_p((first, second), find_difference, "independent", count, least, seed)


def least_p(arrangements: int) -> float:
    """Return the smallest p of so many: the outcome and its mirror image are among them."""
    return min(1.0, 2 / min(arrangements, RESAMPLES + 1))


def _compute_p(
    data: tuple[Floats, ...], statistic: Statistic, kind: str, count: int, least: float, seed: int
) -> float:
    """Return twice the smaller tail, at most 1; arrangements within `least` of the data tie.

    scipy's own p compares to 1e-14 of the statistic, which misses ties of differences that are
    small compared with the values they were computed from.
    """
    from scipy.stats import permutation_test

    found = permutation_test(
        data,
        statistic,
        permutation_type=kind,
        vectorized=True,
        n_resamples=RESAMPLES,
        axis=-1,
        rng=make_generator(seed, "permutation"),
    )
    null, seen = found.null_distribution, found.statistic
    itself = 0 if count <= RESAMPLES else 1  # among all arrangements it is there already
    tail = min(int((null <= seen + least).sum()), int((null >= seen - least).sum()))
    return min(1.0, 2 * (tail + itself) / (len(null) + itself))
