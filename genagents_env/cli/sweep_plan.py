"""What `genagents sweep --dry-run` says: the runs of an experiment, and what they will take."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genagents_env.report.table import CellValue
    from genagents_env.sweep import Forecast, SweepFolder

_COLUMNS = ("condition", "runs", "still due", "calls", "tokens", "$", "hours")
_NOTE = "Of all runs, reckoned from those that are finished. Hours are those of one worker."


def format_plan(
    folder: "SweepFolder", piloted: "SweepFolder", workers: int | None
) -> Iterator[str]:
    """Yield the conditions of an experiment, with what all their runs will take.

    Args:
        folder: of the sweep.
        piloted: where the pilots were run: the same, or that of another model.
        workers: at once; None is one for each core.
    """
    from genagents_env.report.table import Table
    from genagents_env.sweep import count_cores, forecast_conditions

    found = forecast_conditions(piloted)
    rows = [_make_row(one) for one in found]
    seconds = _sum_known(one.seconds for one in found)
    rows.append(_make_total(found, seconds))
    yield from Table("plan", folder.experiment.name, _COLUMNS, tuple(rows), _NOTE).format_lines()
    if seconds is not None:
        at_once = workers or count_cores()
        yield f"About {_format_duration(seconds / at_once)} with {at_once} at once."
    if piloted is not folder:
        yield "The pilots asked another model: calls are alike, the rest may be far off."
    yield f"Nothing more was lived. Go on with: genagents sweep --resume {folder.path}"


def costs_nothing(folder: "SweepFolder") -> bool:
    """Return whether asking the models of a sweep costs nothing, as far as one can know."""
    from genagents_env.llm.open import costs_nothing as free

    return all(free(model) for model in sorted({trial.model for trial in folder.trials}, key=str))


def _make_row(one: "Forecast") -> "tuple[CellValue, ...]":
    hours = None if one.seconds is None else one.seconds / 3600
    return one.condition, one.trials, one.due, one.calls, one.tokens, one.dollars, hours


def _make_total(found: "Iterable[Forecast]", seconds: float | None) -> "tuple[CellValue, ...]":
    found = list(found)
    return (
        "all",
        sum(one.trials for one in found),
        sum(one.due for one in found),
        _sum_known(one.calls for one in found),
        _sum_known(one.tokens for one in found),
        _sum_known(one.dollars for one in found),
        None if seconds is None else seconds / 3600,
    )


def _sum_known(values: Iterable[float | None]) -> float | None:
    """Return the sum where every part of it is known."""
    parts = list(values)
    known = [value for value in parts if value is not None]
    return sum(known) if parts and len(known) == len(parts) else None


def _format_duration(seconds: float) -> str:
    minutes = -(-seconds // 60)
    return f"{minutes / 60:.1f} hours" if minutes >= 100 else f"{minutes:.0f} min"
