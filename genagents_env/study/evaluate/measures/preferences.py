"""What people answer before and after a run, and how many changed their mind.

Definition: a *preference* is the share of each value of a check over the repeats of an interview;
answers without a verdict are left out. One's *leaning* is the value in at least half of them, if
there is only one such.
Source: Lyfe Agents (Kaiya et al. 2023), section 5.2, appendix D.3, figure 7.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from genagents_env.scenario import Scenario
from genagents_env.scenario.schema import ValueCheck
from genagents_env.study.evaluate.checks import RULE, Verdict, find_verdicts
from genagents_env.study.evaluate.interviews import ENDS
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData, once_per_run

Shares: TypeAlias = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Preference:
    """The answers to a value check by one judge.

    Attributes:
        check: its id.
        values: of the check, `otherwise` last.
        before: for each agent asked the share of every value, 0..1, 1 in all.
        after: the same at the end.
        by: `rule`, or `model:` and the model's name.
        otherwise: the word for answers that have none of the values.
    """

    check: str
    values: tuple[str, ...]
    before: Shares
    after: Shares
    by: str = RULE
    otherwise: str = "none"

    @property
    def leanings(self) -> dict[str, tuple[str, str]]:
        """Who leaned one way both before and after, and which ways; the unsettled are not in."""
        found = {}
        for agent in self.before:
            old, new = (find_leaning(end.get(agent, {})) for end in (self.before, self.after))
            if old is not None and new is not None:
                found[agent] = old, new
        return found

    @property
    def changed(self) -> dict[str, tuple[str, str]]:
        """Those of `leanings` who leaned another way after."""
        return {agent: (old, new) for agent, (old, new) in self.leanings.items() if old != new}


@once_per_run
def compute_preferences(data: RunData) -> tuple[Preference, ...]:
    """Return the preferences of a run as far as it is recorded; see `tally_preferences`."""
    return tally_preferences(data.scenario, find_verdicts(data))


def tally_preferences(scenario: Scenario, given: Iterable[Verdict]) -> tuple[Preference, ...]:
    """Return the preferences of each value check, by the rule and then by the models' names.

    Judges who have no opinion on any answer of a check are left out.
    """
    told: dict[tuple[str, str], list[Verdict]] = {}
    for one in given:
        if one.value is not None:
            told.setdefault((one.check, one.by), []).append(one)
    judges = sorted({by for _, by in told}, key=lambda by: (by != RULE, by))
    return tuple(
        _tally_one(check, told[check.id, by], by)
        for check in scenario.checks
        for by in judges
        if isinstance(check, ValueCheck) and (check.id, by) in told
    )


def find_leaning(shares: Mapping[str, float]) -> str | None:
    """Return the value with a share of at least one half; None without one, or with two."""
    strong = [value for value, share in shares.items() if 2 * share >= 1]
    return strong[0] if len(strong) == 1 else None


def _tally_one(check: ValueCheck, given: Iterable[Verdict], by: str) -> Preference:
    named = dict.fromkeys(value.value for value in check.values if value.value != check.otherwise)
    values = (*named, check.otherwise)
    ends: dict[str, dict[str, dict[str, float]]] = {when: {} for when in ENDS}
    counts = Counter((one.when, one.agent, one.value) for one in given if one.value in values)
    for when, agent, _ in counts:
        mine = {value: counts[when, agent, value] for value in values}
        ends[when][agent] = {value: n / sum(mine.values()) for value, n in mine.items()}
    return Preference(check.id, values, ends["before"], ends["after"], by, check.otherwise)


_LYFE = "Lyfe Agents (Kaiya et al. 2023), sections 5.1.1 and 5.2"


@measure("Change of opinion", "share", _LYFE)
def changed(data: RunData) -> dict[str, float | None]:
    """Of the agents who lean to one value of the check both before and after the run, the share who
    lean to another one after. One for each value check, by its rules; none where nobody leans at
    both ends.
    """
    found = {
        one.check: ratio(len(one.changed), len(one.leanings))
        for one in compute_preferences(data)
        if one.by == RULE
    }
    checks = (check for check in data.scenario.checks if isinstance(check, ValueCheck))
    return {check.id: found.get(check.id) for check in checks}
