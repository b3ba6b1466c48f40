"""Two arms compared: the difference, its interval, a permutation p value, an effect size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from genagents_env.errors import ConfigError
from genagents_env.stats.effects import compute_independent_effect, compute_paired_effect
from genagents_env.stats.extra import import_extra
from genagents_env.stats.intervals import difference_bounds, mean_bounds
from genagents_env.stats.permutation import flip_signs, least_p, shuffle_labels
from genagents_env.stats.samples import Floats, check_sample, find_grain, is_constant

# Five pairs reach 2/32 > 0.05 at best: with fewer than six nothing is significant, however large.
MIN_SEEDS = 6
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Contrast:
    """How `second` differs from `first` in one measure within one block.

    Attributes:
        n: pairs of runs; where nothing is paired, the runs of the smaller arm.
        first_mean: over the runs that were compared, as `second_mean`.
        difference: second_mean - first_mean, in the measure's unit.
        low: end of the 95 % interval of the difference, as `high`. Both are the difference itself
            where nothing could be resampled.
        p: two-sided; None where no test can be made (a single run in an arm, or one pair).
        p_holm: the same, corrected for the contrasts of `family`; None until `correct_family`.
        effect: difference in standard deviations; None where undefined.
        paired: runs of the same seed were compared.
        family: what it was corrected with; empty until `correct_family`.
        note: what a reader must know of it: few seeds, seeds left out, no spread. May be empty.
    """

    measure: str
    block: str
    first: str
    second: str
    n: int
    first_mean: float
    second_mean: float
    difference: float
    low: float
    high: float
    p: float | None
    p_holm: float | None
    effect: float | None
    paired: bool
    family: str
    note: str


@dataclass(frozen=True, slots=True)
class _Comparison:
    low: float
    high: float
    p: float | None
    effect: float | None
    notes: tuple[str, ...] = ()

    def mirror(self) -> "_Comparison":
        effect = None if self.effect is None else 0.0 - self.effect  # never -0.0
        return replace(self, low=0.0 - self.high, high=0.0 - self.low, effect=effect)


def contrast(
    measure: str,
    block: str,
    first: str,
    second: str,
    a: Mapping[int, float],
    b: Mapping[int, float],
    *,
    seed: int = 0,
) -> Contrast:
    """Compare two arms by a permutation test; runs of the same seed are compared in pairs.

    Paired, the signs of the differences are flipped; where no seed is in both arms, the labels of
    all runs are shuffled. Exact while there are at most 9999 arrangements (13 pairs), otherwise
    9999 are drawn. Source: Good, Permutation, Parametric and Bootstrap Tests of Hypotheses (2005),
    ch. 3; Phipson and Smyth 2010 for (b + 1) / (m + 1) where arrangements are drawn.

    Args:
        measure: its name, as `block`; they are only handed on.
        block: scenario, cast and model of both arms.
        first: name of the arm that `a` is of.
        second: name of the arm that `b` is of.
        a: value of each seed, one or more; seeds in both arms are compared, and the note counts
            those left out.
        b: likewise.
        seed: of the resamples. Exchanging the arms changes signs and nothing else.

    Raises:
        ConfigError: an arm has no values, or one that is no finite number.
    """
    seeds = sorted(set(a) & set(b))
    x = _list_values(a, seeds, f"{measure}, arm {first}")
    y = _list_values(b, seeds, f"{measure}, arm {second}")
    compare = _compare_pairs if seeds else _compare_samples
    if (float(y.mean()), *y) < (float(x.mean()), *x):  # the same side, whichever arm is first
        found = compare(y, x, seed).mirror()
    else:
        found = compare(x, y, seed)
    left_out = len(a) + len(b) - 2 * len(seeds) if seeds else 0
    notes = (_note_left_out(left_out), *found.notes)
    return Contrast(
        measure=measure,
        block=block,
        first=first,
        second=second,
        n=min(len(x), len(y)),
        first_mean=float(x.mean()),
        second_mean=float(y.mean()),
        difference=float(y.mean() - x.mean()),
        low=found.low,
        high=found.high,
        p=found.p,
        p_holm=None,
        effect=found.effect,
        paired=bool(seeds),
        family="",
        note="; ".join(note for note in notes if note),
    )


def correct_family(contrasts: Sequence[Contrast], family: str) -> tuple[Contrast, ...]:
    """Return the same contrasts, in order, with p values corrected for their number.

    Holm's step-down procedure (1979, Scand. J. Stat. 6:65) over those that have a p: the chance of
    one or more false findings among them is kept, however they depend on one another. Where the
    family is too large for the number of pairs, the note says so.

    Args:
        contrasts: all that belong together, as `contrast` returned them.
        family: their name; also set on those without a p.

    Raises:
        ConfigError: the extra `lab` is not installed.
    """
    tested = [i for i, each in enumerate(contrasts) if each.p is not None]
    holm: dict[int, float] = {}
    if tested:
        multitest = import_extra("statsmodels.stats.multitest")
        values = multitest.multipletests([contrasts[i].p for i in tested], method="holm")[1]
        holm = {i: float(p) for i, p in zip(tested, values, strict=True)}
    return tuple(
        replace(each, p_holm=holm.get(i), family=family, note=_note_crowding(each, len(tested)))
        for i, each in enumerate(contrasts)
    )


def _note_crowding(each: Contrast, tests: int) -> str:
    """The note, and whether the first step of Holm's procedure is out of reach."""
    smallest = smallest_p(each.n)
    if each.p is None or not each.paired or smallest >= _ALPHA or smallest * tests < _ALPHA:
        return each.note
    note = f"{each.n} pairs are few for a family of {tests}: p {smallest:.2g} times {tests} at best"
    return "; ".join(part for part in (each.note, note) if part)


