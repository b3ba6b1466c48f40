"""Reading one run file once: its measures, what is drawn of it, and what stands on its page."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from genagents_env.errors import RecordError
from genagents_env.evaluate.checks import verdicts
from genagents_env.evaluate.measures import Measure, find_measures, take
from genagents_env.evaluate.measures.diffusion import curves
from genagents_env.evaluate.measures.partners import count_partners
from genagents_env.evaluate.measures.places import occupancy
from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.run_summary import summarize
from genagents_env.evaluate.summary_lines import lines, outcome_lines
from genagents_env.evaluate.transcript import transcript
from genagents_env.record import RunReader
from genagents_env.record.canonical import canonical_hash
from genagents_env.report.trial import MeasuredTrial, PlotData, RunNarrative, TimedAnswer, Usage

MOST_LINES = 2000  # of a transcript on a page; the run file has them all


def read_trials(
    runs: Sequence[MeasuredTrial], names: Sequence[str], base: Path
) -> list[MeasuredTrial]:
    """Return the runs with what their files tell: the work of a process, which finds measures once.

    Args:
        runs: what is known of each so far.
        names: of the measures, as `find_measures` takes them.
        base: to which their paths belong.
    """
    measures, _ = find_measures(names, base)
    return [read_trial(run, measures) for run in runs]


def read_trial(run: MeasuredTrial, measures: Sequence[Measure]) -> MeasuredTrial:
    """Return the run with what its file tells.

    A file that cannot be read, or does not match its checksums, makes it a damaged run that says
    so; a trial without a file stays as it is.
    """
    if run.state in ("due", "damaged") or not run.file.is_file():
        return run
    try:
        digest = canonical_hash(run.file)  # before anything else: it checks what the rest rests on
        with RunReader(run.file) as reader:
            found = _measure(run, reader, measures)
    except RecordError as error:
        return replace(run, state="damaged", problem=str(error))
    return replace(found, hash=digest) if found.counted else found


def _measure(run: MeasuredTrial, reader: RunReader, measures: Sequence[Measure]) -> MeasuredTrial:
    record = RunData(reader)
    values, faults = take(record, measures)
    meta = reader.meta
    return replace(
        run,
        scenario=sha256(meta.rows()["scenario"].encode()).hexdigest(),
        versions=dict(meta.versions),
        usage=_sum_usage(reader),
        values=values,
        unmeasured=faults,
        plot_data=_find_plot_data(record),
        narrative=_narrate(record, reader.time),
        verdicts=tuple(verdicts(record)),
    )


def _sum_usage(reader: RunReader) -> Usage:
    spent, spending = reader.spent(), reader.spending
    return Usage(
        spent.calls,
        spent.prompt_tokens + spent.completion_tokens,
        spent.fallbacks,
        spent.degraded,
        None if spent.dollars is None else float(spent.dollars),
        None if spending is None else spending.seconds,
    )


def _find_plot_data(record: RunData) -> PlotData:
    names, counts = count_partners(record)
    arenas, _, stays = occupancy(record)  # a row for each arena
    return PlotData(
        tuple(names),
        _rows(counts),
        tuple(arenas),
        _rows(stays.T),
        {
            fact: tuple((float(second), float(known)) for second, known in steps)
            for fact, steps in curves(record).items()
        },
        float(record.last_tick * record.meta.seconds_per_tick),
    )


def _rows(matrix: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in matrix)


def _narrate(record: RunData, time: Callable[[int], Any]) -> RunNarrative:
    told = summarize(record)
    found = (
        *lines(told.findings),
        *outcome_lines(told.outcomes, told.agreements, told.flows, told.preferences),
    )
    happened = transcript(record.events, time)
    first = tuple(islice(happened, MOST_LINES))
    answers = tuple(
        TimedAnswer(f"{time(one.tick):%a %H:%M}", one.agent, one.question, one.repeat, one.answer)
        for one in record.interviews
    )
    return RunNarrative(found, first, len(first) + sum(1 for _ in happened), answers)
