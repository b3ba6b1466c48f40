"""How far the models that judged the answers agree with the rules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from genagents_env.study.evaluate.checks import RULE, Verdict, find_verdicts
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.success import find_judge
from genagents_env.study.evaluate.run_data import RunData, once_per_run


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often a model and the rule gave the same verdict on one check, where both gave one."""

    check: str
    judge: str
    compared: int
    agreed: int

    @property
    def share(self) -> float | None:
        """The share of the compared verdicts that are the same; None where none was compared."""
        return ratio(self.agreed, self.compared)


@once_per_run
def compute_agreements(data: RunData) -> tuple[Agreement, ...]:
    """Return how far the models agree with the rule; see `tally_agreements`."""
    return tally_agreements(find_verdicts(data))


def tally_agreements(given: Iterable[Verdict]) -> tuple[Agreement, ...]:
    """Return, for each check and each model that judged it, how often it agrees with the rule."""
    by_judge: dict[tuple[str, str], dict[tuple[str, str, int], str | None]] = {}
    for one in given:
        at = (one.agent, one.when, one.repeat)
        by_judge.setdefault((one.check, one.by), {})[at] = one.value
    return tuple(
        _compare(check, judge, by_judge.get((check, RULE), {}), values)
        for (check, judge), values in by_judge.items()
        if judge != RULE
    )


@measure("Agreement of judge and rule", "share", "ours")
def judge_agreement(data: RunData) -> dict[str, float | None]:
    """Of the answers on which both the rule and the model (the run's own if it judged, else the
    only one that did) have a verdict, the share with the same one. One for each check; none where
    there is no such answer.
    """
    judge = find_judge(data)
    found = {one.check: one.share for one in compute_agreements(data) if one.judge == judge}
    return {check.id: found.get(check.id) for check in data.scenario.checks}


def _compare(
    check: str,
    judge: str,
    rule: Mapping[tuple[str, str, int], str | None],
    model: Mapping[tuple[str, str, int], str | None],
) -> Agreement:
    both = [
        (by_rule, value)
        for at, value in model.items()
        if value is not None and (by_rule := rule.get(at)) is not None
    ]
    return Agreement(check, judge, len(both), sum(a == b for a, b in both))
