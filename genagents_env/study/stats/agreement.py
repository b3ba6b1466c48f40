"""How far raters agree beyond chance: two of them, or several."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt

from genagents_env.study.stats.extra import import_extra
from genagents_env.study.stats.samples import Floats, make_generator

Label = str | int | float
_RESAMPLES = 1999
_NORMAL = 1.959964  # standard deviations on either side that hold 95 %


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance: 1 is full, 0 what chance gives, negative less than that.

    Attributes:
        value: None where every rating is the same label: chance then agrees fully too.
        low: end of the 95 % interval within [-1, 1], as `high`; None with `value`. Full agreement
            has no spread: its interval is 1 to 1, whatever `n`.
        n: items that were rated.
        agreed: share of items (for several raters: of pairs of ratings of one item) that agree.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    agreed: float


def kappa(
    a: Sequence[Label], b: Sequence[Label], weights: Literal["linear"] | None = None
) -> Kappa:
    """Return Cohen's kappa of two raters of the same items.

    Cohen 1960, Educ. Psychol. Meas. 20:37; weighted: Cohen 1968, Psychol. Bull. 70:213; the
    interval is that of large samples, Fleiss, Cohen and Everitt 1969, Psychol. Bull. 72:323.

    Args:
        a: label of each item, n >= 1; labels are compared as they are.
        b: likewise, in the same order.
        weights: "linear" for numbers on a scale: a disagreement counts by its distance, as a part
            of the distance from the lowest to the highest rating given.

    Raises:
        ConfigError: the extra `lab` is not installed.
    """
    labels = _sort_labels([*a, *b])
    table = np.zeros((len(labels), len(labels)))
    for left, right in zip(a, b, strict=True):
        table[labels.index(left), labels.index(right)] += 1
    agreed = float(np.trace(table) / len(a))
    if len(labels) == 1:
        return Kappa(None, None, None, len(a), agreed)
    scale = None if weights is None else np.array(labels, dtype=np.float64)
    rater = import_extra("statsmodels.stats.inter_rater")
    with np.errstate(invalid="ignore", divide="ignore"):  # in tests that are not used
        found = rater.cohens_kappa(table, weights=scale, wt=weights)
    value, reach = float(found.kappa), _NORMAL * sqrt(max(0.0, float(found.var_kappa)))
    return Kappa(value, *_clip(value - reach, value + reach), len(a), agreed)


def fleiss(rows: Sequence[Sequence[Label]], *, seed: int = 0) -> Kappa:
    """Return Fleiss' kappa of several raters, who need not be the same for each item.

    Fleiss 1971, Psychol. Bull. 76:378. The interval is of percentiles over 1999 resamples of the
    items; those whose ratings are all one label have no kappa and are left out.

    Args:
        rows: for each item, of one or more, its labels: two or more, as many for each item.
        seed: of the resamples.

    Raises:
        ConfigError: the extra `lab` is not installed.
    """
    raters = len(rows[0])
    labels = _sort_labels([label for row in rows for label in row])
    counts = np.array([[list(row).count(label) for label in labels] for row in rows], dtype=float)
    agreed = float(_share_agreed(counts, raters).mean())
    if len(labels) == 1:
        return Kappa(None, None, None, len(rows), agreed)
    value = float(import_extra("statsmodels.stats.inter_rater").fleiss_kappa(counts))
    return Kappa(value, *_fleiss_bounds(counts, raters, seed), len(rows), agreed)


def _sort_labels(given: Sequence[Label]) -> list[Label]:
    """Return the distinct labels: numbers by size, then words; 1 and 1.0 are one label."""
    return sorted(dict.fromkeys(given), key=lambda one: (isinstance(one, str), one))


def _share_agreed(counts: Floats, raters: int) -> npt.NDArray[np.float64]:
    """Return the share of pairs of ratings that agree, by item; `counts` is items x labels."""
    agreed: npt.NDArray[np.float64] = (counts**2).sum(axis=-1) - raters
    return agreed / (raters * (raters - 1))


def _fleiss_bounds(counts: Floats, raters: int, seed: int) -> tuple[float, float]:
    drawn = make_generator(seed, "fleiss").integers(len(counts), size=(_RESAMPLES, len(counts)))
    agreed = _share_agreed(counts, raters)[drawn].mean(axis=1)
    times = np.apply_along_axis(np.bincount, 1, drawn, None, len(counts))
    chance = ((times @ counts / (len(counts) * raters)) ** 2).sum(axis=1)
    told = chance < 1 - 1e-12
    low, high = np.percentile((agreed[told] - chance[told]) / (1 - chance[told]), [2.5, 97.5])
    return _clip(float(low), float(high))


def _clip(low: float, high: float) -> tuple[float, float]:
    return max(-1.0, low), min(1.0, high)
