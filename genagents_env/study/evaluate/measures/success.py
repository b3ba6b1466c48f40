"""Whether the scenario's successes were reached, by each judge, and how far the judges agree.

Definition: a verdict counts as yes if it is `yes`; of a value check if it is the success's `value`,
or, where none is named, any of the check's values but `otherwise`. An agent's *share* is the part
of the repeats in which it does. Each repeat succeeds or fails by itself: of a check over its
people, of other successes by theirs. A repeat that a missing verdict could still change is None.
The *majority* holds where at least half of the repeats succeed, rounded up: 2 of 3.
Source: Lyfe Agents (Kaiya et al. 2023), appendix D.1, three interviews from one state of mind; the
rule of two out of three is the public release's.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from genagents_env.scenario import Scenario
from genagents_env.scenario.questions import When
from genagents_env.scenario.schema import Check, RecordCheck, Success, ValueCheck
from genagents_env.scenario.truth import Truth, get_parts, holds
from genagents_env.study.evaluate.checks import RULE, YES, Verdict, find_verdicts
from genagents_env.study.evaluate.interviews import ENDS
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData, once_per_run

# The shares of a success's people, its repeats, and how many verdicts are missing.
_Weighed: TypeAlias = tuple[Mapping[str, float], tuple[Truth, ...], int]
_LYFE = "Lyfe Agents (Kaiya et al. 2023), section 5 and appendix D.1"


@dataclass(frozen=True, slots=True)
class SuccessOutcome:
    """One success at one end of a run, by one judge.

    Attributes:
        success: its id.
        title: in the scenario's words.
        when: before the run or after it.
        by: `rule`, or `model:` and the model's name. What the record tells is always by rule.
        shares: of each agent of a check, in 0..1; those without any verdict are left out, and
            successes of successes have none.
        repeats: of each interview whether it succeeded; None where that is open.
        missing: verdicts that were wanted and that the judge does not have.
    """

    success: str
    title: str
    when: When
    by: str
    shares: Mapping[str, float]
    repeats: tuple[Truth, ...]
    missing: int = 0

    @property
    def share(self) -> float | None:
        """Of the repeats that are decided, those that succeeded; None where none is."""
        decided = [one for one in self.repeats if one is not None]
        return ratio(sum(decided), len(decided))

    @property
    def majority(self) -> bool | None:
        """Whether at least half of those succeeded; None where none is decided."""
        return None if self.share is None else self.share >= 1 / 2


@once_per_run
def compute_outcomes(data: RunData) -> tuple[SuccessOutcome, ...]:
    """Return the outcomes of a run as far as it is recorded; see `tally_outcomes`."""
    return tally_outcomes(data.scenario, find_verdicts(data))


def tally_outcomes(scenario: Scenario, given: Iterable[Verdict]) -> tuple[SuccessOutcome, ...]:
    """Return the outcome of each success, in the scenario's order, before and then after.

    Of each the rule's first, then the models' by name. A judge who gave no verdict at one end has
    no outcome there, and none of what is built on it.

    Args:
        scenario: of the run.
        given: verdicts on its checks, in any order.
    """
    given = list(given)
    checks = {check.id: check for check in scenario.checks}
    recorded = {id_ for id_, check in checks.items() if isinstance(check, RecordCheck)}
    lasting = _find_lasting(scenario.success, recorded)
    found: dict[str, list[SuccessOutcome]] = {one.id: [] for one in scenario.success}
    for when, by in product(ENDS, (RULE, *sorted({v.by for v in given} - {RULE}))):
        heard = [v for v in given if v.when == when and (v.by == by or v.check in recorded)]
        mine: dict[str, SuccessOutcome] = {}
        for success in scenario.success:
            weighed = _weigh(success, checks, heard, mine, lasting)
            if weighed is None:
                continue
            mine[success.id] = SuccessOutcome(success.id, success.title, when, by, *weighed)
            # What depends on the record alone is given once, by rule, though every judge uses it.
            if by == RULE or success.id not in lasting:
                found[success.id].append(mine[success.id])
    return tuple(one for own in found.values() for one in own)


def have_one_value(values: Sequence[str | None], otherwise: str | None) -> Truth:
    """Return whether all have one value that is not `otherwise`; None where an unknown decides."""
    told = {value for value in values if value is not None}
    if len(told) > 1 or otherwise in told:
        return False
    return None if None in values else True


@measure("Success", "share", _LYFE)
def success(data: RunData) -> dict[str, float | None]:
    """Of the interviews after the run that are decided, the share in which the success came about,
    by the check's rules. One for each success; none where no interview is decided.
    """
    return _get_each_after(data, "share")


@measure(
    "Success by majority",
    "0 or 1",
    f"{_LYFE}; the rule of two out of three is the public release's",
)
def success_majority(data: RunData) -> dict[str, float | None]:
    """1 if the success came about in at least half of the interviews after the run, rounded up (2
    of 3), by the check's rules, else 0. One for each success; none where no interview is decided.
    """
    return _get_each_after(data, "majority")


def _get_each_after(data: RunData, name: str) -> dict[str, float | None]:
    """Return a property of each success after the run, by rule."""
    ends = [one for one in compute_outcomes(data) if one.when == "after" and one.by == RULE]
    found = {one.success: getattr(one, name) for one in ends}
    return {success.id: found.get(success.id) for success in data.scenario.success}


def _find_lasting(successes: Iterable[Success], recorded: Collection[str]) -> frozenset[str]:
    """Return the successes that rest on the record alone, and so hold in every repeat."""
    found: set[str] = set()
    for one in successes:
        parts = found.issuperset(get_parts(one)[1])
        if parts if one.check is None else one.check in recorded:
            found.add(one.id)
    return frozenset(found)


def _weigh(
    success: Success,
    checks: Mapping[str, Check],
    given: Sequence[Verdict],
    found: Mapping[str, SuccessOutcome],
    lasting: frozenset[str],
) -> _Weighed | None:
    """Return what its verdicts, or its parts, make of a success; None where there are none."""
    if success.check is not None:
        own = [verdict for verdict in given if verdict.check == success.check]
        return _weigh_check(success, checks[success.check], own) if own else None
    over, parts = get_parts(success)
    if not all(part in found for part in parts):
        return None
    length = max(len(found[part].repeats) for part in parts)
    repeats = tuple(
        holds([_get_repeat(found[part], k, part in lasting) for part in parts], over)
        for k in range(length)
    )
    return {}, repeats, sum(found[part].missing for part in parts)


def _get_repeat(outcome: SuccessOutcome, repeat: int, lasting: bool) -> Truth:
    at = 0 if lasting else repeat
    return outcome.repeats[at] if at < len(outcome.repeats) else None


def _weigh_check(success: Success, check: Check, given: Sequence[Verdict]) -> _Weighed:
    people = success.of or tuple(dict.fromkeys(verdict.agent for verdict in given))
    values = {(v.agent, v.repeat): v.value for v in given}
    count = 1 + max(verdict.repeat for verdict in given)
    rows = [[values.get((agent, k)) for agent in people] for k in range(count)]
    yes = [[_is_yes(value, success, check) for value in row] for row in rows]
    if success.over == "equal":
        otherwise = check.otherwise if isinstance(check, ValueCheck) else None
        repeats = tuple(have_one_value(row, otherwise) for row in rows)
    else:
        repeats = tuple(holds(row, success.over) for row in yes)
    shares = {
        agent: sum(told) / len(told)
        for agent, column in zip(people, zip(*yes, strict=True), strict=True)
        if (told := [one for one in column if one is not None])
    }
    return shares, repeats, sum(value is None for row in rows for value in row)


def _is_yes(value: str | None, success: Success, check: Check) -> Truth:
    if value is None:
        return None
    if not isinstance(check, ValueCheck):
        return value == YES
    return value != check.otherwise if success.value is None else value == success.value


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
