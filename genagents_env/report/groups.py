"""Runs of one condition: same scenario, people, policy and model; means over their seeds."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from genagents_env.evaluate.measures.lengths import standard_error
from genagents_env.evaluate.measures.preferences import Preference, Shares
from genagents_env.evaluate.measures.success import SuccessOutcome
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.sweep.design.experiment import DegradedRuns

Kind: TypeAlias = tuple[str, tuple[str, ...], str, str | None]  # the first fields of a RunGroup


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over `n` runs; `sem` is its standard error, None for a single run."""

    value: float
    sem: float | None
    n: int


def average(values: Iterable[float | None]) -> Mean | None:
    """Return the mean of the values that are known; None where none is."""
    known = [value for value in values if value is not None]
    return Mean(fmean(known), standard_error(known), len(known)) if known else None


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs of one condition, in the order given: run files have no plan that names it.

    Attributes:
        scenario: its name.
        people: who took part, by name, in the order of the runs.
        policy: its label, see `evaluate.labels.format_policies`.
        model: its name, or None.
        summaries: all of them.
        cast: 1; more where others of the same number took part in runs before.
    """

    scenario: str
    people: tuple[str, ...]
    policy: str
    model: str | None
    summaries: tuple[RunSummary, ...]
    cast: int = 1
    degraded: DegradedRuns = "exclude"

    @property
    def mind(self) -> str:
        """Policy and model in words; further casts of the same size are numbered."""
        model = f", {self.model}" if self.model is not None else ""
        return f"{self.policy}{model}" + (f", cast {self.cast}" if self.cast > 1 else "")

    @property
    def place(self) -> str:
        """Scenario and number of agents in words."""
        return f"{self.scenario}, {len(self.people)} agent{'' if len(self.people) == 1 else 's'}"

    @property
    def label(self) -> str:
        """Its label in figures."""
        return f"{self.place}: {self.mind}"

    @property
    def counted(self) -> tuple[RunSummary, ...]:
        """The finished runs, or all where none is: means are taken over these.

        Degraded ones are left out, unless they are included.
        """
        done = tuple(one for one in self.summaries if one.rates.finished)
        return tuple(one for one in done or self.summaries if self._is_whole(one))

    @property
    def first(self) -> RunSummary:
        """The run that is drawn where one stands for all: the first that is counted, if any is."""
        return (self.counted or self.summaries)[0]

    @property
    def excluded(self) -> tuple[RunSummary, ...]:
        """The finished runs that are in no mean: they are degraded."""
        kept = {id(one) for one in self.counted}
        return tuple(one for one in self.summaries if one.rates.finished and id(one) not in kept)

    def _is_whole(self, summary: RunSummary) -> bool:
        return self.degraded == "include" or not summary.degradation.degraded


def group_runs(
    summaries: Sequence[RunSummary], degraded: DegradedRuns = "exclude"
) -> tuple[RunGroup, ...]:
    """Return the groups of `summaries`, in the order in which each first appears.

    Args:
        summaries: of run files.
        degraded: whether degraded runs are counted.
    """
    kinds: dict[Kind, list[RunSummary]] = {}
    for summary in summaries:
        kind = summary.rates.scenario, summary.people, summary.rates.policy, summary.rates.model
        kinds.setdefault(kind, []).append(summary)
    return tuple(
        RunGroup(*kind, tuple(own), _number_cast(kind, list(kinds)), degraded)
        for kind, own in kinds.items()
    )


def _number_cast(kind: Kind, kinds: Iterable[Kind]) -> int:
    """Return the number of this cast among those of its size in its scenario, from 1."""
    alike = (people for scenario, people, *_ in kinds if scenario == kind[0])
    casts = dict.fromkeys(people for people in alike if len(people) == len(kind[1]))
    return list(casts).index(kind[1]) + 1


@dataclass(frozen=True, slots=True)
class SuccessRate:
    """A success in a group, by one judge: means over runs of the share of interviews with it."""

    scenario: str
    people: int
    mind: str
    success: str
    title: str
    by: str
    before: Mean | None
    after: Mean | None
    majorities: int
    decided: int

    @property
    def label(self) -> str:
        """Policy, model and judge in words."""
        return f"{self.mind}, by {self.by}"


def average_successes(groups: Iterable[RunGroup]) -> Iterator[SuccessRate]:
    """Yield the successes of each group, by every judge.

    `majorities` counts the runs in which the majority succeeded after it, of the `decided`.
    """
    for group in groups:
        found = [one for summary in group.counted for one in summary.outcomes]
        for success, by in dict.fromkeys((one.success, one.by) for one in found):
            mine = [one for one in found if (one.success, one.by) == (success, by)]
            yield _average_success(group, mine)


def _average_success(group: RunGroup, mine: Sequence[SuccessOutcome]) -> SuccessRate:
    verdicts = [one.majority for one in mine if one.when == "after" and one.majority is not None]
    return SuccessRate(
        group.scenario,
        len(group.people),
        group.mind,
        mine[0].success,
        mine[0].title,
        mine[0].by,
        average(one.share for one in mine if one.when == "before"),
        average(one.share for one in mine if one.when == "after"),
        sum(verdicts),
        len(verdicts),
    )


@dataclass(frozen=True, slots=True)
class FlowRate:
    """How far a fact spread in a group: means over runs of the three probabilities."""

    label: str
    fact: str
    receive: Mean | None
    store: Mean | None
    retrieve: Mean | None


def average_flows(groups: Iterable[RunGroup]) -> Iterator[FlowRate]:
    """Yield the flow of every fact of each group."""
    for group in groups:
        found = [flow for summary in group.counted for flow in summary.flows]
        for fact in dict.fromkeys(flow.fact for flow in found):
            mine = [flow for flow in found if flow.fact == fact]
            yield FlowRate(
                group.label,
                fact,
                average(flow.p_receive for flow in mine),
                average(flow.p_store for flow in mine),
                average(flow.p_retrieve for flow in mine),
            )


@dataclass(frozen=True, slots=True)
class CostRate:
    """What a group cost: means over runs of calls per hour awake and dollars per human hour."""

    mind: str
    place: str
    calls: Mean | None
    dollars: Mean | None


def average_costs(groups: Iterable[RunGroup]) -> Iterator[CostRate]:
    """Yield the cost of each group."""
    for group in groups:
        yield CostRate(
            group.mind,
            group.place,
            average(summary.rates.waking.calls_per_hour for summary in group.counted),
            average(summary.rates.dollars_per_human_hour for summary in group.counted),
        )


def list_preferences(group: RunGroup) -> Iterator[tuple[Preference, ...]]:
    """Yield for each value check and judge the preferences of the group's runs that have them."""
    found = [one for summary in group.counted for one in summary.preferences]
    for key in dict.fromkeys((one.check, one.by) for one in found):
        yield tuple(one for one in found if (one.check, one.by) == key)


def average_preferences(preferences: Sequence[Preference]) -> Preference:
    """Return the preferences of one check and judge averaged over runs.

    Args:
        preferences: at least one.
    """
    first = preferences[0]
    before = _average_shares([one.before for one in preferences], first.values)
    after = _average_shares([one.after for one in preferences], first.values)
    return Preference(first.check, first.values, before, after, first.by, first.otherwise)


def _average_shares(ends: Sequence[Shares], values: Sequence[str]) -> dict[str, dict[str, float]]:
    agents = dict.fromkeys(agent for end in ends for agent in end)
    return {
        agent: {
            value: fmean(end[agent].get(value, 0.0) for end in ends if agent in end)
            for value in values
        }
        for agent in agents
    }
