"""What a sweep will take, from those of its runs that are finished."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from genagents_env.errors import RecordError
from genagents_env.record import RunReader
from genagents_env.record.spending import Spending
from genagents_env.study.sweep.design.trials import Trial
from genagents_env.study.sweep.folder import SweepFolder


@dataclass(frozen=True)
class Forecast:
    """What all trials of a condition take together, from the mean of its finished ones.

    Attributes:
        condition: its name.
        trials: how many it has.
        due: how many of these are not finished.
        pilots: how many are, and are the basis of the forecast.
        calls: of models, attempts that failed, interviews and judging included; None without
            pilots, as are the others.
        tokens: read and written.
        dollars: None also where the price is not known.
        hours: of wall clock, one run after the other.
    """

    condition: str
    trials: int
    due: int
    pilots: int
    calls: float | None
    tokens: float | None
    dollars: float | None
    hours: float | None


def choose_pilots(folder: SweepFolder) -> tuple[Trial, ...]:
    """Return the trials with the first seed of each condition, in their order."""
    return folder.trials[: len(folder.plan.conditions)]


def forecast_conditions(folder: SweepFolder) -> tuple[Forecast, ...]:
    """Return what each condition takes, in the order of the experiment."""
    states = {one.trial: one.state for one in folder.read_statuses()}
    conditions = folder.plan.conditions
    found = []
    for place, condition in enumerate(conditions):
        trials = folder.trials[place :: len(conditions)]  # one a seed
        finished = [folder.run_file(one) for one in trials if states[one.name] == "finished"]
        found.append(_forecast_condition(condition.name, len(trials), finished))
    return tuple(found)


def read_cost(path: Path) -> tuple[Spending, bool]:
    """Return what a finished run took, with what judged it, and whether its dollars are known.

    Raises:
        RecordError: the file is missing or damaged.
    """
    with RunReader(path) as run:
        spent = sum(run.later_spending.values(), run.spending or Spending())
        return spent, run.price is not None or not spent.total.calls


def _forecast_condition(name: str, many: int, finished: Sequence[Path]) -> Forecast:
    costs = []
    for path in finished:
        with suppress(RecordError):  # damaged inside; the report says so
            costs.append(read_cost(path))
    totals = [one.total for one, _ in costs]
    return Forecast(
        name,
        many,
        many - len(finished),
        len(costs),
        _extrapolate([one.calls for one in totals], many),
        _extrapolate([one.tokens for one in totals], many),
        _extrapolate([float(one.dollars) for one in totals if all(k for _, k in costs)], many),
        _extrapolate([one.seconds / 3600 for one, _ in costs], many),
    )


def _extrapolate(values: Sequence[float], many: int) -> float | None:
    return fmean(values) * many if values else None
