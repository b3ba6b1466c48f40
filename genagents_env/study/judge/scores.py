"""Ratings by condition: repeats of one answer are averaged first, then the answers of each seed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from genagents_env.study.judge.verdicts import By, Judgement, Key, group_by, label_rubrics

JUDGE = "judge"  # the measure whose keys are rubrics


@dataclass(frozen=True, slots=True)
class Score:
    """The mean of one judge's ratings of one condition by one rubric.

    Attributes:
        rubric: its name, with its edition where the verdicts are by several.
        condition: that was rated.
        judge: the name of the model or the person.
        by: which of the two it is.
        low: the scale's ends, `high` included.
        answers: how many were rated; repeats of one answer are averaged first.
        n: ratings.
        copied: of these, how many were given to the very same words elsewhere.
        unusable: replies that were no rating.
        seeds: the mean over the answers of each seed, by seed.
        mean: over the seeds, each counted once; None where nothing was rated.
    """

    rubric: str
    condition: str
    judge: str
    by: By
    low: int
    high: int
    answers: int
    n: int
    copied: int
    unusable: int
    seeds: Mapping[int, float]
    mean: float | None

    @property
    def measure(self) -> str:
        """The name of these ratings among the measures of a study."""
        return f"{JUDGE}.{self.rubric}"


@dataclass(frozen=True, slots=True)
class Copies:
    """How much of what was rated by a rubric was read once for several runs.

    Attributes:
        ratings: of all runs.
        copied: of these, how many were given to the very same words elsewhere.
        read: what was rated, by condition and seed.
    """

    ratings: int
    copied: int
    read: Mapping[tuple[str, int], frozenset[tuple[str, ...]]]

    def list_repeated(self, conditions: Collection[str]) -> frozenset[int]:
        """Return the seeds in which all of these conditions read as in an earlier one.

        They are no further evidence of what a judge thinks.
        """
        seeds = sorted({seed for condition, seed in self.read if condition in conditions})
        alike = {
            seed: tuple(self.read.get((one, seed)) for one in sorted(conditions)) for seed in seeds
        }
        first = {alike[seed]: seed for seed in reversed(seeds)}
        return frozenset(seeds) - frozenset(first.values())


def count_copies(verdicts: Iterable[Judgement]) -> dict[str, Copies]:
    """Return how much of what judges gave is copied, by `Score.measure`."""
    given = [one for one in verdicts if not one.is_comparison]
    labels, copies = label_rubrics(given), _find_copies(given)
    rated = [one for one in given if one.value is not None]
    found = {}
    for label, own in group_by(rated, lambda one: labels[one.rubric, one.edition]).items():
        places = group_by(own, lambda one: (one.conditions[0], one.seed))
        read = {at: frozenset(one.contents for one in some) for at, some in places.items()}
        found[f"{JUDGE}.{label}"] = Copies(len(own), sum(one.key in copies for one in own), read)
    return found


def score_conditions(verdicts: Iterable[Judgement]) -> tuple[Score, ...]:
    """Return the means by rubric, judge and condition, in that order; comparisons have none."""
    given = [one for one in verdicts if not one.is_comparison]
    labels, copies = label_rubrics(given), _find_copies(given)
    found = group_by(
        given, lambda one: (labels[one.rubric, one.edition], one.judge, one.by, one.conditions)
    )
    return tuple(_make_score(key[0], some, copies) for key, some in sorted(found.items()))


def _make_score(label: str, given: Sequence[Judgement], copies: Collection[Key]) -> Score:
    one = given[0]
    values: dict[int, dict[tuple[str, ...], list[int]]] = {}
    for rating in given:
        if isinstance(rating.value, int):
            values.setdefault(rating.seed, {}).setdefault(rating.texts, []).append(rating.value)
    seeds = {seed: fmean(map(fmean, answers.values())) for seed, answers in sorted(values.items())}
    unusable = sum(rating.value is None for rating in given)
    return Score(
        *(label, one.conditions[0], one.judge, one.by, one.low, one.high),
        answers=sum(map(len, values.values())),
        n=len(given) - unusable,
        copied=sum(rating.key in copies for rating in given),
        unusable=unusable,
        seeds=seeds,
        mean=fmean(seeds.values()) if seeds else None,
    )


def _find_copies(given: Sequence[Judgement]) -> set[Key]:
    """Return the keys of those that one judge had given before to what reads the very same."""
    first: dict[Key, Key] = {}
    for one in given:
        read: Key = (one.by, one.judge, one.rubric, one.edition, *one.contents, one.repeat)
        first.setdefault(read, one.key)
    return {one.key for one in given} - set(first.values())
