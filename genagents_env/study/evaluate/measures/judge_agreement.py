"""How far the models that judged the answers agree with the rules."""

from collections.abc import Iterable
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
    values = {(one.check, one.by, one.agent, one.when, one.repeat): one.value for one in given}
    same: dict[tuple[str, str], list[bool]] = {}
    for (check, judge, agent, when, repeat), value in values.items():
        if judge != RULE:
            compared = same.setdefault((check, judge), [])
            by_rule = values.get((check, RULE, agent, when, repeat))
            if value is not None and by_rule is not None:
                compared.append(value == by_rule)
    return tuple(Agreement(*key, len(found), sum(found)) for key, found in same.items())


@measure("Agreement of judge and rule", "share", "ours")
def judge_agreement(data: RunData) -> dict[str, float | None]:
    """Of the answers on which both the rule and the model (the run's own if it judged, else the
    only one that did) have a verdict, the share with the same one. One for each check; none where
    there is no such answer.
    """
    judge = find_judge(data)
    found = {one.check: one.share for one in compute_agreements(data) if one.judge == judge}
    return {check.id: found.get(check.id) for check in data.scenario.checks}
