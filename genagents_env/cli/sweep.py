"""`genagents sweep`: every run of an experiment file, once, and the report of them all."""

import json
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.model_flags import (
    NO_FLAGS,
    ModelFlags,
    take_model_flags,
    warn_of_unused_models,
)
from genagents_env.cli.options import (
    Embedder,
    MaxFallbacks,
    Model,
    ModelFor,
    Preflight,
    ResultAsJson,
    Strict,
    parse_choices,
)
from genagents_env.cli.report import measure_folder
from genagents_env.cli.screen import say, warn
from genagents_env.cli.sweep_plan import costs_nothing, format_plan
from genagents_env.errors import ConfigError, LLMRefused, ModelOutage
from genagents_env.files import find_inside

if TYPE_CHECKING:
    from genagents_env.record.rows import JSON
    from genagents_env.sweep import Experiment, SweepFolder, SweepResult

_CHANGES = "In place of what the experiment file says"
_MACHINE = "Execution"
_PILOTS = "pilots"  # a folder of its own, for pilots on another model


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(sweep)


@take_model_flags
def sweep(
    experiment: Annotated[
        Path | None, typer.Argument(help="The experiment file, such as study.toml.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The sweep's folder; `sweeps/` and the experiment's name by default."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with the sweep in this folder.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="List the runs and what they will take, reckoned from pilots: the first seed of "
            "every condition, which is kept. A model that may cost money is asked only with "
            "--pilot.",
        ),
    ] = False,
    pilot: Annotated[
        bool, typer.Option("--pilot", help="Let a dry run ask a model that may cost money.")
    ] = False,
    pilot_model: Annotated[
        str | None,
        typer.Option(help="Another model for the pilots of a dry run, such as scripted:gossip."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Runs at once; one a core.", rich_help_panel=_MACHINE),
    ] = None,
    backend: Annotated[
        str,
        typer.Option(
            help="`loky` (this machine) or `ray` (many machines).",
            rich_help_panel=_MACHINE,
        ),
    ] = "loky",
    model: Model = None,
    model_for: ModelFor = None,
    embedder: Embedder = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Seeds 0 to N-1.", rich_help_panel=_CHANGES)
    ] = None,
    hours: Annotated[
        float | None, typer.Option(help="Simulated hours of each run.", rich_help_panel=_CHANGES)
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=0, help="Tokens of all runs together.", rich_help_panel=_CHANGES),
    ] = None,
    max_dollars: Annotated[
        str | None, typer.Option(help="Dollars of all runs together.", rich_help_panel=_CHANGES)
    ] = None,
    max_fallbacks: MaxFallbacks = None,
    model_flags: ModelFlags = NO_FLAGS,
    preflight: Preflight = True,
    strict: Strict = False,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Write the report at the end.")
    ] = True,
    as_json: ResultAsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Live every run of an experiment, each once, and write the report.

    Runs that are finished are never lived again; those that were killed or stopped go on from
    their checkpoints; new arms or seeds in the file are the only new work.

    Begin with: genagents sweep examples/studies/gossip.toml
    """
    changes = {
        "model": model,
        "embedder": embedder,
        "seeds": seeds,
        "hours": hours,
        "max_tokens": max_tokens,
        "max_dollars": max_dollars,
        "max_fallbacks": max_fallbacks,
        **asdict(model_flags),
        "model_for": parse_choices(model_for) or None,
    }
    changes = {key: value for key, value in changes.items() if value is not None}
    if dry_run and as_json:
        raise ConfigError("--json: of what came of a sweep; a dry run only plans one")
    folder = _open_folder(experiment, out, resume, changes)
    told = _warn(folder)
    if dry_run:
        _print_plan(folder, changes, pilot, pilot_model, workers, backend, quiet, preflight)
        return
    from genagents_env.record.degradation import DEGRADED_EXIT

    result = run_folder(folder, workers, backend, quiet, strict=strict, preflight=preflight)
    code = result.exit_code
    if folder.experiment.judges and result.finished and code in (0, DEGRADED_EXIT):
        code = _judge(folder, result, quiet, aside=as_json) or code
    page = None
    if report:
        from genagents_env.report import write_report

        page, *_ = write_report(
            measure_folder(folder, quiet=quiet, workers=workers, told=told, trust_measures=True),
            tell=warn,
        )
    if as_json:
        at = None if page is None else str(page)
        data = {**result.as_json(), "exit_code": code, "report": at}
        typer.echo(json.dumps(data, indent=2))
        raise typer.Exit(code)
    if page is not None:
        say(f"Report: {page}")
    _print_result(result)
    raise typer.Exit(code)


def _open_folder(
    experiment: Path | None, out: Path | None, resume: Path | None, changes: "dict[str, JSON]"
) -> "SweepFolder":
    from genagents_env.sweep import SweepFolder, load_experiment

    if (experiment is None) == (resume is None):
        raise ConfigError("name an experiment file, or a folder with --resume DIR; one of them")
    if resume is not None:
        if out is not None:
            raise ConfigError("--out: --resume goes on in its own folder")
        return SweepFolder.reopen(resume, changes)
    assert experiment is not None  # noqa: S101 (told to the type checker)
    if out is None:
        out = Path("sweeps") / load_experiment(experiment).name
    return SweepFolder.create(out, experiment, changes)


def _warn(folder: "SweepFolder") -> tuple[str, ...]:
    """Print what is wrong with the experiment; return the unknown measures."""
    from genagents_env.evaluate.measures import find_measures

    experiment: Experiment = folder.experiment
    _, unknown = find_measures([*experiment.measures, *experiment.primary], folder.base)
    unknown_runs = folder.find_unknown_runs()
    for problem in unknown:
        say(f"genagents: {problem}; the study goes on without it", error=True)
    if unknown_runs:
        say(
            f"genagents: {len(unknown_runs)} run files in {folder.runs} belong to no run of this "
            "experiment any more (an arm, the scenario or the package has changed since); they "
            "are kept, and not used",
            error=True,
        )
    warn_of_models(folder)
    return unknown


def warn_of_models(folder: "SweepFolder") -> None:
    """Say which models of the experiment no policy asks."""
    warn_of_unused_models(
        (trial.model, (trial.spec.policy.name, *trial.spec.policy_for.values()))
        for trial in folder.trials
        if trial.model is not None
    )


def run_folder(
    folder: "SweepFolder",
    workers: int | None,
    backend: str,
    quiet: bool,
    trials: frozenset[str] | None = None,
    *,
    strict: bool = False,
    preflight: bool = True,
) -> "SweepResult":
    """Run the trials of a sweep's folder; a new one is gone where it cannot begin."""
    from genagents_env.cli.sweep_progress import show_progress
    from genagents_env.sweep import SweepOptions
    from genagents_env.sweep import sweep as run_sweep

    with show_progress(quiet) as watch:
        options = SweepOptions(
            workers, backend, watch=watch, trials=trials, preflight=preflight, strict=strict
        )
        try:
            return run_sweep(folder, options)
        except (ConfigError, LLMRefused, ModelOutage):
            folder.discard_unused()  # where nothing was begun, nothing is left behind
            raise


