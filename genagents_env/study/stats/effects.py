"""Effects of factors: one number a seed for each, then its mean, interval, p and size.

A *main effect* is what a level has more than another, averaged over the levels of all other
factors; an *interaction* is by how much that differs between two levels of another factor. Both are
a weighted sum over the cells of one seed, so that what a seed does to all cells alike falls out,
and only seeds are counted as n.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, inf, lgamma, prod, sqrt
from typing import Literal, TypeAlias

import numpy as np

from genagents_env.study.stats.samples import Floats, check_sample, find_grain, is_constant
from genagents_env.study.stats.signs import (
    ALPHA,
    EXACT,
    MIN_SEEDS,
    SignFlips,
    find_smallest_p,
    find_t_bounds,
)
from genagents_env.study.stats.survival import Survival, compare_times

Cell: TypeAlias = tuple[str, ...]  # the label of each factor's level, in the factors' order
Levels: TypeAlias = Mapping[str, Sequence[str]]  # the labels of each factor
CellValues: TypeAlias = Mapping[Cell, Mapping[int, float]]  # of each cell its value by seed
PRIMARY, EXPLORATORY = "primary", "exploratory"
BETWEEN = " x "  # the factors of an interaction
_EQUAL = "equal in every seed"


@dataclass(frozen=True, slots=True)
class Contrast:
    """What is compared: levels of one factor, or of two for an interaction.

    Attributes:
        factor: its name; of an interaction both, with ` x ` between.
        first: the level that is taken off; of an interaction one of each factor, as `second`.
        second: the level that is compared with it.
    """

    factor: str
    first: Cell
    second: Cell

    @property
    def is_interaction(self) -> bool:
        """Whether it is of two factors."""
        return len(self.first) > 1

    @property
    def sides(self) -> list[tuple[str, str, str]]:
        """Of each factor its name, the first level and the second."""
        return list(zip(self.factor.split(BETWEEN), self.first, self.second, strict=True))

    @property
    def text(self) -> str:
        """What is compared, in words: `often less seldom`."""
        pairs = [f"{second} less {first}" for _, first, second in self.sides]
        return " by ".join(f"({pair})" for pair in pairs) if self.is_interaction else pairs[0]


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect on one measure.

    Attributes:
        measure: its full name.
        contrast: of what.
        n: seeds, each with one number.
        first_mean: of the first level over these seeds; None of an interaction, as `second_mean`.
        difference: the mean of the numbers, in the measure's unit.
        low: end of the 95 % interval, as `high`; None where there is none to be had.
        method: of the interval: `sign-flip`, `t` below six seeds, or empty.
        p: two-sided; None below six seeds.
        p_holm: the same, corrected for its family; None of what is in none.
        size: the mean in standard deviations of the numbers, corrected for small samples
            (d_z of Cohen 1988, p. 48; Hedges 1981); None where they have no spread.
        family: `primary` or `exploratory`.
        note: what a reader must know of it; may be empty.
        numbers: one a seed.
        changes: of an interaction, by how much the first factor changes the mean with the first and
            with the second level of the other.
        times: of a measure that is a time some runs did not see, what is known beside the mean.
    """

    measure: str
    contrast: Contrast
    n: int
    first_mean: float | None
    second_mean: float | None
    difference: float
    low: float | None
    high: float | None
    method: Literal["sign-flip", "t", ""]
    p: float | None
    size: float | None
    family: str = EXPLORATORY
    p_holm: float | None = None
    note: str = ""
    numbers: tuple[float, ...] = ()
    changes: tuple[float, float] | None = None
    times: Survival | None = None

    @property
    def found(self) -> bool:
        """Whether it is a finding: primary, and below 5 % after Holm's correction."""
        return self.p_holm is not None and self.p_holm < ALPHA

    @property
    def is_tested(self) -> bool:
        """Whether it could be significant: six seeds or more have numbers that are not 0."""
        return self.p is not None and sum(map(bool, self.numbers)) >= MIN_SEEDS


def list_contrasts(levels: Levels, baseline: Mapping[str, str] | None = None) -> Iterator[Contrast]:
    """Yield the main effects of each factor, then the interactions of each two.

    Args:
        levels: labels by factor, in the order of the study.
        baseline: the level with which the others of its factor are compared; of a factor without
            one, each is compared with each.
    """
    base = baseline or {}
    pairs = {
        name: [(base[name], label) for label in labels if label != base[name]]
        if name in base
        else list(combinations(labels, 2))
        for name, labels in levels.items()
    }
    for name, own in pairs.items():
        yield from (Contrast(name, (a,), (b,)) for a, b in own)
    for (one, firsts), (other, seconds) in combinations(pairs.items(), 2):
        for a, b in firsts:
            for c, d in seconds:
                yield Contrast(f"{one}{BETWEEN}{other}", (a, c), (b, d))


