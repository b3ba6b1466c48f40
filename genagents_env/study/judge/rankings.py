"""Conditions ranked by comparisons: skills, mean ranks, and how much the order of reading counts.

Source: Park et al. 2023, section 6, where people ranked the answers of five conditions, and the
ranks were turned into TrueSkill ratings. Here the ratings are those of `study.stats.ranking`.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
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
    sided = [comparison.points > 0 for comparison in read if comparison.points]
    both = _compare_orders(read)
    return Ranking(
        *(label, one.judge, one.by, one.block),
        rank(list(map(_read_match, heard)), seed),
        _average_ranks([comparison for comparison in given if comparison.value is not None]),
        n=len(heard),
        unusable=len(asked) - len(heard),
        both=len(both),
        flipped=sum(both),
        first_read=fmean(sided) if sided else None,
    )


def _read_match(one: Judgement) -> Match:
    first, second = one.conditions
    return first, second, one.value if isinstance(one.value, str) else "tie"


def _compare_orders(read: Iterable[Judgement]) -> list[bool]:
    """Return of every pair that was read in both orders whether the verdict flipped with it."""
    orders: dict[Hashable, dict[tuple[str, ...], int]] = {}
    for one in read:
        pair = orders.setdefault((frozenset(one.reading), one.repeat), {})
        pair[one.reading] = one.points
    return [sum(pair.values()) != 0 for pair in orders.values() if len(pair) == 2]


def _average_ranks(heard: Sequence[Judgement]) -> dict[str, float]:
    """Return each condition's mean rank over the questions where all of them were compared."""
    names = sorted({name for one in heard for name in one.conditions})
    ranks: list[Sequence[float]] = []
    questions = group_by(heard, lambda c: (c.seed, c.agent, c.when, c.question, c.number))
    for group in questions.values():
        pairs = {frozenset(one.conditions) for one in group}
        if len(pairs) == len(names) * (len(names) - 1) // 2:
            ranks.append(_rank(group, names))
    return dict(zip(names, map(fmean, zip(*ranks, strict=True)), strict=True)) if ranks else {}


def _rank(group: Iterable[Judgement], names: Sequence[str]) -> Sequence[float]:
    """Return ranks by the share of matches lost, a tie half of one; equals share their ranks."""
    from scipy.stats import rankdata

    lost: dict[str, list[float]] = {name: [] for name in names}
    for one in group:
        first, second = one.conditions
        lost[first].append((1 - one.points) / 2)
        lost[second].append((1 + one.points) / 2)
    ranks: list[float] = rankdata([fmean(shares) for shares in lost.values()]).tolist()
    return ranks
