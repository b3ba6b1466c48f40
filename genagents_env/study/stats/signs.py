"""The sign-flip test of numbers by seed, and the interval that is its inversion.

If a factor made no difference, each seed's number was as likely to have the other sign. So all
choices of signs are equally likely, and p is the share of them whose mean is at least as far from
nought. Nothing is assumed of the shape of the numbers but that it is symmetric about nought.
Source: Good, Permutation, Parametric and Bootstrap Tests of Hypotheses (2005), ch. 3; Phipson and
Smyth 2010 for (b + 1) / (m + 1) where signs are drawn.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np

from genagents_env.study.stats.samples import Floats, is_constant, make_generator

ALPHA = 0.05
MIN_SEEDS = 6  # five reach 2/32 > 0.05 at best: fewer than six show nothing, however large it is
EXACT = 13  # up to so many numbers all choices of signs are listed
_DRAWN = 9999
_BLOCK = 1 << 20  # signs that are in memory at once
_STEPS = 45  # of a bisection: the bound is exact to 2**-45 of the spread


def find_smallest_p(n: int) -> float:
    """Return the smallest p that `n` numbers can reach, all of one sign; 1 below two."""
    return 2.0 / max(2, min(int(2**n), _DRAWN + 1))


def find_t_bounds(numbers: Floats, grain: float) -> tuple[float, float] | None:
    """Return the 95 % bounds of the mean by Student's t; None of one number, or equal ones."""
    if len(numbers) < 2 or is_constant(numbers, grain):
        return None
    from scipy.stats import t

    mean, freedom = float(numbers.mean()), len(numbers) - 1
    reach = float(t.ppf(1 - ALPHA / 2, freedom)) * float(numbers.std(ddof=1)) / len(numbers) ** 0.5
    return mean - reach, mean + reach


class SignFlips:
    """Numbers with all choices of their signs: of each the sum, and the sum of the signs alone.

    From these the sums of numbers that are all shifted follow, without a look at the signs.

    Args:
        numbers: one a seed, shape (n,), n >= 1.
        grain: up to which two numbers count as equal.
    """

    def __init__(self, numbers: Floats, grain: float) -> None:
        self.numbers, self.grain, self.slack = numbers, grain, grain * len(numbers)
        parts = [(signs @ numbers, signs.sum(axis=1)) for signs in _draw_signs(len(numbers))]
        self.sums, self.counts = (np.concatenate(own) for own in zip(*parts, strict=True))

    def find_p(self, shift: float = 0.0) -> float:
        """Return the two-sided p of the mean less `shift`: twice the smaller tail, at most 1."""
        n = len(self.numbers)
        sums, seen = self.sums - shift * self.counts, self.numbers.sum() - shift * n
        itself = 0 if n <= EXACT else 1  # among all choices it is there already
        tail = min(int((sums <= seen + self.slack).sum()), int((sums >= seen - self.slack).sum()))
        return min(1.0, 2 * (tail + itself) / (len(sums) + itself))

    def find_bounds(self) -> tuple[float, float] | None:
        """Return the means that the test does not refuse at 5 %, as bounds.

        They leave out nought exactly where p is below 0.05. None where there are fewer than six
        numbers, or all are equal: nothing bounds them then.
        """
        if len(self.numbers) < MIN_SEEDS or is_constant(self.numbers, self.grain):
            return None
        low, high = (self._find_bound(side) for side in (-1, 1))
        if self.find_p() < ALPHA:
            return low, high
        # As in `find_p`, a bound that ties with nought is nought.
        return (0.0 if low >= -self.slack else low), (0.0 if high <= self.slack else high)

    def _find_bound(self, side: int) -> float:
        """Return the mean farthest off on a side, -1 or 1, that the test does not refuse."""
        near = float(self.numbers.mean())
        far = near + side * 2 * float(np.ptp(self.numbers))  # all numbers are on one side of it
        for _ in range(_STEPS):
            middle = (near + far) / 2
            if self.find_p(middle) < ALPHA:
                far = middle
            else:
                near = middle
        return near


def _draw_signs(n: int) -> Iterator[Floats]:
    """Yield all choices of n signs, or 9999 drawn ones, in blocks of shape (choices, n)."""
    if n <= EXACT:
        yield _list_signs(n)
        return
    generator = make_generator(n, "signs")
    rows = max(1, _BLOCK // n)
    for first in range(0, _DRAWN, rows):
        yield generator.choice((1.0, -1.0), (min(rows, _DRAWN - first), n))


@lru_cache(maxsize=EXACT)
def _list_signs(n: int) -> Floats:
    return np.array(list(product((1.0, -1.0), repeat=n)))
