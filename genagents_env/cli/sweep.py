"""`genagents sweep`: every run of an experiment file, once, and the report of them all."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli import options as opt
from genagents_env.cli.judge import judge_sweep
from genagents_env.cli.progress import format_hours, show_sweep_progress
from genagents_env.cli.report import measure_folder
from genagents_env.cli.runs import warn_of_unused_models
from genagents_env.cli.screen import print_json, say, say_lines, warn
from genagents_env.errors import ConfigError, LLMRefused, ModelOutage, RecordError
from genagents_env.llm.open import costs_nothing
from genagents_env.record.degradation import DEGRADED_EXIT
from genagents_env.record.rows import JSON
from genagents_env.study.evaluate.measures import find_measures, load_measure
from genagents_env.study.report import write_report
from genagents_env.study.report.measuring import make_study_plan, measure_study
from genagents_env.study.report.table import Table
from genagents_env.study.stats.effects import count_needed_seeds, list_contrasts
from genagents_env.study.sweep import (
    SweepFolder,
    SweepOptions,
    SweepResult,
    load_experiment,
)
from genagents_env.study.sweep import sweep as run_sweep
from genagents_env.study.sweep.design.cells import Cell
from genagents_env.study.sweep.design.experiment import split_primary
from genagents_env.study.sweep.measured import Usage
from genagents_env.study.sweep.progress import format_degraded
from genagents_env.study.sweep.single import run_single
from genagents_env.study.sweep.trial_status import StudyRun

_CHANGES = "Changes to the experiment file"
_MACHINE = "Execution"
app = typer.Typer()
_PLAN_COLUMNS = ("condition", "runs", "still due", "calls", "tokens", "$", "hours")
_PLAN_NOTE = (
    "Of all runs, estimated from those that are finished: calls without those asked again, tokens "
    "without those of interviews and judging after the end. Hours are those of one worker."
)


@app.command()
def sweep(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="EXPERIMENT|DIR",
            help="The experiment file, such as study.toml; or the folder of a sweep to continue.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the runs; by default `sweeps/NAME`, with the experiment's name."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="List the runs and their cost and time, estimated from pilot runs."
        ),
    ] = False,
    pilot: Annotated[
        bool,
        typer.Option("--pilot", help="In a dry run, ask the model even if it may cost money."),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=1024, help="Runs at once; by default one per core.", rich_help_panel=_MACHINE
        ),
    ] = None,
    backend: Annotated[
        str,
        typer.Option(
            help="`loky` (this machine) or `ray` (many machines).", rich_help_panel=_MACHINE
        ),
    ] = "loky",
    model: opt.Model = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Seeds 0 to N-1.", rich_help_panel=_CHANGES)
    ] = None,
    hours: Annotated[
        float | None, typer.Option(help="Simulated hours of each run.", rich_help_panel=_CHANGES)
    ] = None,
    limit: opt.SweepLimit = None,
    endpoint: opt.Endpoint = None,
    strict: opt.Strict = False,
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway",
            help="Go on after a first seed that shows no answer; run anew what was paid for before "
            "a change.",
            rich_help_panel=_MACHINE,
        ),
    ] = False,
    trial: Annotated[
        str | None,
        typer.Option(
            metavar="K",
            help="Run only this run of a folder: its number from 0, or its name. So any scheduler "
            "can carry a study.",
            rich_help_panel=_MACHINE,
        ),
    ] = None,
    as_json: opt.ResultAsJson = False,
) -> None:
    """Run an experiment and write its report.

    Finished runs are not repeated, killed or stopped ones continue from their checkpoints, and new
    levels or seeds in the file are added. The first seed runs first: where two levels lead the
    same lives in it, all runs of one are degraded, or none has the primary value, the sweep stops
    and says so.

    Begin with: genagents sweep examples/studies/gossip.toml
    """
    most = opt.parse_budget(limit, opt.SWEEP_LIMITS)
    changes = {
        "model": model,
        "seeds": seeds,
        "hours": hours,
        **{f"max_{key}": value for key, value in most.items()},
        **opt.parse_endpoint(endpoint),
    }
    changes = {key: value for key, value in changes.items() if value is not None}
    if model is not None and model.endswith(".gguf") and Path(model).is_file():
        changes["model"] = str(Path(model).resolve())
    if dry_run and as_json:
        raise ConfigError("--json: of what came of a sweep; a dry run only plans one")
    if trial is not None:
        if dry_run or changes:
            raise ConfigError("--trial: it runs what the folder says; change that without it first")
        _run_trial(source, trial, strict=strict, anyway=anyway, as_json=as_json)
    opt.refuse_without({"--pilot": pilot}, "--dry-run", dry_run)
    folder = _open_folder(source, out, changes)
    try:
        unknown = _warn(folder)
    except ConfigError:
        folder.discard_unused()
        raise
    options = SweepOptions(workers, backend, strict=strict, anyway=anyway)
    if dry_run:
        _print_plan(folder, options, may_pay=pilot)
        return
    result = run_folder(folder, options)
    code = result.exit_code
    if folder.experiment.judges and result.finished and code in (0, DEGRADED_EXIT):
        code = judge_sweep(folder, aside=as_json) or code
        with folder.open_ledger() as ledger:
            result = replace(result, spent=ledger.spent)
    if not as_json:
        _print_result(result)
    results = measure_folder(folder, workers=workers, printed=unknown, trust_measures=True)
    page, *_ = write_report(results, tell=warn)
    if as_json:
        print_json({**result.as_json(), "exit_code": code, "report": str(page)})
    else:
        say(f"Report: {page}")
    raise typer.Exit(code)


def _run_trial(path: Path, trial: str, *, strict: bool, anyway: bool, as_json: bool) -> None:
    """Run one trial of a folder, and exit as `genagents run` does."""
    if path.is_file():
        raise ConfigError(f"--trial: {path} is a file; name the folder of its sweep")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # other trials may run beside it
    result = run_single(SweepFolder(path), trial, strict=strict, anyway=anyway)
    why = result.message.partition("; go on with `genagents resume")[0]  # it knows no sweep
    again = f"; go on with `genagents sweep {path} --trial {trial}`"
    if as_json:
        print_json({"trial": result.trial, "state": result.state, "hash": result.hash})
    else:
        told = f"{result.trial}: {result.status}{f', {why}' if why else ''}"
        say(told + (again if result.state == "stopped" else ""))
    raise typer.Exit({"finished": 0, "stopped": 75, "failed": 1}[result.state])


def _open_folder(source: Path, out: Path | None, changes: dict[str, JSON]) -> SweepFolder:
    """Return the folder `source`, or a new one for that experiment file."""
    if source.is_dir():
        if out is not None:
            raise ConfigError(f"--out: {source} is a folder, in which its sweep goes on")
        have, wanted = len(SweepFolder(source).experiment.seeds), changes.get("seeds")
        if wanted is not None and wanted < have:
            raise ConfigError(
                f"--seeds {wanted}: {source} has {have} already, which are kept; more can be "
                "added, and fewer go into another folder, from the experiment file with --out"
            )
        return SweepFolder.reopen(source, changes)
    if out is None:
        out = Path("sweeps") / load_experiment(source).name
    return SweepFolder.create(out, source, changes)


def _warn(folder: SweepFolder) -> tuple[str, ...]:
    """Print what is wrong with the experiment; return the unknown measures."""
    experiment = folder.experiment
    for words in experiment.primary:
        if not words.startswith("judge."):
            load_measure(split_primary(words)[0], folder.base)  # unknown, it could decide nothing
    _, unknown = find_measures(experiment.list_measures(), folder.base)
    _say_family(folder)
    for problem in unknown:
        warn(f"{problem}; the study goes on without it")
    if unknown_runs := folder.find_unknown_runs():
        say(
            f"genagents: in {folder.runs} there are run files of no run of this experiment any "
            f"more ({len(unknown_runs):,}: a level, the scenario or a policy has changed since); "
            "they are kept, and not used",
            error=True,
        )
    warn_of_models(folder)
    return unknown


def warn_of_models(folder: SweepFolder) -> None:
    """Say which models of the experiment no policy asks."""
    warn_of_unused_models((one.model, one.policies) for one in folder.cells if one.model)


def _say_family(folder: SweepFolder) -> None:
    """Say how many primary comparisons there are, and how many seeds these need."""
    plan = make_study_plan(folder)
    comparisons = list(list_contrasts(plan.levels, plan.baseline))
    tests = sum(e in ("", one.factor) for _, e in plan.primary for one in comparisons)
    if not tests:
        return
    seeds, needed = len(plan.seeds), count_needed_seeds(tests)
    few = f"{needed} are needed to find just one of so many"
    say(
        f"genagents: {tests} primary comparison{'' if tests == 1 else 's'} (more where a measure "
        f"has a number for each fact), {seeds} seed{'' if seeds == 1 else 's'}: "
        f"{'each can be found' if seeds >= needed else few}",
        error=True,
    )


def run_folder(folder: SweepFolder, options: SweepOptions, runs: str = "runs") -> SweepResult:
    """Run the trials of a sweep's folder, called `runs` in the progress.

    A new folder in which none could begin is removed.
    """
    with show_sweep_progress(runs) as watch:
        try:
            return run_sweep(folder, replace(options, watch=watch))
        except (ConfigError, LLMRefused, ModelOutage, RecordError):
            folder.discard_unused()
            raise


def _print_plan(folder: SweepFolder, options: SweepOptions, *, may_pay: bool) -> None:
    """Print the runs with what they will take, from pilots where these may be run."""
    if may_pay or all(map(_is_free, folder.cells)):
        trials = frozenset(trial.name for trial in folder.pilots)
        result = run_folder(folder, replace(options, trials=trials, strict=False), "pilot runs")
        for problem in result.problems:
            warn(problem)
    else:
        warn(
            "no pilots were run, since the model may cost money: --pilot runs the first seed of "
            "each condition all the same (they are kept); --model scripted:neighbour with another "
            "--out asks a free stand-in"
        )
    say_lines(_format_plan(folder, options.count_workers()))


def _is_free(cell: Cell) -> bool:
    """Return True if a condition's models cost nothing, as far as is known."""
    asked, price = cell.options, cell.options.model_options.price
    models = (asked.model, *(asked.model_for or {}).values())
    return all(costs_nothing(model, price) for model in models)