def _print_plan(
    folder: "SweepFolder",
    changes: "dict[str, JSON]",
    pilot: bool,
    pilot_model: str | None,
    workers: int | None,
    backend: str,
    quiet: bool,
    preflight: bool,
) -> None:
    """Print the runs with what they will take, from pilots where these may be run."""
    from genagents_env.sweep import SweepFolder, choose_pilots

    piloted = folder
    if pilot_model is not None:
        changed = {**folder.changes, **changes, "model": pilot_model}
        piloted = SweepFolder.create(
            find_inside(folder.path, _PILOTS), folder.experiment_file, changed
        )
    if pilot or costs_nothing(piloted):
        chosen = frozenset(trial.name for trial in choose_pilots(piloted))
        result = run_folder(piloted, workers, backend, quiet, chosen, preflight=preflight)
        for problem in result.problems:
            say(f"genagents: {problem}", error=True)
    else:
        say(
            "genagents: no pilots were lived, since the model may cost money: --pilot lives the "
            "first seed of each condition (they are kept), --pilot-model scripted:gossip asks "
            "a free stand-in",
            error=True,
        )
    for line in format_plan(folder, piloted, workers):
        say(line, indent=4)


def _judge(folder: "SweepFolder", result: "SweepResult", quiet: bool, *, aside: bool) -> int:
    """Ask the experiment's judges, within what the runs left of the budget of all together."""
    from genagents_env.cli.rate import rate_sweep

    limits = folder.experiment.budget.total.limits().subtract(result.spent)
    how = folder.experiment.endpoint.make_options()
    return rate_sweep(folder.path, limits, how, quiet, aside=aside)


def _print_result(result: "SweepResult") -> None:
    from genagents_env.sweep.result import format_degraded

    spent, degraded = result.spent, format_degraded(result.degraded)
    say(f"{result.finished} of {result.total} runs are finished{degraded} ({result.folder})")
    if spent.calls:
        dollars = f", ${spent.dollars:.4f}" if spent.dollars > Decimal(0) else ""
        say(f"{spent.calls:,} calls, {spent.tokens:,} tokens{dollars} in this folder so far")
    for problem in result.problems:
        say(f"genagents: {problem}", error=True)
    if result.exit_code:
        say(f"genagents: {result.message}", error=True)