def smallest_p(n: int) -> float:
    """Return the smallest p that `n` pairs can reach, all differences going one way; 1 below two.

    Raises:
        ConfigError: `n` is negative.
    """
    if n < 0:
        raise ConfigError(f"n is {n}, allowed is 0 or more")
    return least_p(2**n)


def _list_values(of: Mapping[int, float], seeds: Sequence[int], what: str) -> Floats:
    check_sample(
        of.values(), what
    )  # those left out are judged too: a NaN is a fault wherever it stands
    return np.array([of[seed] for seed in (seeds or sorted(of))], dtype=np.float64)


def _compare_pairs(first: Floats, second: Floats, seed: int) -> _Comparison:
    differences, least = second - first, find_grain(first, second)
    n, bounds = len(first), mean_bounds(differences, least, seed=seed)
    if n == 1:
        return _Comparison(*bounds, None, None, ("one pair: no interval and no test",))
    equal = bool(np.abs(differences).max() <= least)
    p = 1.0 if equal else flip_signs(differences, least, seed)
    notes = _note_few(f"{n} pairs", 2**n), _note_spread(differences, least, equal)
    return _Comparison(*bounds, p, compute_paired_effect(differences, least), notes)


def _compare_samples(first: Floats, second: Floats, seed: int) -> _Comparison:
    least, n, m = find_grain(first, second), len(first), len(second)
    bounds = difference_bounds(first, second, least, seed=seed)
    unpaired = f"no seed in both arms: {min(n, m)} and {max(n, m)} runs compared unpaired"
    if min(n, m) == 1:
        return _Comparison(*bounds, None, None, (unpaired, "one run: no interval and no test"))
    equal = is_constant(np.concatenate([first, second]), least)
    p = 1.0 if equal else shuffle_labels(first, second, least, seed)
    notes = unpaired, _note_few(f"{n + m} runs", comb(n + m, n))
    return _Comparison(*bounds, p, compute_independent_effect(first, second, least), notes)


def _note_left_out(count: int) -> str:
    if not count:
        return ""
    return (
        f"{count} {'run' if count == 1 else 'runs'} left out: no run of that seed in the other arm"
    )


def _note_few(what: str, arrangements: int) -> str:
    smallest = least_p(arrangements)
    if smallest < _ALPHA:
        return ""
    return f"{what}: no p below {smallest:.3g} can be reached, however large the difference"


def _note_spread(differences: Floats, least: float, equal: bool) -> str:
    if equal:
        return "every pair is equal"
    flat = is_constant(differences, least)
    return "all differences are equal: no interval, no effect size" if flat else ""
