"""`genagents run` and `genagents resume`."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from genagents_env.cli import options as opt
from genagents_env.cli.live_page import LivePage, find_players, list_players
from genagents_env.cli.progress import show_progress
from genagents_env.cli.screen import find_width, is_quiet, print_json, say, say_lines, warn
from genagents_env.config import TownConfig
from genagents_env.record import RunReader, canonical_hash
from genagents_env.record.rows import JSON
from genagents_env.run import PolicySpec, RunOptions, RunResult, RunSpec
from genagents_env.run import resume as resume_run
from genagents_env.run import run as run_scenario
from genagents_env.run.policies import find_policy_class, list_policies
from genagents_env.scenario import load_scenario
from genagents_env.scenario.people_selection import describe_left_out
from genagents_env.show.summary import describe_degradation, describe_run, run_as_json
from genagents_env.show.transcript import format_transcript
from genagents_env.study.judge import judge_finished_run

_WHOLE_TRANSCRIPT, _TAIL = 60, 30
app = typer.Typer()


@app.command()
def run(
    scenario: opt.ScenarioName,
    start: opt.Start = None,
    hours: Annotated[
        float | None, typer.Option(help="Simulated hours, such as 0.5; else to the scenario's end.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same run.")] = 0,
    people: opt.People = None,
    place: opt.Place = None,
    memories: Annotated[
        Path | None,
        typer.Option(
            help="A folder that import-memories wrote: what people remember at the start."
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[PEOPLE=]POLICY",
            help="The policy of everyone (see `list policies`), else `scripted`; with names before "
            'it, of some: "Klaus Mueller,Maria Lopez=random"; may be repeated.',
        ),
    ] = None,
    policy_config: Annotated[
        list[str] | None,
        typer.Option(
            help="An option of everyone's policy: key=value; of any by its name: lyfe.key=value; "
            "may be repeated."
        ),
    ] = None,
    model: opt.Models = None,
    embedder: opt.Embedder = None,
    out: Annotated[Path, typer.Option(help="The run file to write.")] = Path("run.sqlite"),
    force: opt.Force = False,
    live: opt.Live = False,
    host: opt.Host = opt.LOOPBACK,
    turn_seconds: opt.TurnSeconds = None,
    interviews: opt.Interviews = None,
    strict: opt.Strict = False,
    limit: opt.Limit = None,
    endpoint: opt.Endpoint = None,
    as_json: opt.ResultAsJson = False,
) -> None:
    """Run a scenario from its start and record it.

    Example: genagents run valentines_party --people "Maria Lopez,Klaus Mueller" --hours 2
    """
    common, policy_for = opt.split_common("--policy", policy)
    everyone, own = common or "scripted", opt.parse_people(policy_for)
    config, by_policy = opt.split_config(opt.parse_config(policy_config), (everyone, *own.values()))
    town = TownConfig(
        scenario,
        start=start,
        hours=hours,
        people=opt.parse_names(people),
        place=place,
        memories=memories,
    )
    spec = RunSpec(
        town,
        seed=seed,
        repeats=interviews or None,
        policy=PolicySpec(everyone, by_policy[everyone] | config),
        policy_for=own,
        config_for={name: by_policy[name] for name in own.values()},
    )
    if people is not None and not is_quiet():
        absent = describe_left_out(load_scenario(scenario), town.load_scenario())
        if absent:
            warn(f"left out with those who are not there: {absent}")
    named = [text.rpartition("=")[2].strip() for text in model or ()]
    warn_of_unused_models((name, (everyone, *own.values())) for name in named)
    result = conduct(
        lambda options: run_scenario(spec, out, options, force=force),
        LivePage(
            out, find_players(town, everyone, own), live=live, host=host, turn_seconds=turn_seconds
        ),
        as_json=as_json,
        models=model,
        endpoint=endpoint,
        embedder=embedder,
        interviews=not live if interviews is None else interviews > 0,
        limit=limit,
        limits=opt.RUN_LIMITS,
        preflight=True,
        strict=strict,
    )
    raise typer.Exit(result.exit_code)


@app.command()
def resume(
    run_file: opt.RunFile,
    hours: Annotated[
        float, typer.Option(min=0, help="Simulated hours to add past the end of the run.")
    ] = 0.0,
    trust: opt.Trust = None,
    model: opt.Models = None,
    embedder: opt.Embedder = None,
    strict: opt.Strict = False,
    limit: opt.ResumeLimit = None,
    endpoint: opt.Endpoint = None,
    live: opt.Live = False,
    host: opt.Host = opt.LOOPBACK,
    turn_seconds: opt.TurnSeconds = None,
    as_json: opt.ResultAsJson = False,
) -> None:
    """Continue a run: after a crash, an outage, Ctrl-C or a limit, or past its end.

    No answered model call is repeated, and the record equals that of a run that never stopped.
    Limits stored in the run count from its start; one given here replaces the stored one. Policy
    files named in a run are executed only with --trust.
    """
    with RunReader(run_file, known=True) as record:  # checked when it is resumed
        named = {name: str(chosen["name"]) for name, chosen in record.meta.policies.items()}
    page = LivePage(run_file, list_players(named), live=live, host=host, turn_seconds=turn_seconds)
    result = conduct(
        lambda options: resume_run(run_file, options, hours=hours),
        page,
        as_json=as_json,
        models=model,
        endpoint=endpoint,
        embedder=embedder,
        limit=limit,
        trust=trust,
        strict=strict,
    )
    raise typer.Exit(result.exit_code)


def conduct(
    begin: Callable[[RunOptions], RunResult],
    page: LivePage,
    *,
    as_json: bool,
    tell: Callable[[], None] | None = None,
    **how: Any,
) -> RunResult:
    """Run something beside its page, judge it, and print what came of it.

    Args:
        begin: runs it.
        page: of the run.
        as_json: print one JSON object.
        tell: prints what else there is to say to people.
        how: as of `options.make_options`.
    """
    with page:
        with show_progress(page.in_terminal) as watch:
            options = opt.make_options(**how, **page.list_options(watch))
            page.keep_options(options)
            result = judge_finished_run(begin(options), options)
        print_result(result, as_json)
        if tell is not None and not as_json:
            tell()
        if result.status != "interrupted":
            page.keep()
    return result


def print_result(result: RunResult, as_json: bool) -> None:
    """Print the transcript, the summary and what to do next."""
    if as_json:
        print_json(_describe_result(result))
        return

    with RunReader(result.path) as record:
        if not is_quiet():
            _print_transcript(list(format_transcript(record.events(), record.time)))
        if result.resumed_from is not None:
            say(_describe_resume(result.resumed_from, record))
        if result.note:
            say(result.note)
        say_lines(describe_run(record, find_width(), brief=True))
    say()
    say(f"Run file: {result.path}  (look: genagents view {result.path})")
    say(f"Who heard what from whom, who came, who answered what: genagents report {result.path}")
    for line in describe_degradation(result.degradation):
        warn(line)
    if result.message:
        warn(result.message)


def _print_transcript(lines: list[str]) -> None:
    if len(lines) > _WHOLE_TRANSCRIPT:
        say(f"... {len(lines) - _TAIL:,} lines before; `genagents show` has them all")
        lines = lines[-_TAIL:]
    say_lines(lines, indent=10)
    say()


def _describe_result(result: RunResult) -> dict[str, JSON]:
    """Return the summary of a run, with the keys of a report, and how it ended, as JSON values."""
    with RunReader(result.path) as record:
        summary = run_as_json(record)
    return summary | {
        "run": str(result.path),
        "hash": canonical_hash(result.path),
        "exit_code": result.exit_code,
        "message": result.message,
        "note": result.note,
        "resumed_from": result.resumed_from,
    }


def _describe_resume(tick: int, record: RunReader) -> str:
    if tick < 0:
        return "Resumed from the start: there was no checkpoint yet"
    return f"Resumed from tick {tick:,}, {record.time(tick):%H:%M}"


def warn_of_unused_models(named: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Say on stderr, in a line, which models no policy calls.

    Args:
        named: pairs of a model and of the policies that could call it; a model may come again.
    """
    callers: dict[str, dict[str, None]] = {}
    for model, policies in named:
        callers.setdefault(model, {}).update(dict.fromkeys(policies))
    unused = [model for model, policies in callers.items() if not any(map(_needs_model, policies))]
    if not unused:
        return
    others = dict.fromkeys(policy for model in unused for policy in callers[model])
    asking = ", ".join(filter(_needs_model, list_policies()))
    warn(
        f"model {', '.join(unused)} is not used, since {' and '.join(others)} "
        f"{'asks' if len(others) == 1 else 'ask'} none; these policies do: {asking}"
    )


def _needs_model(policy: str) -> bool:
    try:
        return find_policy_class(policy).needs_model
    # A user's file, or a missing package: the command itself says why it cannot be loaded.
    except (Exception, SystemExit):
        return True
