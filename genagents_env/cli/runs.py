"""`genagents run` and `genagents resume`."""

import json
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError

if TYPE_CHECKING:
    from genagents_env.run import Limits, RunResult

_WHOLE_TRANSCRIPT, _TAIL = 60, 30
_SPEND = "Limits"
_MODEL = "Model"

MaxCalls = Annotated[
    int | None, typer.Option(min=0, help="Model calls, retries included.", rich_help_panel=_SPEND)
]
MaxTokens = Annotated[
    int | None, typer.Option(min=0, help="Tokens read and written.", rich_help_panel=_SPEND)
]
MaxDollars = Annotated[
    str | None,
    typer.Option(help="Dollars; the model's price must be known.", rich_help_panel=_SPEND),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(min=0, help="Wall clock, earlier parts included.", rich_help_panel=_SPEND),
]
Model = Annotated[
    str | None,
    typer.Option(
        help="A model of the endpoint in OPENAI_BASE_URL and OPENAI_API_KEY, or the path of a "
        ".gguf file. Without either: the small embedded model. `scripted:gossip`, "
        "`scripted:chatty`, `scripted:mute` and `scripted:inventor` answer by rule, for trying "
        "things out.",
        rich_help_panel=_MODEL,
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        help="What tells minds which memories a thought is about: `local` (a small sentence "
        "model, the default), `hashed` (by letters; nothing to fetch) or `endpoint:NAME`.",
        rich_help_panel=_MODEL,
    ),
]
Concurrency = Annotated[
    int, typer.Option(min=1, help="Model calls under way at once.", rich_help_panel=_MODEL)
]
Judge = Annotated[
    bool,
    typer.Option(
        "--judge/--no-judge",
        help="Let the model judge the answers, where the scenario has checks of them.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the summary at the end.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(run)
    app.command()(resume)


def run(
    scenario: Annotated[str, typer.Argument(help="A name (see `scenarios`) or a folder.")],
    start: Annotated[str | None, typer.Option(help="Town time: 08:00 or 2023-02-13T08:00.")] = None,
    hours: Annotated[float | None, typer.Option(help="Simulated hours to live.")] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same run.")] = 0,
    people: Annotated[
        str | None,
        typer.Option(help="Only these, separated by commas; or a cast of the scenario, such as 3."),
    ] = None,
    place: Annotated[str | None, typer.Option(help='Everyone starts here: "Hobbs Cafe".')] = None,
    policy: Annotated[str, typer.Option(help="Who decides (see `policies`).")] = "scripted",
    policy_for: Annotated[
        list[str] | None, typer.Option(help='"Klaus Mueller=random"; may be repeated.')
    ] = None,
    policy_config: Annotated[
        list[str] | None, typer.Option(help="key=value for --policy; may be repeated.")
    ] = None,
    model: Model = None,
    embedder: Embedder = None,
    out: Annotated[Path, typer.Option(help="The run file.")] = Path("run.sqlite"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing run file.")] = False,
    interviews: Annotated[
        bool,
        typer.Option(
            "--interviews/--no-interviews", help="Ask the scenario's questions at both ends."
        ),
    ] = True,
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
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    max_seconds: MaxSeconds = None,
    concurrency: Concurrency = 8,
    quiet: Quiet = False,
) -> None:
    """Live a scenario from its start and record it.

    Example: genagents run valentines_party --people "Maria Lopez,Klaus Mueller" --hours 2
    """
    from genagents_env.cli.progress import watching
    from genagents_env.config import TownConfig
    from genagents_env.judge import judge_finished_run
    from genagents_env.run import PolicySpec, RunOptions, RunSpec
    from genagents_env.run import run as live

    spec = RunSpec(
        TownConfig(scenario, start=start, hours=hours, people=_names(people), place=place),
        seed=seed,
        repeats=repeats,
        policy=PolicySpec(policy, {k: _value(v) for k, v in _pairs(policy_config).items()}),
        policy_for=_pairs(policy_for),
    )
    limits = limits_of(max_calls, max_tokens, max_dollars, max_seconds)
    with watching(quiet) as watch:
        options = RunOptions(
            model=model,
            embedder=embedder,
            interviews=interviews,
            limits=limits,
            concurrency=concurrency,
            watch=watch,
        )
        result = live(spec, out, options, force=force)
        result = judge_finished_run(result, options) if judge else result
    _tell(result, quiet)


def resume(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="The run file.")],
    hours: Annotated[
        float, typer.Option(min=0, help="Simulated hours past the end of the run.")
    ] = 0.0,
    model: Model = None,
    embedder: Embedder = None,
    judge: Judge = True,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    max_seconds: MaxSeconds = None,
    concurrency: Concurrency = 8,
    quiet: Quiet = False,
) -> None:
    """Go on with a run: after a crash, an outage, Ctrl-C or a used-up budget, or past its end.

    No model call that was answered is made again, and the record becomes that of a run that was
    never stopped. Limits count from the start of the run.
    """
    from genagents_env.cli.progress import watching
    from genagents_env.judge import judge_finished_run
    from genagents_env.run import RunOptions
    from genagents_env.run import resume as go_on

    limits = limits_of(max_calls, max_tokens, max_dollars, max_seconds)
    with watching(quiet) as watch:
        options = RunOptions(
            model=model, embedder=embedder, limits=limits, concurrency=concurrency, watch=watch
        )
        result = go_on(run_file, options, hours=hours)
        result = judge_finished_run(result, options) if judge else result
    _tell(result, quiet)


def _tell(result: "RunResult", quiet: bool) -> None:
    """Print the transcript, the summary and what to do next; exit with the result's code."""
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
        for line in describe_summary(summarize(record)):
            say(line, indent=4)
    say()
    say(f"Run file: {result.path}  (look: genagents show {result.path})")
    if result.message:
        say(f"genagents: {result.message}", error=True)
    raise typer.Exit(result.exit_code)


def limits_of(
    calls: int | None, tokens: int | None, dollars: str | None, seconds: float | None
) -> "Limits":
    """Return the limits that the options give."""
    from genagents_env.run import Limits

    try:
        return Limits(calls, tokens, None if dollars is None else Decimal(dollars), seconds)
    except InvalidOperation:
        raise ConfigError(f"--max-dollars: {dollars!r} is not a number") from None


def _names(people: str | None) -> list[str] | None:
    if people is None:
        return None
    return [name for name in (part.strip() for part in people.split(",")) if name]


def _pairs(options: list[str] | None) -> dict[str, str]:
    pairs = {}
    for option in options or []:
        key, equals, value = option.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ConfigError(f"{option!r}: expected KEY=VALUE")
        pairs[key.strip()] = value.strip()
    return pairs


def _value(text: str) -> Any:
    """Return `text` as JSON where it is JSON (a number, true, a list), else as it stands."""
    try:
        return json.loads(text)
    except ValueError:
        return text
