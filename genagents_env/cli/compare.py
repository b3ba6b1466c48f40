"""`genagents compare`: several policies, one after another, in the same town; and a table."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.model_flags import NO_FLAGS, ModelFlags, take_model_flags
from genagents_env.cli.options import (
    AsJson,
    Embedder,
    MaxCalls,
    MaxDollars,
    MaxFallbacks,
    MaxSeconds,
    MaxTokens,
    Model,
    ModelFor,
    NoProgress,
    Preflight,
    ScenarioName,
    Strict,
    make_limits,
    parse_choices,
    parse_config,
    parse_names,
)
from genagents_env.cli.screen import find_width, say
from genagents_env.cli.sweep import run_folder, warn_of_models

if TYPE_CHECKING:
    from genagents_env.record.rows import JSON
    from genagents_env.report.side_by_side import ComparedPolicy
    from genagents_env.sweep import SweepFolder

_IDLE = "idle"  # nothing comes of it


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(compare)


@take_model_flags
def compare(
    scenario: ScenarioName,
    policies: Annotated[
        str | None,
        typer.Option(
            help='Separated by commas; options may follow one: "random,lyfe preset=paper". All '
            "that `policies` lists, but idle."
        ),
    ] = None,
    start: Annotated[str | None, typer.Option(help="Town time: 08:00 or 2023-02-13T08:00.")] = None,
    hours: Annotated[float | None, typer.Option(help="Simulated hours of each run.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of every run.")] = 0,
    people: Annotated[
        str | None,
        typer.Option(help="Only these, separated by commas; or a cast of the scenario, such as 3."),
    ] = None,
    place: Annotated[str | None, typer.Option(help='Everyone starts here: "Hobbs Cafe".')] = None,
    model: Model = None,
    model_for: ModelFor = None,
    embedder: Embedder = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="A folder for the run files; `sweeps/compare-` and the scenario by default. What "
            "is finished in it is not lived again."
        ),
    ] = None,
    interviews: Annotated[
        bool,
        typer.Option(
            "--interviews/--no-interviews",
            help="Ask the scenario's questions at both ends, and have the answers judged.",
        ),
    ] = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    max_seconds: MaxSeconds = None,
    max_fallbacks: MaxFallbacks = None,
    model_flags: ModelFlags = NO_FLAGS,
    preflight: Preflight = True,
    strict: Strict = False,
    as_json: AsJson = False,
    quiet: NoProgress = False,
) -> None:
    """Live the same hours once with each of several policies, and print what came of it.

    One run after another; Ctrl-C stops them, and the same command goes on. Limits are of all
    runs together.

    Example: genagents compare tiny --policies scripted,random --hours 0.1
    """
    from genagents_env.report.side_by_side import read_comparison, tabulate_comparison

    limits = make_limits(max_calls, max_tokens, max_dollars, max_seconds)
    total = {**asdict(limits), "dollars": None if limits.dollars is None else str(limits.dollars)}
    folder = _make_folder(
        scenario,
        policies,
        out,
        {
            "seeds": [seed],
            "people": _choose_people(people),
            "start": start,
            "hours": hours,
            "place": place,
            "model": model,
            "embedder": embedder,
            "interviews": interviews,
            "judge": interviews,
            "max_fallbacks": max_fallbacks,
            "budget": {"total": total},
            "endpoint": {**asdict(model_flags), "model_for": parse_choices(model_for) or None},
        },
    )
    warn_of_models(folder)
    result = run_folder(folder, 1, "loky", quiet, strict=strict, preflight=preflight)
    rows = tuple(read_comparison(folder))
    if as_json:
        typer.echo(json.dumps(_as_json(folder, rows), indent=2))
    else:
        for line in tabulate_comparison(rows, f"{scenario}, seed {seed}").format_lines(
            find_width()
        ):
            say(line, indent=4)
        say(f"Run files: {folder.runs}  (more of them: genagents report {folder.path})")
    for problem in result.problems:
        say(f"genagents: {problem}", error=True)
    if result.exit_code:
        say(f"genagents: {result.message}", error=True)
    raise typer.Exit(result.exit_code)


def _choose_people(people: str | None) -> "JSON":
    """Return the names, or the one word, which may be a cast's name."""
    names = parse_names(people)
    return names[0] if names and len(names) == 1 else names


def _make_folder(
    scenario: str, policies: str | None, out: Path | None, keys: "dict[str, JSON]"
) -> "SweepFolder":
    from genagents_env.sweep import SweepFolder
    from genagents_env.sweep.design.comparison import format_comparison

    text = format_comparison(scenario, _list_policies(policies), keys, Path.cwd())
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "compare"  # faults begin with its name
        file.write_text(text, "utf-8")
        place = Path("sweeps") / f"compare-{Path(scenario).resolve().name}"
        return SweepFolder.create(place if out is None else out, file)


def _list_policies(policies: str | None) -> "Iterator[tuple[str, dict[str, JSON]]]":
    from genagents_env.run.policies import list_policies

    if policies is None:
        yield from ((name, {}) for name in list_policies() if name != _IDLE)
        return
    for words in filter(None, (part.split() for part in policies.split(","))):
        yield words[0], parse_config(words[1:])


def _as_json(folder: "SweepFolder", rows: "tuple[ComparedPolicy, ...]") -> "dict[str, JSON]":
    experiment = folder.experiment
    return {
        "scenario": experiment.scenario,
        "seed": experiment.seed_list[0],
        "hours": experiment.hours,
        "model": experiment.model,
        "folder": str(folder.path),
        "policies": [one.as_json() for one in rows],
    }
