"""`genagents interview`: asking the people of a recorded run, at any moment of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, TypeAlias, get_args

import typer
from pydantic_core import to_jsonable_python

from genagents_env.cli import options as opt
from genagents_env.cli.interview_output import (
    describe_answers,
    describe_kept,
    find_answers,
    format_answers,
    format_stored,
)
from genagents_env.cli.progress import show_progress
from genagents_env.cli.screen import print_json, say, say_lines, warn
from genagents_env.errors import ConfigError, GenagentsError
from genagents_env.name_search import find_person
from genagents_env.policy import Answer, InterviewTerms, MemoryAccess
from genagents_env.record import RunMeta, RunReader, canonical_hash
from genagents_env.record.town_times import find_tick
from genagents_env.run import RunOptions
from genagents_env.run.interviews import interview_on_terms, list_interviewable
from genagents_env.study.evaluate.labels import format_policies
from genagents_env.study.evaluate.questions import CATEGORIES, make_standard_questions
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.judge.kept_answers import (
    PEOPLE,
    WordedAnswer,
    add_answers,
    find_kept_file,
    make_answers,
    read_answers,
)
from genagents_env.study.judge.sheets import read_written_answers, write_question_sheet
from genagents_env.text import clean

DEGRADED = 4  # the exit code where a default stands in place of an answer
# Park et al. 2023, section 6.2: the conditions of the controlled evaluation, all of one life.
ABLATIONS = ("", "reflection", "reflection,planning", "observation,reflection,planning")
_ORDER = ("observation", "reflection", "planning")  # as the mind's variants are named
_CONDITIONS = "Conditions"
_NAME = 60  # characters of the interviewer's name
_Given: TypeAlias = Mapping[str, Sequence[WordedAnswer]]  # by person
app = typer.Typer()


@app.command()
def interview(
    run_file: opt.RunFile,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="A person to ask; may be repeated. Else everyone with memories.",
        ),
    ] = None,
    at: opt.At = None,
    question: Annotated[
        list[str] | None,
        typer.Option(
            help="A question, or a category of the standard ones: self-knowledge, memory, plans, "
            "reactions or reflections; may be repeated. Without any, all 25 of these."
        ),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(
            min=1, max=100, help="Interviews of each person, from the same state of mind."
        ),
    ] = 1,
    without: Annotated[
        list[str] | None,
        typer.Option(
            help="Memories to leave out: observation,reflection,planning; may be repeated.",
            rich_help_panel=_CONDITIONS,
        ),
    ] = None,
    ablations: Annotated[
        bool,
        typer.Option(
            "--ablations",
            help="Ask under the four conditions of Park et al. 2023.",
            rich_help_panel=_CONDITIONS,
        ),
    ] = False,
    interviewer: Annotated[
        str | None, typer.Option("--as", help='Name of the interviewer: "Tom Moreno".')
    ] = None,
    write_sheet: Annotated[
        Path | None,
        typer.Option(
            help="Write a spreadsheet of the questions, for people to answer.",
            rich_help_panel=_CONDITIONS,
        ),
    ] = None,
    read_sheet: Annotated[
        Path | None,
        typer.Option(
            metavar="FILLED",
            help="Read a filled spreadsheet; its answers become another condition.",
            rich_help_panel=_CONDITIONS,
        ),
    ] = None,
    author: Annotated[
        str | None,
        typer.Option(
            help="Name of the person who filled the spreadsheet in.", rich_help_panel=_CONDITIONS
        ),
    ] = None,
    stored: Annotated[
        bool, typer.Option("--list", help="Print the stored answers; ask nothing.")
    ] = False,
    as_json: opt.AsJson = False,
    trust: opt.Trust = None,
    model: opt.Models = None,
    embedder: opt.Embedder = None,
    limit: opt.SpendLimit = None,
    endpoint: opt.Endpoint = None,
) -> None:
    """Ask people of a run what they know, plan or think at a moment of it.

    The run is replayed up to that moment with the stored replies, and is not changed. Each answer
    comes with the events it rests on. Limits are of this interview, and count what a stopped one
    has spent; a limit above the run's own raises that.

    Answers of --without and --ablations are stored beside the run, in NAME.interviews.jsonl, as
    soon as a person has given all, and reused; others are lost where an interview is stopped.

    Example: genagents interview run.sqlite --agent "Maria Lopez" --question "Any news?"
    """
    if not run_file.name:
        raise ConfigError(f"{str(run_file)!r} is a folder; name a run file")
    file = find_kept_file(run_file)
    if stored:
        _print_stored(run_file, as_json=as_json)
        return
    asker = clean(interviewer or "", _NAME)
    conditions = _make_conditions(without or (), ablations=ablations, interviewer=asker)
    kept = bool(without or ablations)
    options = opt.make_options(
        models=model,
        endpoint=endpoint,
        embedder=embedder,
        limit=limit,
        limits=(*opt.SPEND_LIMITS, opt.LIFT),
        trust=trust,
    )
    with RunReader(run_file) as record:
        put = _choose_questions(record, options, agent, question or ())
        tick = record.last_tick if at is None else find_tick(record, at, "--at")
        asking = _KeptInterview(run_file, record.meta, tick, put, file, asker, repeats)
    if write_sheet is not None or read_sheet is not None:
        _exchange_sheet(asking, write_sheet, read_sheet, author)
        return
    with show_progress(as_json) as watch:
        answered = asking.ask(conditions, replace(options, watch=watch), keep=kept)
    with RunReader(run_file, known=True) as record:
        data = [
            {"condition": name} | describe_answers(record, run_file, tick, given)
            for name, given in answered.items()
        ]
        if as_json:
            print_json(data if kept else data[0])
        else:
            for answers in data if len(conditions) == 1 else ():
                say_lines(format_answers(answers, record.time(tick), repeats), indent=10)
            say_lines(describe_kept(file) if kept else (), indent=0)
    _check_fallbacks([a for told in answered.values() for given in told.values() for a in given])


def _check_fallbacks(answers: Sequence[WordedAnswer]) -> None:
    """End with an exit code of its own where a default stands in place of an answer."""
    missing = sum(answer.fallback for answer in answers)
    if missing:
        warn(
            f"{missing:,} of {len(answers):,} answers are none: the model gave no usable reply, "
            "and a default stands in their place"
        )
        raise typer.Exit(DEGRADED)


def _print_stored(run_file: Path, *, as_json: bool) -> None:
    """Print every answer in the record of a run, and in the file beside it."""
    with RunReader(run_file) as record:
        data = RunData(record)
        answers, caution = find_answers(data)
        if as_json:
            told = [
                to_jsonable_python(one) | {"time": record.time(one.tick).isoformat()}
                for one in answers
            ]
            print_json({"run": str(run_file), "answers": told})
        else:
            say_lines(format_stored(data, answers), indent=8)
    if caution:
        warn(caution)
    if not answers and not as_json:
        say(f"Nobody was asked anything in {run_file}")


def _make_conditions(
    without: Sequence[str], *, ablations: bool, interviewer: str
) -> dict[str, InterviewTerms]:
    """Return the terms of each condition by its name: `full`, `no_reflection` ...

    Raises:
        ConfigError: a kind of memory that there is not.
    """
    conditions: dict[str, InterviewTerms] = {}
    allowed = get_args(MemoryAccess)
    for text in [*(ABLATIONS if ablations else ()), *without]:
        kinds = [part.strip() for part in text.split(",") if part.strip()]
        if not set(kinds) <= set(allowed) or (text and not kinds):
            raise ConfigError(
                f"--without: {text!r} is not allowed; any of {', '.join(allowed)}, by commas"
            )
        name = "_".join(f"no_{kind}" for kind in _ORDER if kind in kinds) or "full"
        conditions[name] = InterviewTerms(interviewer, frozenset(kinds))
    return conditions or {"full": InterviewTerms(interviewer)}


def _choose_questions(
    record: RunReader,
    options: RunOptions,
    agents: list[str] | None,
    given: Sequence[str],
) -> dict[str, list[str]]:
    """Return the questions of each person: those given, and the standard ones of categories."""
    names = list(dict.fromkeys(find_person(agent, record.meta.names) for agent in agents or ()))
    names = names or list_interviewable(record, options)
    if not names:
        raise ConfigError(f"{record.path}: nobody in this run has a policy that can be interviewed")
    if not all(map(clean, given)):
        raise ConfigError("--question: there are no words in it")
    put: dict[str, list[str]] = {}
    for name in names:
        known = make_standard_questions(name, record.meta.scenario)
        chosen = [known.get(text, [clean(text)]) for text in given or CATEGORIES]
        put[name] = [question for own in chosen for question in own]
    return put


@dataclass(frozen=True)
class _KeptInterview:
    """Questions to people of a run at a moment, and the file in which answers are kept."""

    path: Path
    meta: RunMeta
    tick: int
    put: Mapping[str, Sequence[str]]
    file: Path
    interviewer: str
    repeats: int

    def ask(
        self, conditions: Mapping[str, InterviewTerms], options: RunOptions, *, keep: bool
    ) -> dict[str, _Given]:
        """Return the answers by condition; with `keep` store them, and ask only for new ones."""
        by = options.model or self.meta.model or format_policies(self.meta)
        held = self._list_held(by) if keep else set()
        every = {(agent, repeat) for agent in self.put for repeat in range(self.repeats)}
        due = [name for name in conditions if any((name, *one) not in held for one in every)]
        for name in conditions:
            own = sum((name, *one) in held for one in every)
            if own:
                these = "these answers" if name not in due else f"{own} of these interviews"
                warn(f"{self.file} has {these} under {name} already")
        answered: dict[str, dict[str, list[WordedAnswer]]] = {name: {} for name in due}

        def take(name: str, agent: str, repeat: int, told: list[tuple[str, Answer]]) -> None:
            worded = [
                WordedAnswer(question, answer.text, repeat, answer.evidence, answer.fallback)
                for question, answer in told
            ]
            answered[name].setdefault(agent, []).extend(worded)
            if keep:
                self._keep(name, by, {agent: worded})

        try:
            if due:
                interview_on_terms(
                    self.path,
                    list(self.put),
                    self.put,
                    conditions,
                    self.tick,
                    options,
                    self.repeats,
                    take,
                    lambda *which: which in held,
                )
        except GenagentsError:
            if any(answered.values()) and keep:
                warn(f"{self.file} has what was answered; the same command asks for the rest")
            raise
        return {
            name: {
                agent: sorted(given[agent], key=lambda answer: answer.repeat)
                for agent in self.put
                if agent in given
            }
            for name, given in answered.items()
        }

    def read_sheet(self, sheet: Path, author: str) -> int:
        """Keep the answers that a person wrote, and return how many there are."""
        written = read_written_answers(sheet, self.put)
        self._keep(PEOPLE, author, written)
        return sum(map(len, written.values()))

    @cached_property
    def _source(self) -> str:
        return canonical_hash(self.path)

    def _list_held(self, by: str) -> set[tuple[str, str, int]]:
        """Return the interviews all of whose answers the file has: condition, agent, repeat."""
        this = (self._source, self.tick, by, self.interviewer)
        held: dict[tuple[str, str, int], set[str]] = {}
        for kept in read_answers(self.file):
            said = kept.said
            if (kept.source, kept.tick, kept.by, kept.interviewer) == this:
                interview = (said.condition, said.agent, said.repeat)
                held.setdefault(interview, set()).add(said.question)
        return {one for one, asked in held.items() if asked.issuperset(self.put.get(one[1], [""]))}

    def _keep(self, condition: str, by: str, given: _Given) -> None:
        who = self.interviewer
        with RunReader(self.path, known=True) as record:
            answers = make_answers(
                record, self.tick, condition, given, source=self._source, by=by, interviewer=who
            )
        add_answers(self.file, answers)


def _exchange_sheet(
    asking: _KeptInterview, write: Path | None, read: Path | None, author: str | None
) -> None:
    """Write a sheet for a person to answer, or take a filled one in."""
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
        say_lines(describe_kept(asking.file), indent=0)
