"""What a sweep will take, from those of its runs that are finished."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import fmean

from genagents_env.errors import RecordError
from genagents_env.record import RunReader
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
        seconds: of wall clock, one run after the other, without judging.
    """

    condition: str
    trials: int
    due: int
    pilots: int
    calls: float | None
    tokens: float | None
    dollars: float | None
    seconds: float | None


@dataclass(frozen=True)
class RunCost:
    """What one finished run took; `dollars` is None where the price is not known."""

    calls: int
    tokens: int
    dollars: Decimal | None
    seconds: float


def choose_pilots(folder: SweepFolder, seeds: int = 1) -> tuple[Trial, ...]:
    """Return the trials with the first `seeds` seeds of each condition, in their order."""
    return folder.trials[: seeds * len(folder.plan.conditions)]


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


def read_cost(path: Path) -> RunCost:
    """Return what a finished run took, its interviews and its own model's judging included.

    Raises:
        RecordError: the file is missing or damaged.
    """
    with RunReader(path) as run:
        spent, noted = run.sum_calls(), run.spending
        verdicts = [row for row in run.judgements() if row.judge == run.meta.model]
        price = run.price
        read = sum(row.prompt_tokens for row in verdicts)
        written = sum(row.completion_tokens for row in verdicts)
        calls = spent.calls + spent.retries + spent.reasks
        tokens, paid = spent.prompt_tokens + spent.completion_tokens, spent.dollars
    if noted is not None:
        calls, tokens = noted.total.calls, noted.total.tokens
        paid = None if paid is None else noted.total.dollars
    judging = None if price is None else price.cost(read, written)
    dollars = None if paid is None or judging is None else paid + judging
    seconds = 0.0 if noted is None else noted.seconds
    return RunCost(calls + len(verdicts), tokens + read + written, dollars, seconds)


def _forecast_condition(name: str, many: int, finished: Sequence[Path]) -> Forecast:
    costs = []
    for path in finished:
        with suppress(RecordError):  # damaged inside; the report says so
            costs.append(read_cost(path))
    known = [float(cost.dollars) for cost in costs if cost.dollars is not None]
    return Forecast(
        name,
        many,
        many - len(finished),
        len(costs),
        _extrapolate([c.calls for c in costs], many),
        _extrapolate([c.tokens for c in costs], many),
        _extrapolate(known, many) if len(known) == len(costs) else None,
        _extrapolate([c.seconds for c in costs], many),
    )


def _extrapolate(values: Sequence[float], many: int) -> float | None:
    return fmean(values) * many if values else None
