"""Whether the scenario's successes came about, by rule and by the run's own model as judge."""

from genagents_env.evaluate.checks import RULE
from genagents_env.evaluate.measures.measure import measure
from genagents_env.evaluate.outcomes import Outcome, agreements, outcomes
from genagents_env.evaluate.run_data import RunData

_LYFE = "Lyfe Agents (Kaiya et al. 2023), section 5 and appendix D.1"


def _after(data: RunData, by: str) -> dict[str, Outcome | None]:
    found = {one.success: one for one in outcomes(data) if one.when == "after" and one.by == by}
    return {success.id: found.get(success.id) for success in data.scenario.success}


def judge_of(data: RunData) -> str | None:
    """Return who judged: the run's own model, else the only one; None without a judge, or of two.

    In the form of `Verdict.by`. Verdicts of two judges never mix.
    """
    judges = sorted({one.by for one in outcomes(data)} - {RULE})
    own = f"model:{data.meta.model}"
    if own in judges:
        return own
    return judges[0] if len(judges) == 1 else None


@measure(
    "success",
    "Success",
    "share",
    """Of the interviews after the run that are decided, the share in which the success came about,
    by the check's rules. One for each success; none where no interview is decided.""",
    _LYFE,
    "more",
)
def success(data: RunData) -> dict[str, float | None]:
    """Return the share by success."""
    return {id_: None if one is None else one.share for id_, one in _after(data, RULE).items()}


@measure(
    "success_majority",
    "Success by majority",
    "0 or 1",
    """1 if the success came about in at least half of the interviews after the run, rounded up
    (2 of 3), by the check's rules, else 0. One for each success; none where no interview is
    decided.""",
    f"{_LYFE}; the rule of two out of three is the public release's",
    "more",
)
def success_majority(data: RunData) -> dict[str, float | None]:
    """Return 0 or 1 by success."""
    return {
        id_: None if one is None or one.majority is None else float(one.majority)
        for id_, one in _after(data, RULE).items()
    }


@measure(
    "success_judged",
    "Success as judged",
    "share",
    """As `success`, but by the verdicts of a model: the run's own if it judged, else the only one
    that did. None where no model judged, or only several others.""",
    _LYFE,
    "more",
)
def success_judged(data: RunData) -> dict[str, float | None]:
    """Return the share by success."""
    judge = judge_of(data)
    found = _after(data, judge) if judge else dict.fromkeys(_after(data, RULE))
    return {id_: None if one is None else one.share for id_, one in found.items()}


@measure(
    "judge_agreement",
    "Agreement of judge and rule",
    "share",
    """Of the answers on which both the rule and the model (see `success_judged`) have a verdict,
    the share with the same one. One for each check; none where there is no such answer.""",
    "ours",
    "more",
)
def judge_agreement(data: RunData) -> dict[str, float | None]:
    """Return the share by check."""
    judge = judge_of(data)
    found = {one.check: one.share for one in agreements(data) if one.judge == judge}
    return {check.id: found.get(check.id) for check in data.scenario.checks}
