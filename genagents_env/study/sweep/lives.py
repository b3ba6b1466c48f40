"""What the first seed shows of a study that cannot answer: equal lives, degraded ones, no value."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from genagents_env.study.evaluate.measure import belongs_to, split_key
from genagents_env.study.sweep.design.experiment import Experiment, split_primary
from genagents_env.study.sweep.measured import MeasuredRun


@dataclass(frozen=True, slots=True)
class EqualLives:
    """How many pairs of runs that differ in two levels of a factor alone led the same life.

    `equal` counts the pairs with the same positions, events and answers, `compared` all pairs of
    finished runs.
    """

    factor: str
    first: str
    second: str
    equal: int
    compared: int

    @property
    def text(self) -> str:
        """A sentence without its full stop."""
        share = f"{self.equal} of {self.compared} pairs of runs"
        if self.equal == self.compared:
            several = f"all {self.compared} pairs of runs"
            share = several if self.compared > 1 else "the one pair of runs"
        return f"{self.factor}: {self.first} and {self.second} led the same life in {share}"


def count_equal_lives(
    levels: Mapping[str, Sequence[str]], lives: Mapping[tuple[tuple[str, ...], int], str]
) -> Iterator[EqualLives]:
    """Yield every two levels of a factor of which some runs led the same life.

    Args:
        levels: labels by factor, in the order of the cells.
        lives: of finished runs, by the levels of their cell and their seed.
    """
    for place, (factor, labels) in enumerate(levels.items()):
        for first, second in combinations(labels, 2):
            pairs = [
                (life, lives[other])
                for (cell, seed), life in lives.items()
                if cell[place] == first
                and (other := ((*cell[:place], second, *cell[place + 1 :]), seed)) in lives
            ]
            equal = sum(one == other for one, other in pairs)
            if equal:
                yield EqualLives(factor, first, second, equal, len(pairs))


def find_reason_to_stop(
    experiment: Experiment, cells: int, runs: Mapping[tuple[str, ...], MeasuredRun]
) -> str:
    """Return why more seeds may find nothing, by the first one; empty where nothing says so.

    That is: all runs of a level are degraded and in no mean; no run has a value of a primary
    measure; or two levels led equal lives, with no primary number to tell them apart.

    Args:
        experiment: that is run.
        cells: how many it has.
        runs: finished ones of the first seed, by the levels of their cell.
    """
    taken = {label for one in runs.values() for label in one.taken}
    named = (split_primary(words)[0] for words in experiment.primary)
    primary = [words for words in named if split_key(words)[0] in taken]
    reasons = list(_list_degraded(experiment.levels, runs))
    if experiment.degraded == "include" or not reasons:
        names = {one.name for run in runs.values() for one in run.values}
        reasons = list(_list_missing(primary, names)) if len(runs) == cells else []
    return "; ".join(reasons or _list_equal(experiment.levels, runs, primary))


def _list_degraded(
    levels: Mapping[str, Sequence[str]], runs: Mapping[tuple[str, ...], MeasuredRun]
) -> Iterator[str]:
    sides = {"": list(runs.values())}
    if not all(run.degraded for run in runs.values()):
        sides = {
            f"with {label} ({factor}) ": [run for cell, run in runs.items() if cell[k] == label]
            for k, (factor, labels) in enumerate(levels.items())
            for label in labels
        }
    for side, own in sides.items():
        if own and all(run.degraded for run in own):
            yield (
                f"{side}every finished run of the first seed is degraded ({own[0].degraded}) and "
                "in no mean; mend what fails"
            )


def _list_missing(primary: Sequence[str], names: Collection[str]) -> Iterator[str]:
    for words in primary:
        if not any(belongs_to(name, words) for name in names):
            label, _ = split_key(words)
            others = ", ".join(sorted(name for name in names if belongs_to(name, label)))
            there_is = f"there is {others}" if others else f"{label} has none at all"
            yield f"no run of the first seed has a value of {words}, which is `primary`; {there_is}"


def _list_equal(
    levels: Mapping[str, Sequence[str]],
    runs: Mapping[tuple[str, ...], MeasuredRun],
    primary: Sequence[str],
) -> Iterator[str]:
    lives = {}
    for cell, run in runs.items():
        # Levels of one life may still differ in what models were asked, if that is the question.
        numbers = sorted(run.numbers.items())
        told = [one for one in numbers if any(belongs_to(one[0], words) for words in primary)]
        lives[cell, 0] = f"{run.life} {told}"
    for one in count_equal_lives(levels, lives):
        if one.equal == one.compared:
            yield (
                f"{one.text} of the first seed, so nothing that happened there depended on which "
                "it was; choose levels that somebody notices, since other seeds differ only where "
                "chance decides"
            )
