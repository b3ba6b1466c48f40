"""`genagents interview`: asking the people of a recorded run, at any moment of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.completion import complete_person
from genagents_env.cli.interview_conditions import (
    KeptInterview,
    describe_kept,
    make_conditions,
)
from genagents_env.cli.interview_output import (
    count_fallbacks,
    describe_answers,
    format_answers,
    format_stored,
    list_stored,
)
from genagents_env.cli.look import parse_tick
from genagents_env.cli.model_flags import NO_FLAGS, ModelFlags, take_model_flags
from genagents_env.cli.options import (
    AsJson,
    Concurrency,
    Embedder,
    GivenPolicies,
    MaxCalls,
    MaxDollars,
    MaxSeconds,
    MaxTokens,
    Model,
    ModelFor,
    NoLimit,
    NoProgress,
    RunFile,
    TrustPolicies,
    make_limits,
    parse_choices,
)
from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError

if TYPE_CHECKING:
    from genagents_env.record import RunReader
    from genagents_env.run import RunOptions

DEGRADED = 4  # the exit code where a default stands in place of an answer
_CONDITIONS = "Conditions"
_NAME = 60  # characters of the interviewer's name


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(interview)


@take_model_flags
def interview(
    run_file: RunFile,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Whom; may be repeated. Everyone who remembers.", autocompletion=complete_person
        ),
    ] = None,
    at: Annotated[str | None, typer.Option(help="Town time: 10:30. The end of the run.")] = None,
    question: Annotated[list[str] | None, typer.Option(help="May be repeated.")] = None,
    category: Annotated[
        list[str] | None,
        typer.Option(
            help="Of the 25 standard questions: self-knowledge, memory, plans, reactions or "
            "reflections; may be repeated. Without any question, all 25."
        ),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(min=1, max=100, help="Interviews of each from the same state of mind."),
    ] = 1,
    without: Annotated[
        list[str] | None,
        typer.Option(
            help="Memories that answers have no access to, by commas: observation, reflection, "
            "planning; may be repeated, each a condition.",
            rich_help_panel=_CONDITIONS,
        ),
    ] = None,
    ablations: Annotated[
        bool,
        typer.Option(
            "--ablations",
            help="Ask under the four conditions of Park et al. 2023: with all memories, without "
            "reflection, without reflection and planning, without any.",
            rich_help_panel=_CONDITIONS,
        ),
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(
            help="Where answers are kept; conditions are, in RUN.interviews.jsonl.",
            rich_help_panel=_CONDITIONS,
        ),
    ] = None,
    interviewer: Annotated[
        str | None, typer.Option("--as", help='Who asks, by name: "Tom Moreno".')
    ] = None,
    write_sheet: Annotated[
        Path | None,
        typer.Option(
            help="Write the questions as a spreadsheet for a person to answer.",
            rich_help_panel=_CONDITIONS,
        ),
    ] = None,
    read_sheet: Annotated[
        Path | None,
        typer.Option(
            metavar="FILLED",
            help="Take answers in that a person wrote, as one more condition.",
            rich_help_panel=_CONDITIONS,
        ),
    ] = None,
    author: Annotated[
        str | None, typer.Option(help="Who wrote them.", rich_help_panel=_CONDITIONS)
    ] = None,
    stored: Annotated[
        bool,
        typer.Option("--list", help="Print the answers that are stored, by question; ask nobody."),
    ] = False,
    as_json: AsJson = False,
    trust_policies: TrustPolicies = False,
    policy: GivenPolicies = None,
    model: Model = None,
    model_for: ModelFor = None,
    embedder: Embedder = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    max_seconds: MaxSeconds = None,
    no_limit: NoLimit = False,
    concurrency: Concurrency = None,
    model_flags: ModelFlags = NO_FLAGS,
    quiet: NoProgress = False,
) -> None:
    """Ask people of a run what they know, plan or think, as they were at that moment.

    The run is lived again up to then, with the stored replies of the model, and is not changed.
    Each answer comes with the events it rests on. What is asked is within the run's limits. Limits
    given here are those of the interview, also once it is repeated after a stop; a number larger
    than the run's raises that, too.

    Example: genagents interview run.sqlite --agent "Maria Lopez" --question "Any news?"
    """
    from genagents_env.cli.progress import show_progress
    from genagents_env.judge.kept_answers import find_kept_file
    from genagents_env.name_search import find_person
    from genagents_env.record import RunReader
    from genagents_env.run import RunOptions
    from genagents_env.text import clean

    if not run_file.name:
        raise ConfigError(f"{str(run_file)!r} is a folder; name a run file")
    file = keep or find_kept_file(run_file)
    if stored:
        _print_stored(run_file, file, as_json=as_json)
        return
    limits = make_limits(max_calls, max_tokens, max_dollars, max_seconds)
    options = RunOptions(
        model=model,
        model_for=parse_choices(model_for) or None,
        model_options=model_flags.make_options(),
        embedder=embedder,
        limits=limits,
        no_limit=no_limit,
        concurrency=concurrency,
        trust_policies=trust_policies,
        policies=tuple(policy or ()),
    )
    asker = clean(interviewer or "", _NAME)
    conditions = make_conditions(without or (), ablations=ablations, interviewer=asker)
    kept = bool(without or ablations or keep)
    with RunReader(run_file) as record:
        named = dict.fromkeys(find_person(one, record.meta.names) for one in agent or ())
        whom = list(named) or _find_interviewable(record, options)
        asking = KeptInterview(
            run_file,
            record.meta,
            record.last_tick if at is None else _parse_recorded_tick(record, at),
            {name: _choose_questions(record, name, question, category) for name in whom},
            file,
            asker,
            repeats,
        )
    if write_sheet is not None or read_sheet is not None:
        _exchange_sheet(asking, write_sheet, read_sheet, author)
        return
    with show_progress(quiet or as_json) as watch:
        ask = asking.ask if kept else asking.ask_unkept
        told = ask(conditions, replace(options, watch=watch))
    with RunReader(run_file, known=True) as record:
        if as_json:
            data = [
                {"condition": name} | describe_answers(record, run_file, asking.tick, one, repeats)
                for name, one in told.items()
            ]
            typer.echo(json.dumps(data if kept else data[0], indent=2))
        else:
            for one in told.values() if len(conditions) == 1 else ():
                for line in format_answers(record, asking.tick, one, repeats):
                    say(line, indent=10)
            for line in describe_kept(file) if kept else ():
                say(line)
    none, answers = count_fallbacks(told.values())
    if none:
        say(
            f"genagents: {none:,} of {answers:,} answers are none: the model gave no usable reply, "
            "and a default stands in their place",
            error=True,
        )
        raise typer.Exit(DEGRADED)


def _print_stored(run_file: Path, file: Path, *, as_json: bool) -> None:
    """Print every answer in the record of a run, and in the file beside it."""
    from genagents_env.judge.kept_answers import read_answers
    from genagents_env.record import RunReader

    with RunReader(run_file) as record:
        stored = list_stored(record, read_answers(file))
    if as_json:
        typer.echo(json.dumps({"run": str(run_file), "answers": stored}, indent=2))
        return
    for line in format_stored(stored):
        say(line, indent=8)
    if not stored:
        say(f"Nobody was asked anything in {run_file}")


def _exchange_sheet(
    asking: KeptInterview, write: Path | None, read: Path | None, author: str | None
) -> None:
    """Write a sheet for a person to answer, or take a filled one in."""
    from genagents_env.judge.written_answers import write_question_sheet

    if write is not None and read is not None:
        raise ConfigError("--write-sheet, --read-sheet: one of them")
    if write is not None:
        if write.exists():
            raise ConfigError(f"{write} exists, and may be filled in; name another file")
        rows = write_question_sheet(write, asking.put)
        say(f"{write}: {rows:,} questions to answer as the person who is asked would")
        say(f"What they lived through: genagents show {asking.path} --agent NAME")
    elif read is not None:
        if not author:
            raise ConfigError("--author: whoever wrote the answers needs a name")
        count = asking.read_sheet(read, author)
        say(f"{read}: {count:,} answers written by {author}")
        for line in describe_kept(asking.file):
            say(line)


def _parse_recorded_tick(record: "RunReader", at: str) -> int:
    tick, last = parse_tick(record, at), record.last_tick
    if tick > last:
        raise ConfigError(f"--at {at}: the run is recorded until {record.time(last):%a %H:%M:%S}")
    return tick


def _find_interviewable(record: "RunReader", options: "RunOptions") -> list[str]:
    """Return everyone whose policy can be interviewed."""
    from genagents_env.run.interviews import list_interviewable

    names = list_interviewable(record, options)
    if not names:
        raise ConfigError(f"{record.path}: nobody in this run has a policy that can be interviewed")
    return names


def _choose_questions(
    record: "RunReader", name: str, own: list[str] | None, categories: list[str] | None
) -> list[str]:
    """Return the questions put to one person: those given, else the standard ones."""
    from genagents_env.evaluate.questions import CATEGORIES, make_standard_questions
    from genagents_env.text import clean

    for category in categories or ():
        if category not in CATEGORIES:
            allowed = ", ".join(CATEGORIES)
            raise ConfigError(f"--category: {category!r} is not allowed; use one of {allowed}")
    texts = [clean(text) for text in own or ()]
    if not all(texts):
        raise ConfigError("--question: there are no words in it")
    chosen = categories or ([] if texts else CATEGORIES)
    known = make_standard_questions(name, record.meta.scenario)
    return [*texts, *(text for category in chosen for text in known[category])]