def _print_result(result: SweepResult) -> None:
    spent, degraded = result.spent, format_degraded(result.degraded)
    say(f"{result.finished} of {result.total} runs are finished{degraded} ({result.folder})")
    if spent.calls:
        dollars = f", ${spent.dollars:.4f}" if spent.dollars else ""
        say(f"{spent.calls:,} calls, {spent.tokens:,} tokens{dollars} in this folder so far")
    for problem in (*result.problems, *([result.message] if result.exit_code else [])):
        warn(problem)


def _format_plan(folder: SweepFolder, workers: int) -> Iterator[str]:
    """Yield the conditions of an experiment, with what all their runs will take."""
    study = measure_study(folder)
    rows = {name: _forecast(runs) for name, runs in study.conditions.items()}
    rows["all"] = tuple(_sum_known(column) for column in zip(*rows.values(), strict=True))
    cells = tuple((name, *row) for name, row in rows.items())
    yield from Table("plan", study.plan.name, _PLAN_COLUMNS, cells, _PLAN_NOTE).format_lines()
    if (hours := rows["all"][-1]) is not None:
        yield f"About {format_hours(hours / workers)} with {workers} at once."
    yield from study.describe_power()
    yield f"No further runs were made. Go on with: genagents sweep {folder.path}"


def _forecast(runs: Sequence[StudyRun]) -> tuple[float | None, ...]:
    """Return how many runs a condition has, how many are due, and calls, tokens, dollars, hours.

    These are of all runs, by the mean of the finished; None where nothing is known.
    """
    done = [run.measured.usage for run in runs if run.measured is not None and not run.earlier]
    sums = (_sum_known(column) for column in zip(*map(_list_costs, done), strict=True))
    means = [None if one is None else one / len(done) * len(runs) for one in sums]
    return len(runs), len(runs) - len(done), *(means or [None] * 4)


def _list_costs(usage: Usage) -> tuple[float | None, ...]:
    dollars = usage.dollars if usage.calls else 0.0
    return (
        usage.calls + (usage.later_calls or 0),
        usage.tokens,
        None if dollars is None else dollars + (usage.later_dollars or 0.0),
        None if usage.seconds is None else usage.seconds / 3600,
    )


def _sum_known(values: Sequence[float | None]) -> float | None:
    """Return the sum where every part of it is known."""
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
