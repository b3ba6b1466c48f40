"""Times to an event that some runs did not see: medians and a test that know of the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan

import numpy as np


@dataclass(frozen=True, slots=True)
class Survival:
    """Two samples of times compared, those cut off at the end of a run counted as such.

    Attributes:
        first_reached: how many of the first sample saw the event, as `second_reached`.
        first_median: by Kaplan and Meier (1958); None where fewer than half saw it.
        p: of the log-rank test (Mantel 1966); None where nobody saw it, or only once the other
            sample had ended.
    """

    first_reached: int
    second_reached: int
    first_median: float | None
    second_median: float | None
    p: float | None


def compare_times(
    first: Sequence[tuple[float, bool]], second: Sequence[tuple[float, bool]]
) -> Survival:
    """Return how two samples of (time, whether it is censored) compare; each has one or more."""
    from scipy.stats import CensoredData, logrank

    one, other = (
        CensoredData(
            uncensored=[time for time, censored in own if not censored],
            right=[time for time, censored in own if censored],
        )
        for own in (first, second)
    )
    reached = [sum(not censored for _, censored in own) for own in (first, second)]
    with np.errstate(all="ignore"):  # nobody is left to compare where the first event happens
        p = float(logrank(one, other).pvalue) if any(reached) else nan
    p_known = p if isfinite(p) else None
    return Survival(reached[0], reached[1], _find_median(one), _find_median(other), p_known)


def _find_median(sample: object) -> float | None:
    from scipy.stats import ecdf

    curve = ecdf(sample).sf
    below = curve.quantiles[curve.probabilities <= 0.5]
    return float(below[0]) if len(below) else None
