"""`genagents run` and `genagents resume`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.completion import complete_policy
from genagents_env.cli.live_page import LivePage
from genagents_env.cli.model_flags import (
    NO_FLAGS,
    ModelFlags,
    take_model_flags,
    warn_of_unused_models,
)
from genagents_env.cli.options import (
    Concurrency,
    Embedder,
    GivenPolicies,
    Judge,
    MaxCalls,
    MaxDollars,
    MaxFallbacks,
    MaxSeconds,
    MaxTokens,
    Model,
    ModelFor,
    NoLimit,
    Preflight,
    Quiet,
    ResultAsJson,
    RunFile,
    ScenarioName,
    Strict,
    TrustPolicies,
    make_limits,
    parse_choices,
    parse_config,
    parse_names,
    parse_people,
    split_config,
)
from genagents_env.cli.screen import find_width, print_degradation, say

if TYPE_CHECKING:
    from genagents_env.record import RunReader
    from genagents_env.record.rows import JSON
    from genagents_env.run import RunResult

_WHOLE_TRANSCRIPT, _TAIL = 60, 30


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(run)
    app.command()(resume)


@take_model_flags
def run(
    scenario: ScenarioName,
    start: Annotated[str | None, typer.Option(help="Town time: 08:00 or 2023-02-13T08:00.")] = None,
    hours: Annotated[
        float | None, typer.Option(help="Simulated hours to live; 0.5 is half an hour.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same run.")] = 0,
    people: Annotated[
        str | None,
        typer.Option(help="Only these, separated by commas; or a cast of the scenario, such as 3."),
    ] = None,
    place: Annotated[str | None, typer.Option(help='Everyone starts here: "Hobbs Cafe".')] = None,
    memories: Annotated[
        Path | None,
        typer.Option(help="A folder of what people remember of an earlier run: import-memories."),
    ] = None,
    policy: Annotated[
        str, typer.Option(help="Who decides (see `policies`).", autocompletion=complete_policy)
    ] = "scripted",
    policy_for: Annotated[
        list[str] | None,
        typer.Option(
            help='"Klaus Mueller=random": what follows the last = is the policy; several people '
            "by commas; may be repeated."
        ),
    ] = None,
    policy_config: Annotated[
        list[str] | None,
        typer.Option(
            help="key=value for --policy, lyfe.key=value for the policy lyfe of --policy-for; "
            "may be repeated."
        ),
    ] = None,
    model: Model = None,
    model_for: ModelFor = None,
    embedder: Embedder = None,
    out: Annotated[Path, typer.Option(help="The run file.")] = Path("run.sqlite"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing run file.")] = False,
    view: Annotated[
        bool,
        typer.Option(
            "--view",
            help="Watch it live: its page on loopback, from the start until Ctrl-C. Nobody is "
            "interviewed then, unless --interviews says so.",
        ),
    ] = False,
    interviews: Annotated[
        bool | None,
        typer.Option(
            "--interviews/--no-interviews",
            help="Ask the scenario's questions at both ends; without --view that is done.",
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=20,
            help="Interviews of everyone at each end, each from the same state of mind; else as "
            "often as the scenario says.",
        ),
    ] = None,
    judge: Judge = True,
    strict: Strict = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    max_seconds: MaxSeconds = None,
    max_fallbacks: MaxFallbacks = None,
    concurrency: Concurrency = None,
    model_flags: ModelFlags = NO_FLAGS,
    preflight: Preflight = True,
    as_json: ResultAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Live a scenario from its start and record it.

    Example: genagents run valentines_party --people "Maria Lopez,Klaus Mueller" --hours 2
    """
    from genagents_env.cli.progress import show_progress
    from genagents_env.config import TownConfig
    from genagents_env.judge import judge_finished_run
    from genagents_env.run import PolicySpec, RunOptions, RunSpec
    from genagents_env.run import run as run_scenario

    own = parse_people(policy_for)
    config, config_for = split_config(parse_config(policy_config), own.values())
    spec = RunSpec(
        TownConfig(
            scenario,
            start=start,
            hours=hours,
            people=parse_names(people),
            place=place,
            memories=memories,
        ),
        seed=seed,
        repeats=repeats,
        policy=PolicySpec(policy, config),
        policy_for=own,
        config_for=config_for,
    )
    limits = make_limits(max_calls, max_tokens, max_dollars, max_seconds)
    how = model_flags.make_options()
    models = [model, *parse_choices(model_for).values()]
    deciding = (policy, *spec.policy_for.values())
    warn_of_unused_models((one, deciding) for one in models if one is not None)
    with LivePage(out, wanted=view) as page:
        with show_progress(quiet) as watch:
            options = RunOptions(
                model=model,
                model_for=parse_choices(model_for) or None,
                model_options=how,
                embedder=embedder,
                interviews=not view if interviews is None else interviews,
                limits=limits,
                preflight=preflight,
                concurrency=concurrency,
                strict=strict,
                max_fallbacks=max_fallbacks,
                watch=watch,
                on_phase=page.begin if view else None,
            )
            result = run_scenario(spec, out, options, force=force)
            result = judge_finished_run(result, options) if judge else result
        _print_result(result, quiet, as_json)
        if result.status != "interrupted":
            page.keep()
    raise typer.Exit(result.exit_code)


