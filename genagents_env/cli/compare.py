"""`genagents compare`: several policies, one after another, in the same town; and a table."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli import options as opt
from genagents_env.cli.screen import find_width, print_json, say, say_lines, warn
from genagents_env.cli.sweep import run_folder, warn_of_models
from genagents_env.errors import ConfigError
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.run.policies import list_policies
from genagents_env.scenario.toml_text import format_toml
from genagents_env.study.report.measuring import read_study_runs
from genagents_env.study.report.table import Table
from genagents_env.study.sweep import SweepFolder, SweepOptions
from genagents_env.study.sweep.design.experiment import read_experiment_text
from genagents_env.study.sweep.design.identity import make_slug
from genagents_env.study.sweep.files import EXPERIMENT
from genagents_env.study.sweep.trial_status import StudyRun

app = typer.Typer()
_LEFT_OUT = ("human", "idle")  # nobody is there to play; nothing comes of it
_MEASURES = ("utterances", "conversations")  # per agent and hour
_COLUMNS = {  # of the table: what a row of the JSON calls it, and its head
    "policy": "policy",
    "status": "status",
    "utterances": "utterances",
    "conversations": "conversations joined",
    "facts_spread": "facts spread",
    "facts_could_spread": "could spread",
    **{key: key for key in ("calls", "tokens", "dollars", "fallbacks", "seconds")},
}
_NOTE = (
    "All people together: facts spread is how often somebody heard one they did not know, could "
    "spread how often that could be; a dash is what is not known, or of a run that is not finished."
)
_LABEL = 40
_NOT_IN_LABELS = re.compile(r"[^A-Za-z0-9._-]+")


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
    interviews: opt.Interviews = 0,
    limit: opt.TotalLimit = None,
    endpoint: opt.Endpoint = None,
    as_json: opt.AsJson = False,
) -> None:
    """Run the same hours once with each of several policies, and print a table of what happened.

    The runs follow one another; Ctrl-C stops them, and the same command continues. Limits are for
    all runs together.

    Example: genagents compare tiny --policies scripted,random --hours 0.1
    """
    total = opt.parse_budget(limit, opt.SPEND_LIMITS)
    calls = opt.parse_endpoint(endpoint)
    names = opt.parse_names(people)
    where = Path(scenario).resolve()
    out = Path("sweeps") / f"compare-{where.name}" if out is None else out
    _check_own(out / EXPERIMENT)
    folder = SweepFolder.create(
        out,
        "compare",
        text=format_comparison(
            dict(_list_levels(policies)),
            {
                "name": make_slug(f"compare-{where.name}")[:_LABEL],
                "question": "What do these policies do in the same town?",
                "scenario": str(where) if where.is_dir() else scenario,
                "seeds": [seed],
                "measures": list(_MEASURES),
                "people": names[0] if names and len(names) == 1 else names,
                "start": start,
                "hours": hours,
                "place": place,
                "model": model,
                "embedder": embedder,
                "interviews": bool(interviews),
                "repeats": interviews or None,
                "judge": bool(interviews),
                "budget": {"total": total},
                "concurrency": calls.pop("concurrency", None),
                "endpoint": calls,
            },
        ),
    )
    warn_of_models(folder)
    result = run_folder(folder, SweepOptions(1))
    rows = [_describe_run(run) for run in read_study_runs(folder, (), ())]
    if as_json:
        print_json(
            {"scenario": scenario, "seed": seed, "folder": str(folder.path), "policies": rows}
        )
    else:
        cells = tuple(tuple(row.get(key) for key in _COLUMNS) for row in rows)
        heads, title = tuple(_COLUMNS.values()), f"{scenario}, seed {seed}"
        say_lines(Table("comparison", title, heads, cells, _NOTE).format_lines(find_width()))
        say(f"Run files: {folder.runs}  (more of them: genagents report {folder.path})")
    for problem in result.problems:
        warn(problem)
    if result.exit_code:
        warn(result.message)
    raise typer.Exit(result.exit_code)


def format_comparison(levels: Mapping[str, JSON], keys: Mapping[str, JSON]) -> str:
    """Return the text of an experiment file that runs each policy once.

    Args:
        levels: policy and config, by label.
        keys: further keys of the file; None is left out, in tables too.

    Raises:
        ConfigError: no policy is named, or one twice.
    """
    keys = _drop_nothing(keys)
    keys |= {"factors": {"policies": levels}} if len(levels) > 1 else next(iter(levels.values()))
    text = format_toml(keys)
    return f"# Made by `genagents compare` ({_mark(text)}); more seeds make a study of it.\n{text}"


def _check_own(file: Path) -> None:
    """Raise ConfigError where an experiment file is there that `compare` did not write so."""
    if not file.is_file():
        return
    head, _, text = read_experiment_text(file).partition("\n")
    if _mark(text) not in head:
        raise ConfigError(
            f"{file} was changed since, and would be replaced: `genagents sweep {file.parent}` "
            "goes on with it; or name another folder with --out"
        )


def _mark(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


def _drop_nothing(table: Mapping[str, JSON]) -> dict[str, JSON]:
    inner = {k: _drop_nothing(v) if isinstance(v, dict) else v for k, v in table.items()}
    return {key: value for key, value in inner.items() if value is not None and value != {}}


def _list_levels(policies: str | None) -> Iterator[tuple[str, dict[str, JSON]]]:
    """Yield the label of each policy, and what it sets."""
    if policies is None:
        yield from ((name, {"policy": name}) for name in list_policies() if name not in _LEFT_OUT)
        return
    seen: set[str] = set()
    for words in filter(None, (part.split() for part in policies.split(","))):
        config = opt.parse_config(words[1:])
        empty = [key for key, value in config.items() if value is None]
        if empty:
            raise ConfigError(f"policy {words[0]!r}: {empty[0]}: null is no value; leave it out")
        name = words[0].rpartition(":")[2] if ".py:" in words[0] else words[0]
        label = " ".join([name, *(f"{key} {value}" for key, value in config.items())])
        label = _NOT_IN_LABELS.sub(" ", label)[:_LABEL].strip()
        if label in seen:
            raise ConfigError(f"policy {label!r} comes twice; name each once")
        seen.add(label)
        yield label, {"policy": words[0], **({"config": config} if config else {})}
    if not seen:
        raise ConfigError("no policy is named; name at least one, as reactive,scripted")


def _describe_run(run: StudyRun) -> dict[str, JSON]:
    """Return what a run came to, in counts over all its people; nothing of one without a file."""
    told: dict[str, JSON] = {
        "policy": run.condition.name,
        "seed": run.seed,
        "file": str(run.file),
        "status": f"{run.state}, degraded" if run.degraded else run.state,
    }
    found = run.measured
    if run.state == "stopped":  # what it took so far is known
        with RunReader(run.file) as record:
            spent = record.sum_calls()
        told |= {"calls": spent.calls, "tokens": spent.prompt_tokens + spent.completion_tokens}
    if found is None:
        return told | ({"problem": run.problem} if run.problem else {})
    hours, numbers = found.hours * found.people, found.numbers
    told |= {name: round(numbers[name] * hours) for name in _MEASURES if name in numbers}
    ends = [(steps[0][1], steps[-1][1]) for steps in found.curves.values()]
    told["facts_spread"] = sum(end - begin for begin, end in ends)
    told["facts_could_spread"] = sum(found.people - begin for begin, _ in ends)
    return told | asdict(found.usage)
