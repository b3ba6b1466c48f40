"""`genagents interview`: asking the people of a recorded run, at any moment of it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.look import parse_tick
from genagents_env.cli.options import (
    AsJson,
    Concurrency,
    Deadline,
    Effort,
    Embedder,
    GivenPolicies,
    MaxCalls,
    MaxDollars,
    Model,
    ModelFor,
    NoProgress,
    PriceIn,
    PriceOut,
    RunFile,
    Thinking,
    Timeout,
    TrustPolicies,
    make_limits,
    make_model_options,
    parse_pairs,
)
from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError

if TYPE_CHECKING:
    from genagents_env.policy import Answer
    from genagents_env.record import RunReader
    from genagents_env.run import RunOptions
    from genagents_env.run.replay_interview import Transcript


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(interview)


def interview(
    run_file: RunFile,
    agent: Annotated[
        list[str] | None, typer.Option(help="Whom; may be repeated. Everyone who remembers.")
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
    as_json: AsJson = False,
    trust_policies: TrustPolicies = False,
    policy: GivenPolicies = None,
    model: Model = None,
    model_for: ModelFor = None,
    embedder: Embedder = None,
    max_calls: MaxCalls = None,
    max_dollars: MaxDollars = None,
    concurrency: Concurrency = 8,
    timeout: Timeout = None,
    deadline: Deadline = None,
    thinking: Thinking = None,
    reasoning_effort: Effort = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    quiet: NoProgress = False,
) -> None:
    """Ask people of a run what they know, plan or think, as they were at that moment.

    The run is lived again up to then, with the stored replies of the model, and is not changed.
    Each answer comes with the events it rests on.

    Example: genagents interview run.sqlite --agent "Maria Lopez" --question "Any news?"
    """
    from genagents_env.cli.progress import show_progress
    from genagents_env.record import RunReader
    from genagents_env.run import RunOptions
    from genagents_env.run import interview as asked

    limits = make_limits(max_calls, None, max_dollars, None)
    options = RunOptions(
        model=model,
        model_for=parse_pairs(model_for) or None,
        model_options=make_model_options(
            timeout, deadline, thinking, reasoning_effort, price_in, price_out
        ),
        embedder=embedder,
        limits=limits,
        concurrency=concurrency,
        trust_policies=trust_policies,
        policies=tuple(policy or ()),
    )
    with RunReader(run_file) as record:
        whom = agent or _find_interviewable(record, options)
        tick = record.last_tick if at is None else _parse_recorded_tick(record, at)
        put = {name: _choose_questions(record, name, question, category) for name in whom}
        with show_progress(quiet or as_json) as watch:
            told = asked(run_file, whom, put, tick, replace(options, watch=watch), repeats)
        if as_json:
            typer.echo(json.dumps(_to_json(record, run_file, tick, told, repeats), indent=2))
            return
        for line in _format_lines(record, tick, told, repeats):
            say(line, indent=10)


def _parse_recorded_tick(record: "RunReader", at: str) -> int:
    tick, last = parse_tick(record, at), record.last_tick
    if tick > last:
        raise ConfigError(f"--at {at}: the run is recorded until {record.time(last):%a %H:%M:%S}")
    return tick


def _find_interviewable(record: "RunReader", options: "RunOptions") -> list[str]:
    """Return everyone whose policy can be interviewed."""
    from genagents_env.run.replay_interview import list_interviewable

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
    if name not in record.meta.names:
        raise ConfigError(f"nobody is called {name!r}; there are {', '.join(record.meta.names)}")
    texts = [clean(text) for text in own or ()]
    if not all(texts):
        raise ConfigError("--question: there are no words in it")
    chosen = categories or ([] if texts else CATEGORIES)
    known = make_standard_questions(name, record.meta.scenario)
    return [*texts, *(text for category in chosen for text in known[category])]


def _format_lines(
    record: "RunReader", tick: int, told: "Transcript", repeats: int
) -> Iterator[str]:
    time = record.time(tick)
    for name, answers in told.items():
        yield f"{name}, {time:%A %H:%M}"
        each = len(answers) // repeats
        for number, (question, answer) in enumerate(answers):
            if repeats > 1 and number % each == 0:
                yield f"  Interview {number // each + 1} of {repeats}"
            yield f"    Q: {question}"
            yield f"    A: {answer.text}"
            yield from (f"        {line}" for _, line in _find_evidence(record, answer))


def _find_evidence(record: "RunReader", answer: "Answer") -> Iterator[tuple[int, str]]:
    """Yield the id of each event that an answer rests on, and the event in a line."""
    from genagents_env.evaluate import format_transcript

    for id_ in answer.evidence:
        event = record.event(id_)
        if event is None:
            yield id_, f"event {id_}, which is not in the record"
            continue
        time = record.time(event.tick)
        untold = f"{time:%H:%M:%S}  {event.agent or 'the town'}: {event.kind}"
        *_, line = "", untold, *format_transcript([event], record.time)
        yield id_, f"{time:%a} {line}"


def _to_json(
    record: "RunReader", path: Path, tick: int, told: "Transcript", repeats: int
) -> dict[str, object]:
    return {
        "run": str(path),
        "tick": tick,
        "time": record.time(tick).isoformat(),
        "agents": {
            name: [
                {
                    "question": question,
                    "repeat": number // (len(answers) // repeats),
                    "answer": answer.text,
                    "evidence": [
                        {"event": id_, "line": line} for id_, line in _find_evidence(record, answer)
                    ],
                }
                for number, (question, answer) in enumerate(answers)
            ]
            for name, answers in told.items()
        },
    }
