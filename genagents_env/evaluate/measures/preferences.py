"""What people answer before and after a run, how many changed their mind, and who is of one mind.

Definition: a *preference* is the share of each value of a check over the repeats of an interview;
answers without a verdict are left out. One's *leaning* is the value in at least half of them, if
there is only one such. The *affinity* of two people in one run is the probability that they name
the same value, their interviews taken as independent: the sum over the values of the product of
their shares. `otherwise`, the undecided, is no value on which people can agree and adds nothing.
Over several runs it is the mean. On the diagonal stands, by the same formula, the probability that
two interviews of one person name the same value: how settled one is.
Source: Lyfe Agents (Kaiya et al. 2023), section 5.2, appendix D.3, figures 7 and 8. The paper does
not say whether two undecided agree, nor what its diagonal shows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

from genagents_env.evaluate.checks import RULE, Verdict, find_verdicts
from genagents_env.evaluate.measure import measure, ratio
from genagents_env.evaluate.run_data import RunData, once_per_run
from genagents_env.record.rows import JSON
from genagents_env.scenario import Scenario
from genagents_env.scenario.questions import When
from genagents_env.scenario.schema import ValueCheck

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
    def changed(self) -> dict[str, tuple[str, str]]:
        """Who leaned one way before and another after, and which ways; the unsettled are not in."""
        turned = {}
        for agent in self.before:
            old, new = find_leaning(self.before[agent]), find_leaning(self.after.get(agent, {}))
            if old is not None and new is not None and old != new:
                turned[agent] = (old, new)
        return turned

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values, with those who changed their mind."""
        plain = {agent: list(turn) for agent, turn in self.changed.items()}
        return asdict(self) | {"values": list(self.values), "changed": plain}


@dataclass(frozen=True, slots=True)
class Affinity:
    """The affinities over one or several runs; see the module for what they are.

    Attributes:
        check: whose values they are of.
        by: the judge.
        when: at which end.
        agents: the names of rows and columns.
        matrix: symmetric, in 0..1; None for two who were never both asked in one run.
        runs: how many were averaged.
    """

    check: str
    by: str
    when: When
    agents: tuple[str, ...]
    matrix: tuple[tuple[float | None, ...], ...]
    runs: int

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values, the matrix by rows."""
        return asdict(self) | {
            "agents": list(self.agents),
            "matrix": [list(row) for row in self.matrix],
        }


@once_per_run
def compute_preferences(data: RunData) -> tuple[Preference, ...]:
    """Return the preferences of a run as far as it is recorded; see `tally_preferences`."""
    return tally_preferences(data.scenario, find_verdicts(data))


def tally_preferences(scenario: Scenario, given: Iterable[Verdict]) -> tuple[Preference, ...]:
    """Return the preferences of each value check, by the rule and then by the models' names.

    Judges who have no opinion on any answer of a check are left out.

    Args:
        scenario: of the run.
        given: verdicts on its checks.
    """
    told = [verdict for verdict in given if verdict.value is not None]
    judges = sorted({verdict.by for verdict in told}, key=lambda by: (by != RULE, by))
    found = []
    for check in scenario.checks:
        for by in judges:
            mine = [one for one in told if one.check == check.id and one.by == by]
            if isinstance(check, ValueCheck) and mine:
                found.append(_tally_one(check, mine, by))
    return tuple(found)


def find_leaning(shares: Mapping[str, float]) -> str | None:
    """Return the value with a share of at least one half; None without one, or with two."""
    strong = [value for value, share in shares.items() if 2 * share >= 1]
    return strong[0] if len(strong) == 1 else None


def compute_affinity(of: Preference | Sequence[Preference], when: When = "after") -> Affinity:
    """Return the affinities of everyone with everyone, averaged over runs.

    Args:
        of: the preferences of one run, or of several by one check and one judge; at least one.
        when: at which end of the runs.

    Raises:
        ValueError: none is given, or they are of different checks or judges.
    """
    runs = [of] if isinstance(of, Preference) else list(of)
    if len({(one.check, one.by, one.otherwise) for one in runs}) != 1:
        raise ValueError("affinity is of one check by one judge, in at least one run")
    ends = [one.before if when == "before" else one.after for one in runs]
    agents = tuple(dict.fromkeys(agent for end in ends for agent in end))
    otherwise = runs[0].otherwise
    matrix = tuple(tuple(_compare_pair(a, b, ends, otherwise) for b in agents) for a in agents)
    return Affinity(runs[0].check, runs[0].by, when, agents, matrix, len(runs))


def _tally_one(check: ValueCheck, given: Iterable[Verdict], by: str) -> Preference:
    values = dict.fromkeys((*(value.value for value in check.values), check.otherwise))
    ordered = tuple(value for value in values if value != check.otherwise)
    counts: dict[When, dict[str, dict[str, int]]] = {"before": {}, "after": {}}
    for one in given:
        blank = dict.fromkeys((*ordered, check.otherwise), 0)
        if one.value in blank:
            counts[one.when].setdefault(one.agent, blank)[one.value] += 1
    before, after = (
        {agent: _compute_shares(mine) for agent, mine in counts[when].items()}
        for when in ("before", "after")
    )
    return Preference(check.id, (*ordered, check.otherwise), before, after, by, check.otherwise)


def _compute_shares(counts: Mapping[str, int]) -> dict[str, float]:
    whole = sum(counts.values())
    return {value: count / whole for value, count in counts.items()}


def _compare_pair(a: str, b: str, ends: Iterable[Shares], otherwise: str) -> float | None:
    both = [
        sum(share * end[b].get(value, 0.0) for value, share in end[a].items() if value != otherwise)
        for end in ends
        if a in end and b in end
    ]
    return sum(both) / len(both) if both else None


_LYFE = "Lyfe Agents (Kaiya et al. 2023), sections 5.1.1 and 5.2"


def _find_by_rule(data: RunData) -> dict[str, Preference | None]:
    found = {one.check: one for one in compute_preferences(data) if one.by == RULE}
    checks = [check.id for check in data.scenario.checks if isinstance(check, ValueCheck)]
    return {id_: found.get(id_) for id_ in checks}


@measure(
    "changed",
    "Change of opinion",
    "share",
    """Of the agents who lean to one value of the check both before and after the run, the share
    who lean to another one after. One for each value check, by its rules; none where nobody leans
    at both ends.""",
    _LYFE,
)
def share_changed(data: RunData) -> dict[str, float | None]:
    """Return the share by check."""
    return {
        id_: None if one is None else _share_changed(one)
        for id_, one in _find_by_rule(data).items()
    }


@measure(
    "of_one_mind",
    "Of one mind",
    "share",
    """The probability that two agents name the same value after the run, `otherwise` not counted,
    averaged over all pairs. One for each value check, by its rules; none where fewer than two
    answered.""",
    f"{_LYFE}, appendix D.3",
)
def of_one_mind(data: RunData) -> dict[str, float | None]:
    """Return the mean affinity by check."""
    return {
        id_: None if one is None else _mean_affinity(one)
        for id_, one in _find_by_rule(data).items()
    }


def _share_changed(one: Preference) -> float | None:
    both = [
        agent
        for agent in one.before
        if find_leaning(one.before[agent]) is not None
        and find_leaning(one.after.get(agent, {})) is not None
    ]
    return ratio(len(one.changed), len(both))


def _mean_affinity(one: Preference) -> float | None:
    matrix = compute_affinity(one).matrix
    pairs = [
        value
        for row, values in enumerate(matrix)
        for value in values[row + 1 :]
        if value is not None
    ]
    return ratio(sum(pairs), len(pairs))