@take_model_flags
def resume(
    run_file: RunFile,
    hours: Annotated[
        float, typer.Option(min=0, help="Simulated hours past the end of the run.")
    ] = 0.0,
    trust_policies: TrustPolicies = False,
    policy: GivenPolicies = None,
    model: Model = None,
    model_for: ModelFor = None,
    embedder: Embedder = None,
    judge: Judge = True,
    strict: Strict = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    max_seconds: MaxSeconds = None,
    no_limit: NoLimit = False,
    max_fallbacks: MaxFallbacks = None,
    concurrency: Concurrency = None,
    model_flags: ModelFlags = NO_FLAGS,
    as_json: ResultAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Go on with a run: after a crash, an outage, Ctrl-C, or past its end; or with a larger limit.

    No model call that was answered is made again, and the record becomes that of a run that was
    never stopped. Its limits are those it was begun with, and count from its start; a number given
    here takes the place of one, and the run file notes it. A policy given by path is code: it is
    run where you say so, by --trust-policies or by naming it again.
    """
    from genagents_env.cli.progress import show_progress
    from genagents_env.judge import judge_finished_run
    from genagents_env.run import RunOptions
    from genagents_env.run import resume as go_on

    limits = make_limits(max_calls, max_tokens, max_dollars, max_seconds)
    how = model_flags.make_options()
    with show_progress(quiet) as watch:
        options = RunOptions(
            model=model,
            model_for=parse_choices(model_for) or None,
            model_options=how,
            embedder=embedder,
            limits=limits,
            no_limit=no_limit,
            concurrency=concurrency,
            trust_policies=trust_policies,
            policies=tuple(policy or ()),
            strict=strict,
            max_fallbacks=max_fallbacks,
            watch=watch,
        )
        result = go_on(run_file, options, hours=hours)
        result = judge_finished_run(result, options) if judge else result
    _print_result(result, quiet, as_json)
    raise typer.Exit(result.exit_code)


def _print_result(result: "RunResult", quiet: bool, as_json: bool) -> None:
    """Print the transcript, the summary and what to do next."""
    if as_json:
        typer.echo(json.dumps(_describe_result(result), indent=2))
        return
    from genagents_env.evaluate import format_transcript, summarize
    from genagents_env.evaluate.run_text import describe_summary
    from genagents_env.record import RunReader

    with RunReader(result.path) as record:
        if not quiet:
            lines = list(format_transcript(record.events(), record.time))
            if len(lines) > _WHOLE_TRANSCRIPT:
                say(f"... {len(lines) - _TAIL:,} lines before; `genagents show` has them all")
                lines = lines[-_TAIL:]
            for line in lines:
                say(line, indent=10)
            say()
        if result.resumed_from is not None:
            say(_describe_resume(result.resumed_from, record))
        if result.note:
            say(result.note)
        for line in describe_summary(summarize(record), find_width(), brief=True):
            say(line, indent=4)
    say()
    say(f"Run file: {result.path}  (look: genagents view {result.path})")
    say(f"Who heard what from whom, who came, who answered what: genagents report {result.path}")
    print_degradation(result.degradation)
    if result.message:
        say(f"genagents: {result.message}", error=True)


def _describe_result(result: "RunResult") -> "dict[str, JSON]":
    """Return as JSON values what came of a run: its summary, as a report has it, and its end."""
    from genagents_env.evaluate import summarize
    from genagents_env.record import RunReader, canonical_hash

    with RunReader(result.path) as record:
        summary = summarize(record).as_json()
    return summary | {
        "run": str(result.path),
        "hash": canonical_hash(result.path),
        "exit_code": result.exit_code,
        "message": result.message,
        "note": result.note,
        "resumed_from": result.resumed_from,
    }


def _describe_resume(tick: int, record: "RunReader") -> str:
    if tick < 0:
        return "Resumed from the start: there was no checkpoint yet"
    return f"Resumed from tick {tick:,}, {record.time(tick):%H:%M}"
