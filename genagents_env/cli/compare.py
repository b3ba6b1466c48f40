"""`genagents compare`: several policies, one after another, in the same town; and a table."""

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli import options as opt
from genagents_env.cli.screen import find_width, print_json, say, say_lines, warn
from genagents_env.cli.sweep import run_folder, warn_of_models
from genagents_env.record.rows import JSON
from genagents_env.report.side_by_side import ComparedPolicy, read_comparison, tabulate_comparison
from genagents_env.run.policies import list_policies
from genagents_env.sweep import SweepFolder, SweepOptions
from genagents_env.sweep.design.comparison import format_comparison

app = typer.Typer()
_LEFT_OUT = ("human", "idle")  # nobody is there to play; nothing comes of it


@app.command()
def compare(
    scenario: opt.ScenarioName,
    policies: Annotated[
        str | None,
        typer.Option(
            help='Policies by commas, with options: "random,lyfe preset=paper"; else all but idle '
            "and human."
        ),
    ] = None,
    start: opt.Start = None,
    hours: Annotated[float | None, typer.Option(help="Simulated hours of each run.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of every run.")] = 0,
    people: opt.People = None,
    place: opt.Place = None,
    model: opt.Model = None,
    embedder: opt.Embedder = None,
    out: Annotated[
        Path | None,
        typer.Option(help="A folder for the run files; `sweeps/compare-SCENARIO` by default."),
    ] = None,
    interviews: Annotated[
        bool,
        typer.Option(
            "--interviews/--no-interviews",
            help="Ask the scenario's questions before and after each run, and judge the answers.",
        ),
    ] = False,
    max_calls: opt.MaxCalls = None,
    max_dollars: opt.MaxDollars = None,
    endpoint: opt.Endpoint = None,
    as_json: opt.AsJson = False,
    quiet: opt.NoProgress = False,
) -> None:
    """Run the same hours once with each of several policies, and print a table of what happened.

    The runs follow one another; Ctrl-C stops them, and the same command continues. Limits are for
    all runs together.

    Example: genagents compare tiny --policies scripted,random --hours 0.1
    """
    limits = opt.make_limits(max_calls, None, max_dollars, None)
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
            "budget": {"total": total},
            "endpoint": opt.parse_endpoint(endpoint),
        },
    )
    warn_of_models(folder)
    result = run_folder(folder, SweepOptions(1, preflight=True), quiet)
    rows = tuple(read_comparison(folder))
    if as_json:
        print_json(_as_json(folder, rows))
    else:
        table = tabulate_comparison(rows, f"{scenario}, seed {seed}")
        say_lines(table.format_lines(find_width()))
        say(f"Run files: {folder.runs}  (more of them: genagents report {folder.path})")
    for problem in result.problems:
        warn(problem)
    if result.exit_code:
        warn(result.message)
    raise typer.Exit(result.exit_code)


def _choose_people(people: str | None) -> JSON:
    """Return the names, or the one word, which may be a cast's name."""
    names = opt.parse_names(people)
    return names[0] if names and len(names) == 1 else names


def _make_folder(
    scenario: str, policies: str | None, out: Path | None, keys: dict[str, JSON]
) -> SweepFolder:

    text = format_comparison(scenario, _list_policies(policies), keys, Path.cwd())
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "compare"  # faults begin with its name
        file.write_text(text, "utf-8")
        place = Path("sweeps") / f"compare-{Path(scenario).resolve().name}"
        return SweepFolder.create(place if out is None else out, file)


def _list_policies(policies: str | None) -> Iterator[tuple[str, dict[str, JSON]]]:

    if policies is None:
        yield from ((name, {}) for name in list_policies() if name not in _LEFT_OUT)
        return
    for words in filter(None, (part.split() for part in policies.split(","))):
        yield words[0], opt.parse_config(words[1:])


def _as_json(folder: SweepFolder, rows: tuple[ComparedPolicy, ...]) -> dict[str, JSON]:
    experiment = folder.experiment
    return {
        "scenario": experiment.scenario,
        "seed": experiment.seed_list[0],
        "hours": experiment.hours,
        "model": experiment.model,
        "folder": str(folder.path),
        "policies": [row.as_json() for row in rows],
    }