def compute_effect(
    measure: str,
    values: CellValues,
    levels: Levels,
    contrast: Contrast,
    cut: Collection[tuple[Cell, int]] = (),
) -> Effect | None:
    """Return an effect on a measure; None where no seed has all the values it takes.

    Args:
        measure: its name, which is handed on.
        values: of the measure.
        levels: labels by factor, in the order of the cells.
        contrast: one of `list_contrasts(levels)`.
        cut: of a time, the cells and seeds of runs that ended before the event. All times are then
            taken up to the end of the shortest of these, or runs of unequal length would differ
            by that alone (a restricted mean: Royston and Parmar 2013, BMC Med. Res. Methodol. 13).

    Raises:
        ConfigError: a value is no finite number.
    """
    weights = weigh_cells(values, levels, contrast)
    lengths = [values[cell][seed] for cell, seed in cut if seed in values.get(cell, {})]
    table = _collect_values(measure, values, weights).clip(max=min(lengths, default=inf))
    if not table.size:
        return None
    signs, grain = np.array(list(weights.values())), find_grain(table)
    numbers = (signs[:, np.newaxis] * table).sum(axis=0)
    equal, few = bool(np.abs(numbers).max() <= grain), len(numbers) < MIN_SEEDS
    if few:
        bounds, p = find_t_bounds(numbers, grain), None
    else:
        flips = SignFlips(numbers, grain)
        bounds, p = flips.find_bounds(), 1.0 if equal else flips.find_p()
    left_out = len(set().union(*(values[cell] for cell in weights))) - len(numbers)
    notes = [*_list_notes(numbers, grain, equal, left_out)]
    if cut:
        notes.append(_note_cut(lengths, sum(map(len, values.values()))))
    first, second = (float(table[side].mean(axis=1).mean()) for side in (signs < 0, signs > 0))
    several = contrast.is_interaction
    return Effect(
        measure,
        contrast,
        len(numbers),
        first_mean=None if several else first,
        second_mean=None if several else second,
        difference=0.0 if equal else float(numbers.mean()),
        low=bounds and bounds[0],
        high=bounds and bounds[1],
        method="" if bounds is None else "t" if few else "sign-flip",
        p=p,
        size=_find_size(numbers, grain),
        note="; ".join(notes),
        numbers=tuple(np.where(np.abs(numbers) <= grain, 0.0, numbers).tolist()),
        changes=_find_changes(signs * table.mean(axis=1), weights, levels, contrast),
        times=_compare_levels(values, weights, cut) if cut and not several else None,
    )


def _find_changes(
    means: Floats, cells: Iterable[Cell], levels: Levels, one: Contrast
) -> tuple[float, float] | None:
    """Return `Effect.changes` from the weighted mean of each cell; None of a main effect."""
    if not one.is_interaction:
        return None
    name, _, level = one.sides[1]
    place = list(levels).index(name)
    after = np.array([cell[place] == level for cell in cells])
    return -float(means[~after].sum()), float(means[after].sum())


def _note_cut(lengths: Sequence[float], of: int) -> str:
    """Note that runs of these lengths, of so many, ended before the event."""
    shortest, cut = min(lengths, default=0.0), len(lengths)
    if shortest < max(lengths, default=0.0):
        return f"mean time up to {shortest:g}, where the shortest of {cut} runs ended before"
    return (
        f"mean time up to the end of the run: {cut} of {of} runs ended before, and count with "
        "their length"
    )


def _compare_levels(
    values: CellValues, weights: Mapping[Cell, float], cut: Collection[tuple[Cell, int]]
) -> Survival:
    """Return how the times of the cells of either sign compare, all seeds together."""
    first, second = (
        [
            (time, (cell, seed) in cut)
            for cell, weight in weights.items()
            if weight * sign > 0
            for seed, time in values[cell].items()
        ]
        for sign in (-1, 1)
    )
    return compare_times(first, second)


