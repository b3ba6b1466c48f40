"""Conditions ranked by comparisons: skills, mean ranks, and how much the order of reading counts.

Source: Park et al. 2023, section 6, where people ranked the answers of five conditions, and the
ranks were turned into TrueSkill ratings. Here the ratings are those of `study.stats.ranking`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from genagents_env.study.judge.verdicts import By, Judgement, group_by, label_rubrics
from genagents_env.study.stats.ranking import Match, Skill, rank


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
        n: comparisons with a verdict; those of the same conditions in the very same words count
            once, as in the skills.
        unusable: replies that were no verdict.
        both: pairs that were read in both orders, with a verdict in each; here and below the very
            same words count once, of whatever conditions.
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
    given = [one for one in verdicts if one.is_comparison]
    labels = label_rubrics(given)
    found = group_by(
        given, lambda one: (labels[one.rubric, one.edition], one.judge, one.by, one.block)
    )
    return tuple(_make_ranking(key[0], some, seed) for key, some in sorted(found.items()))


def _make_ranking(label: str, given: Sequence[Judgement], seed: int) -> Ranking:
    one = given[0]
    asked = {(c.conditions, c.reading, c.repeat): c for c in given}.values()
    heard = [comparison for comparison in asked if comparison.value is not None]
    read = {(c.reading, c.repeat): c for c in heard}.values()
    sided = [comparison for comparison in read if comparison.value != "tie"]
    return Ranking(
        *(label, one.judge, one.by, one.block),
        rank(list(map(_read_match, heard)), seed),
        _average_ranks([comparison for comparison in given if comparison.value is not None]),
        len(heard),
        len(asked) - len(heard),
        *_count_flips(read),
        fmean(c.value == "first" for c in sided) if sided else None,
    )


def _read_match(one: Judgement) -> Match:
    first, second = one.conditions
    return first, second, one.value if isinstance(one.value, str) else "tie"


def _count_flips(read: Iterable[Judgement]) -> tuple[int, int]:
    """Return how many pairs were read in both orders, and of these how many got two verdicts."""
    pairs: dict[tuple[tuple[str, ...], int], dict[str, str]] = {}
    for one in read:
        first, second = one.reading
        better = {"first": first, "second": second}.get(_read_match(one)[2], "")
        pairs.setdefault((tuple(sorted(one.reading)), one.repeat), {})[first] = better
    both = [list(orders.values()) for orders in pairs.values() if len(orders) == 2]
    return len(both), sum(one != other for one, other in both)


def _average_ranks(heard: Sequence[Judgement]) -> dict[str, float]:
    """Return each condition's mean rank over the questions where all of them were compared."""
    names = sorted({name for one in heard for name in one.conditions})
    places: dict[str, list[float]] = {name: [] for name in names}
    for group in group_by(
        heard, lambda c: (c.seed, c.agent, c.when, c.question, c.number)
    ).values():
        pairs = {frozenset(one.conditions) for one in group}
        if len(pairs) == len(names) * (len(names) - 1) // 2:
            for name, rank in _rank(group, names).items():
                places[name].append(rank)
    return {name: fmean(ranks) for name, ranks in places.items() if ranks}


def _rank(group: Iterable[Judgement], names: Sequence[str]) -> dict[str, float]:
    """Return ranks by the share of matches won, a tie half of one; equals share their ranks."""
    from scipy.stats import rankdata

    points: dict[str, list[float]] = {name: [] for name in names}
    for one in group:
        first, second, winner = _read_match(one)
        won = {"first": 1.0, "second": 0.0, "tie": 0.5}[winner]
        points[first].append(won)
        points[second].append(1 - won)
    lost = [1 - fmean(shares) for shares in points.values()]
    return dict(zip(names, map(float, rankdata(lost)), strict=True))
