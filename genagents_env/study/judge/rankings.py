"""Conditions ranked by comparisons: skills, mean ranks, and how much the order of reading counts.

Source: Park et al. 2023, section 6, where people ranked the answers of five conditions, and the
ranks were turned into TrueSkill ratings. Here the ratings are those of `study.stats.ranking`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from genagents_env.study.judge.groups import group_by, label_rubrics
from genagents_env.study.judge.verdicts import By, Comparison, Judgement
from genagents_env.study.stats.ranking import Skill, rank


@dataclass(frozen=True, slots=True)
class Ranking:
    """The conditions of one block as one judge ranks them by one rubric.

    Attributes:
        rubric: its name, with its edition where the verdicts are by several.
        judge: the name of the model or the person.
        by: which of the two it is.
        block: of the conditions.
        skills: from `study.stats.ranking.rank`, best first.
        mean_ranks: of each condition, 1 the best, over the answers that were set beside those of
            every other condition; a condition that never was has none.
        n: comparisons with a verdict.
        unusable: replies that were no verdict.
        both: pairs that were read in both orders, with a verdict in each.
        flipped: of these, how many got another verdict in the other order.
        first_read: share of the verdicts for one side that went to the answer read first.
    """

    rubric: str
    judge: str
    by: By
    block: str
    skills: tuple[Skill, ...]
    mean_ranks: Mapping[str, float]
    n: int
    unusable: int
    both: int
    flipped: int
    first_read: float | None

    @property
    def position_bias(self) -> float | None:
        """The share of pairs whose verdict flips with the order; None without a pair in both."""
        return self.flipped / self.both if self.both else None


def rank_conditions(verdicts: Iterable[Judgement], *, seed: int = 0) -> tuple[Ranking, ...]:
    """Return the ranking of each judge, rubric and block that has comparisons.

    Every verdict is one match, so that a pair read in both orders counts twice.

    Args:
        verdicts: comparisons; ratings are passed over.
        seed: of the orders in which skills are updated.

    Raises:
        ConfigError: the extra `lab` is not installed.
    """
    given = [one for one in verdicts if isinstance(one, Comparison)]
    labels = label_rubrics(given)
    found = group_by(
        given, lambda one: (labels[one.rubric, one.edition], one.judge, one.by, one.block)
    )
    return tuple(_make_ranking(key[0], some, seed) for key, some in sorted(found.items()))


def _make_ranking(label: str, given: Sequence[Comparison], seed: int) -> Ranking:
    one = given[0]
    heard = [comparison for comparison in given if comparison.verdict is not None]
    matches = [(c.first_condition, c.second_condition, c.verdict) for c in heard if c.verdict]
    both, flipped = _count_flips(heard)
    sided = [comparison for comparison in heard if comparison.verdict != "tie"]
    return Ranking(
        label,
        one.judge,
        one.by,
        one.block,
        rank(matches, seed),
        _average_ranks(heard),
        len(heard),
        len(given) - len(heard),
        both,
        flipped,
        fmean(c.verdict == c.shown for c in sided) if sided else None,
    )


def _count_flips(heard: Iterable[Comparison]) -> tuple[int, int]:
    """Return how many pairs were read in both orders, and of these how many got two verdicts."""
    pairs: dict[tuple[frozenset[str], int], dict[str, str]] = {}
    for one in heard:
        better = {"first": one.first, "second": one.second}.get(one.verdict or "", "tie")
        read_first = one.first if one.shown == "first" else one.second
        pairs.setdefault((frozenset((one.first, one.second)), one.repeat), {})[read_first] = better
    both = [list(orders.values()) for orders in pairs.values() if len(orders) == 2]
    return len(both), sum(one != other for one, other in both)


def _average_ranks(heard: Iterable[Comparison]) -> dict[str, float]:
    """Return each condition's mean rank over the questions where all of them were compared."""
    heard = list(heard)
    names = sorted({name for c in heard for name in (c.first_condition, c.second_condition)})
    places: dict[str, list[float]] = {name: [] for name in names}
    for group in group_by(
        heard, lambda c: (c.seed, c.agent, c.when, c.question, c.number)
    ).values():
        pairs = {frozenset((c.first_condition, c.second_condition)) for c in group}
        if len(pairs) == len(names) * (len(names) - 1) // 2:
            for name, rank in _rank(group, names).items():
                places[name].append(rank)
    return {name: fmean(ranks) for name, ranks in places.items() if ranks}


def _rank(group: Iterable[Comparison], names: Sequence[str]) -> dict[str, float]:
    """Return ranks by the share of matches won, a tie half of one; equals share their ranks."""
    points: dict[str, list[float]] = {name: [] for name in names}
    for c in group:
        first = {"first": 1.0, "second": 0.0}.get(c.verdict or "", 0.5)
        points[c.first_condition].append(first)
        points[c.second_condition].append(1 - first)
    means = {name: fmean(shares) for name, shares in points.items()}
    return {
        name: 1 + sum(o > mean for o in means.values()) + (list(means.values()).count(mean) - 1) / 2
        for name, mean in means.items()
    }
