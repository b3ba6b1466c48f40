"""How far judges agree: with themselves, with the rule, with one another; by kappas of `stats`.

Of a judge who was asked several times, the lower median of its ratings stands for it beside
others; of comparisons, the side it chose more often, both orders and all repeats together, or the
tie.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median_low
from typing import Literal, TypeAlias

from genagents_env.study.evaluate.checks import RULE, Verdict
from genagents_env.study.judge.verdicts import (
    By,
    Judgement,
    find_side,
    format_judge,
    group_by,
    label_rubrics,
)
from genagents_env.study.stats.agreement import fleiss, kappa

Sort: TypeAlias = Literal["itself", "rule", "others"]
Statistic: TypeAlias = Literal["kappa", "kappa, linear weights", "Fleiss' kappa"]
Label: TypeAlias = str | int
Judge: TypeAlias = tuple[By, str]
Stands: TypeAlias = Mapping[Hashable, Label]  # of one judge, by what it judged

_ONE_KIND = "undefined: every verdict is the same one, on which chance alone would agree"
_NO_ORDER = "takes numbers as mere labels: near ones count as apart"


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """How far several judges, or the repeats of one, gave the same verdicts.

    Attributes:
        of: the rubric, `NAME, pairs` for comparisons, or `check NAME`.
        sort: a judge with `itself` over its repeats, with the `rule`, or with `others`.
        judges: their names; a person's with ` (human)` behind it.
        statistic: which kappa.
        value: of it, at most 1; None where it is undefined.
        low: of its 95 % interval, as `high`; None where it has none.
        n: what all of them judged.
        agreed: the share of it that got the same verdict; of several judges, of pairs of them.
        note: why it is undefined, or what else must be known.
    """

    of: str
    sort: Sort
    judges: tuple[str, ...]
    statistic: Statistic
    value: float | None
    low: float | None
    high: float | None
    n: int
    agreed: float
    note: str = ""


def measure_agreement(
    verdicts: Iterable[Judgement], checks: Mapping[str, Sequence[Verdict]] | None = None
) -> tuple[JudgeAgreement, ...]:
    """Return how far judges agree; what nobody shares with anybody has no row.

    Args:
        verdicts: ratings and comparisons, of models and people.
        checks: by run, what `study.evaluate.checks.find_verdicts` returns for its file.

    Raises:
        ConfigError: the extra `lab` is not installed.
    """
    given = [one for one in verdicts if one.value is not None]
    labels = label_rubrics(given)
    found: list[JudgeAgreement] = []
    groups = group_by(given, lambda one: (labels[one.rubric, one.edition], one.is_comparison))
    for (label, pairs), group in sorted(groups.items()):
        of = f"{label}, pairs" if pairs else label
        judges = group_by(group, lambda one: (one.by, one.judge))
        for (_, name), own in judges.items():
            found += _agree_with_itself(of, name, own, ordered=not pairs)
        stands = {judge: _find_stands(own) for judge, own in sorted(judges.items())}
        found += _agree_with_others(of, stands, ordered=not pairs)
    return (*found, *_agree_with_rule(checks or {}))


def _agree_with_itself(
    of: str, name: str, given: Sequence[Judgement], *, ordered: bool
) -> Iterator[JudgeAgreement]:
    """Yield the agreement over repeats of the same question in the same order, as it was asked."""
    repeats: dict[Hashable, dict[int, Label]] = {}
    for one in given:
        repeats.setdefault(one.reading, {})[one.repeat] = one.value or one.points
    most = max(map(len, repeats.values()))
    rows = [[row[k] for k in sorted(row)] for row in repeats.values() if len(row) == most]
    if most > 1:
        yield _compute_agreement(of, "itself", (name,), rows, ordered)


def _agree_with_others(
    of: str, stands: Mapping[Judge, Stands], *, ordered: bool
) -> Iterator[JudgeAgreement]:
    """Yield the agreement of every two judges, and of all people where there are more than two."""
    people = [judge for judge in stands if judge[0] == "human"]
    for judges in [*combinations(stands, 2), *([people] if len(people) > 2 else [])]:
        shared = [i for i in stands[judges[0]] if all(i in stands[judge] for judge in judges)]
        rows = [[stands[judge][item] for judge in judges] for item in shared]
        if rows:
            names = tuple(format_judge(*judge) for judge in judges)
            yield _compute_agreement(of, "others", names, rows, ordered)


def _find_stands(given: Iterable[Judgement]) -> Stands:
    """Return what stands for all that a judge said of what it read, of pairs in either order.

    Two texts that read the same cannot be told apart, and are left out.
    """
    values: dict[tuple[str, ...], dict[Hashable, int]] = {}
    for one in given:
        turn = 1 if one.conditions[0] <= one.conditions[-1] else -1
        if not one.is_comparison:
            values.setdefault(one.contents, {})[one.repeat] = one.points
        elif len(set(one.contents)) == 2:
            item = values.setdefault(one.contents[::turn], {})
            item[one.reading, one.repeat] = turn * one.points
    return {
        item: find_side(sum(said.values())) if len(item) == 2 else median_low(said.values())
        for item, said in values.items()
    }


def _agree_with_rule(checks: Mapping[str, Sequence[Verdict]]) -> Iterator[JudgeAgreement]:
    """Yield the agreement of every model with the rule on every check that both have judged."""
    given: dict[tuple[str, str], dict[Hashable, Label]] = {}
    for run, verdicts in checks.items():
        for one in verdicts:
            if one.value is not None:
                at = (run, one.agent, one.when, one.repeat)
                given.setdefault((one.check, one.by), {})[at] = one.value
    for (check, judge), values in sorted(given.items()):
        ruled = given.get((check, RULE), {})
        rows = [[ruled[at], values[at]] for at in values if at in ruled]
        if judge != RULE and rows:
            named = (RULE, judge.removeprefix("model:"))
            yield _compute_agreement(f"check {check}", "rule", named, rows, ordered=False)


def _compute_agreement(
    of: str, sort: Sort, judges: tuple[str, ...], rows: Sequence[Sequence[Label]], ordered: bool
) -> JudgeAgreement:
    """Return the agreement of two columns or more; `ordered`: of numbers on a scale."""
    statistic: Statistic = "Fleiss' kappa"
    if len(rows[0]) == 2:
        statistic = "kappa, linear weights" if ordered else "kappa"
        first, second = zip(*rows, strict=True)
        found, note = kappa(first, second, "linear" if ordered else None), ""
    else:
        found, note = fleiss(rows), _NO_ORDER if ordered else ""
    note = _ONE_KIND if found.value is None else note
    numbers = (found.value, found.low, found.high, found.n, found.agreed)
    return JudgeAgreement(of, sort, judges, statistic, *numbers, note)
