"""Reading each run file once: its measures, what is drawn of it, and what stands on its page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env.errors import RecordError
from genagents_env.evaluate.checks import find_verdicts
from genagents_env.evaluate.measures import Measure, find_measures, take_measures
from genagents_env.evaluate.measures.diffusion import compute_curves
from genagents_env.evaluate.measures.partners import count_partners
from genagents_env.evaluate.measures.places import compute_occupancy
from genagents_env.evaluate.outcome_text import format_outcomes
from genagents_env.evaluate.rates import GAME_SPEED, Tariff
from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.run_summary import RunSummary, summarize
from genagents_env.evaluate.run_text import format_findings
from genagents_env.record import RunReader
from genagents_env.record.canonical import canonical_hash
from genagents_env.report.trial import MeasuredTrial, PlotData, RunNarrative, TimedAnswer, Usage
from genagents_env.scenario.digest import digest_scenario
from genagents_env.show.transcript import format_transcript
from genagents_env.sweep.folder import SweepFolder

OnRead = Callable[[int, int], None]  # runs read, of how many

MOST_LINES = 2000  # of a transcript on a page; the run file has them all
_BATCH = 8  # runs that a process reads before it hands them over


def read_runs(
    paths: Iterable[Path], priced_as: Tariff | None = None, speed: float = GAME_SPEED
) -> list[RunSummary]:
    """Return the summary of each run file, each once; see `summarize` for the arguments.

    Raises:
        RecordError: one cannot be read.
    """
    summaries = []
    for path in dict.fromkeys(paths):
        with RunReader(path) as reader:
            summaries.append(summarize(reader, priced_as, speed))
    return summaries


def read_sweep(
    folder: SweepFolder, measures: Sequence[str], on_read: OnRead | None = None, workers: int = 1
) -> Iterator[MeasuredTrial]:
    """Yield every trial of a sweep in order, measured as far as its file can be read.

    Args:
        folder: of the sweep.
        measures: names, as `find_measures` takes them.
        on_read: called after every run with how many are read, and of how many.
        workers: processes that read.
    """
    trials = tuple(_list_trials(folder))
    found: Iterable[MeasuredTrial]
    if workers > 1 and len(trials) > 1:
        found = _read_in_processes(trials, measures, folder.base, workers)
    else:
        found = _read_trials(trials, measures, folder.base)
    for number, trial in enumerate(found, 1):
        if on_read is not None:
            on_read(number, len(trials))
        yield trial


def _list_trials(folder: SweepFolder) -> Iterator[MeasuredTrial]:
    for trial, how in zip(folder.trials, folder.read_statuses(), strict=True):
        yield MeasuredTrial(
            trial.name,
            trial.condition,
            trial.seed,
            trial.identity,
            folder.run_file(trial),
            how.state,
            how.status,
            how.tick,
            how.problem,
        )


def _read_in_processes(
    trials: Sequence[MeasuredTrial], measures: Sequence[str], base: Path, workers: int
) -> Iterator[MeasuredTrial]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=workers, return_as="generator")
    batches = [trials[k : k + _BATCH] for k in range(0, len(trials), _BATCH)]
    for batch in parallel(delayed(_read_batch)(own, tuple(measures), base) for own in batches):
        yield from batch


def _read_batch(
    trials: Sequence[MeasuredTrial], measures: Sequence[str], base: Path
) -> list[MeasuredTrial]:
    return list(_read_trials(trials, measures, base))


def _read_trials(
    trials: Iterable[MeasuredTrial], measures: Sequence[str], base: Path
) -> Iterator[MeasuredTrial]:
    found = find_measures(measures, base)[0] if measures else ()
    for trial in trials:
        yield read_trial(trial, found)


def read_trial(trial: MeasuredTrial, measures: Sequence[Measure]) -> MeasuredTrial:
    """Return the trial with what its file holds.

    A file that cannot be read, or does not match its checksums, makes it a damaged one that says
    so; a trial without a file stays as it is.
    """
    if trial.state in ("due", "damaged") or not trial.file.is_file():
        return trial
    try:
        digest = canonical_hash(trial.file)  # first: it checks what the rest depends on
        with RunReader(trial.file) as reader:
            found = _measure(trial, RunData(reader), measures)
    except RecordError as error:
        return replace(trial, state="damaged", problem=str(error))
    return replace(found, hash=digest) if found.counted else found


def _measure(trial: MeasuredTrial, data: RunData, measures: Sequence[Measure]) -> MeasuredTrial:
    values, faults = take_measures(data, measures)
    return replace(
        trial,
        scenario=digest_scenario(data.meta.scenario),
        versions=dict(data.meta.versions),
        usage=_sum_usage(data.reader),
        degradation=data.reader.find_degradation(),
        prompt_cuts=data.reader.find_prompt_cuts(),
        model_changes=tuple(data.reader.find_model_changes()),
        uses=data.reader.list_faculty_uses(),
        values=values,
        unmeasured=faults,
        plot_data=_find_plot_data(data),
        narrative=_narrate(data, data.reader.time),
        verdicts=tuple(find_verdicts(data)),
    )


def _sum_usage(reader: RunReader) -> Usage:
    spent, spending = reader.sum_calls(), reader.spending
    return Usage(
        spent.calls,
        spent.prompt_tokens + spent.completion_tokens,
        spent.fallbacks,
        None if spent.dollars is None else float(spent.dollars),
        None if spending is None else spending.seconds,
    )


def _find_plot_data(data: RunData) -> PlotData:
    names, counts = count_partners(data)
    arenas, _, stays = compute_occupancy(data)  # a row for each arena
    return PlotData(
        tuple(names),
        _list_rows(counts),
        tuple(arenas),
        _list_rows(stays.T),
        {
            fact: tuple((float(second), float(known)) for second, known in steps)
            for fact, steps in compute_curves(data).items()
        },
        float(data.last_tick * data.meta.seconds_per_tick),
    )


def _list_rows(
    matrix: npt.NDArray[np.int64] | npt.NDArray[np.float64],
) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in matrix)


def _narrate(data: RunData, time: Callable[[int], datetime]) -> RunNarrative:
    summary = summarize(data)
    findings = (
        *format_findings(summary.findings),
        *format_outcomes(summary.outcomes, summary.agreements, summary.flows, summary.preferences),
    )
    happened = format_transcript(data.events, time)
    first = tuple(islice(happened, MOST_LINES))
    answers = tuple(
        TimedAnswer(f"{time(one.tick):%a %H:%M}", one.agent, one.question, one.repeat, one.answer)
        for one in data.interviews
    )
    return RunNarrative(findings, first, len(first) + sum(1 for _ in happened), answers)