def correct_family(effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """Return effects as primary ones, in order, with p corrected for their number.

    Holm's step-down procedure (1979, Scand. J. Stat. 6:65): the chance of one or more false
    findings among them stays 5 %, however they depend on one another. What cannot be significant
    whatever its signs, since fewer than six seeds have a number that is not 0, is no test and takes
    no place among them (Tarone 1990, Biometrics 46:515).
    """
    tested = sorted((one.p, k) for k, one in enumerate(effects) if one.is_tested and one.p)
    corrected, before = {}, 0.0
    for place, (p, k) in enumerate(tested):
        before = corrected[k] = max(before, min(1.0, p * (len(tested) - place)))
    return tuple(
        replace(one, family=PRIMARY, p_holm=corrected.get(k), note=_note_family(one, len(tested)))
        for k, one in enumerate(effects)
    )


def count_needed_seeds(tests: int) -> int:
    """Return the fewest seeds with which one of so many tests can be significant after Holm."""
    enough = (n for n in range(MIN_SEEDS, EXACT + 1) if find_smallest_p(n) * tests < ALPHA)
    return next(enough, EXACT + 1)


def find_detectable(numbers: Sequence[float], n: int, tests: int) -> float | None:
    """Return the difference that `n` seeds would find in 80 of 100 studies, by a pilot's spread.

    By Student's t at 5 % over the number of tests: the sum of both quantiles times the standard
    error (Cohen 1988, ch. 2). None of fewer than three numbers, or equal ones.

    Args:
        numbers: of the pilot, one a seed.
        n: seeds of the study, two or more.
        tests: in the family.
    """
    seen = np.array(numbers, dtype=np.float64)
    if len(seen) < 3 or is_constant(seen, find_grain(seen)):
        return None
    from scipy.stats import t

    reach = float(t.ppf(1 - ALPHA / max(1, tests) / 2, n - 1) + t.ppf(0.8, n - 1))
    return reach * float(seen.std(ddof=1)) / sqrt(n)


def weigh_cells(values: CellValues, levels: Levels, one: Contrast) -> dict[Cell, float]:
    """Return the weight of each cell in the number of a seed, of those that have one."""
    sides = [(list(levels).index(name), first, second) for name, first, second in one.sides]
    given = {cell: prod((cell[at] == b) - (cell[at] == a) for at, a, b in sides) for cell in values}
    signs = {cell: sign for cell, sign in given.items() if sign}
    halves = 2.0 if one.is_interaction else 1.0
    counts = {sign: list(signs.values()).count(sign) for sign in (-1, 1)}
    if not all(counts.values()):
        return {}
    return {cell: halves * sign / counts[sign] for cell, sign in signs.items()}


def _collect_values(measure: str, values: CellValues, weights: Mapping[Cell, float]) -> Floats:
    """Return the values of these cells, shape (cells, seeds), of the seeds that have them all."""
    seeds = sorted(set.intersection(*(set(values[cell]) for cell in weights)) if weights else ())
    for cell in weights if seeds else ():
        check_sample(values[cell].values(), f"{measure}, {' / '.join(cell)}")
    rows = [[values[cell][seed] for seed in seeds] for cell in weights]
    return np.array(rows, dtype=np.float64).reshape(len(weights), len(seeds))


def _list_notes(numbers: Floats, grain: float, equal: bool, left_out: int) -> Iterator[str]:
    n = len(numbers)
    if equal:
        yield _EQUAL
    elif n > 1 and is_constant(numbers, grain):
        yield "the same difference in every seed: no interval"
    if n == 1:
        yield "one seed: no interval and no test"
    elif n < MIN_SEEDS:
        yield f"{n} seeds: no test, {MIN_SEEDS} are the fewest"
    elif not equal and (moved := int((np.abs(numbers) > grain).sum())) < MIN_SEEDS:
        yield f"not 0 in {moved} of {n} seeds: it cannot be significant, whatever their signs"
    if left_out:
        yield f"{left_out} seed{'' if left_out == 1 else 's'} left out: not all have a value"


def _find_size(numbers: Floats, grain: float) -> float | None:
    """Return d_z times Hedges' correction J(m) = G(m/2) / (sqrt(m/2) G((m-1)/2)), m = n - 1."""
    freedom = len(numbers) - 1
    if freedom < 2 or is_constant(numbers, grain):
        return None
    half = freedom / 2
    correction = exp(lgamma(half) - lgamma(half - 0.5)) / sqrt(half)
    return correction * float(numbers.mean()) / float(numbers.std(ddof=1))


def _note_family(one: Effect, tests: int) -> str:
    """The note, and whether the first step of Holm's procedure is out of reach."""
    smallest = find_smallest_p(one.n)
    if not one.is_tested or smallest * tests < ALPHA:
        return one.note
    told = f"{one.n} seeds are few for a family of {tests}: p {smallest:.2g} times {tests} at best"
    return "; ".join(part for part in (one.note, told) if part)
