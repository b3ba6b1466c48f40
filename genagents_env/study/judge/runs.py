"""Judging a run: a model judges every stored answer by the scenario's checks.

Verdicts are no part of what happened: they are stored in the run file beside the record, one
model's beside another's, each as soon as it is given. Scripted models judge by the words of the
answer alone.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import ClassVar, TypeAlias

from genagents_env.errors import DiskError, GenagentsError
from genagents_env.llm.budget import NO_LIMITS
from genagents_env.llm.calls import CallKey, JSONValue, Message
from genagents_env.llm.cassette import RecordedReply
from genagents_env.llm.client import ModelAnswer
from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.wording import cut_text
from genagents_env.policy import INTERVIEW_CALLS
from genagents_env.record import JudgementRow, RunReader, RunWriter
from genagents_env.record.rows import InterviewRow
from genagents_env.record.spending import JUDGED
from genagents_env.run.models import reopen_model
from genagents_env.run.session import add_degradation
from genagents_env.run.spec import Progress, RunOptions, RunResult
from genagents_env.run.spending import LaterBudget
from genagents_env.scenario.questions import When
from genagents_env.scenario.schema import AnswerCheck, RecordCheck, Scenario, ValueCheck
from genagents_env.study.judge.prompting import JudgeReply, narrow_reply, render_messages
from genagents_env.study.judge.session import (
    JudgeQuery,
    JudgeSession,
    JudgingProgress,
    JudgingResult,
    Watch,
)
from genagents_env.study.judge.texts import number_questions
from genagents_env.text import clean, fold

_PURPOSE = "judge"
_SHOWN = 1000  # characters of an answer that are shown
_WHY = 120  # characters of a scripted reason
_YES = re.compile(r"yes\b", re.IGNORECASE)
_NO = re.compile(r"no\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z]\w+")

Judgeable: TypeAlias = AnswerCheck | ValueCheck
CaseKey: TypeAlias = tuple[str, int, str, str, int]


class CaseReply(JudgeReply):
    """What an answer comes to."""

    wire_name: ClassVar[str] = "Verdict"

    verdict: str


@dataclass(frozen=True, slots=True)
class Case:
    """An answer, and the check that asks what it comes to.

    `number`: of the question among those that the same question of the scenario puts to one agent.
    """

    check: Judgeable
    row: InterviewRow
    number: int

    @property
    def key(self) -> CaseKey:
        """What tells it from every other case of a run."""
        row = self.row
        return (self.check.id, row.tick, row.agent, row.question, row.repeat)

    @property
    def call(self) -> CallKey:
        """The key of the call that asks for its verdict."""
        number = self.row.repeat * INTERVIEW_CALLS + self.number
        return CallKey(self.row.agent, self.row.tick, f"{_PURPOSE}.{self.check.id}", number)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What may be said of it."""
        if isinstance(self.check, AnswerCheck):
            return ("yes", "no")
        values = (value.value for value in self.check.values)
        return tuple(dict.fromkeys((*values, self.check.otherwise)))

    def messages(self, seed: int) -> list[Message]:
        """Return the prompt of a run with that seed; question and answer stand in its fence."""
        row, check = self.row, self.check
        data: list[JSONValue] = [
            ["question", row.question],
            [f"{row.agent} answered", clean(row.answer, _SHOWN)],
        ]
        otherwise = check.otherwise if isinstance(check, ValueCheck) else None
        fields = {"ask": check.ask, "values": self.verdicts, "otherwise": otherwise}
        return render_messages("case", data, seed, system="case_system", **fields)


def judge_run(
    path: str | Path, options: RunOptions | None = None, *, by: str | None = None
) -> JudgingResult:
    """Ask a model what every stored answer comes to that a check of the scenario is about.

    What it has judged already is not asked again, so that a judging that was stopped resumes
    where it was. The run and its canonical hash do not change.

    Args:
        path: of the run file.
        options: model, limits, concurrency, retries and `watch`; without a model, the run's own,
            or the default where the run had none.
        by: the name under which the verdicts are stored; None is the model's.

    Raises:
        ConfigError: there is no such model, it is not that of the run and was not asked for by
            name, or `by` has no words.
        RecordError: the file is missing, foreign, damaged or newer.
        RunLocked: another process writes it.
        LLMRefused: the endpoint refuses, and has answered nothing yet, neither to the run nor to
            this judge: key, permission or model name is wrong.
    """
    options = options or RunOptions()
    with RunWriter.open(path, on_phase=options.on_phase) as writer, RunReader(path) as run:
        meta = run.meta
        cases = find_cases(meta.scenario, meta.names, run.interviews())
        if not cases:
            return JudgingResult()
        budget = LaterBudget(run, JUDGED, options, lambda: writer)
        options = budget.options
        endpoint = options.endpoint or reopen_model(options, meta, [REPLIES])
        asking = replace(options, endpoint=endpoint, max_fallbacks=meta.max_fallbacks)
        session = JudgeSession(asking, by, run_seed=meta.seed, temperature=0.0)
        due = _list_due(writer, run, session.name, cases)
        flags = f" --model {options.model}" if options.model else ""
        flags += f" --by {by}" if by else ""
        done = session.ask_all(
            due,
            before=len(cases) - len(due),
            watch=_watch_as_run(options.watch, run),
            again=f"genagents judge {path}{flags}",
            answered=endpoint.model == meta.model and writer.was_answered(),
        )
        if not done.exit_code:
            budget.finish()
        return done


def _list_due(
    writer: RunWriter, run: RunReader, judge: str, cases: Sequence[Case]
) -> list[JudgeQuery]:
    """Return what this judge has still to be asked."""
    given = {
        (row.check, row.tick, row.agent, row.question, row.repeat)
        for row in run.judgements()
        if row.judge == judge and row.verdict is not None
    }
    return [
        JudgeQuery(
            case.call,
            partial(case.messages, run.meta.seed),
            _make_case_reply(case.verdicts),
            partial(_store, writer, judge, case),
        )
        for case in cases
        if case.key not in given
    ]


def judge_finished_run(result: RunResult, options: RunOptions) -> RunResult:
    """Return how a run stands once its own model has judged its answers.

    Only a finished run that asked a model is judged, within what its limits leave. Where that
    fails, the run stays finished, and the result says why and how to resume. Its verdicts count
    among the calls of which too many fallbacks make a run a degraded one.
    """
    if result.status != "finished":
        return result
    with RunReader(result.path) as run:
        if run.meta.model is None:
            return result
    try:  # the limits are those that the run has in its file
        done = judge_run(result.path, replace(options, limits=NO_LIMITS, no_limit=False))
    except GenagentsError as error:  # whatever is wrong with the judge, the run is finished
        why = error.why if isinstance(error, DiskError) else error
        again = f"{why}; go on with `genagents judge {result.path}`"
        done = JudgingResult(exit_code=error.exit_code, message=again)
    result = add_degradation(result)
    if not done.message:
        return result
    message = f"the run is finished, but not all of its answers are judged: {done.message}"
    return replace(result, exit_code=done.exit_code, message=message)


def find_cases(
    scenario: Scenario, names: Sequence[str], rows: Iterable[InterviewRow]
) -> list[Case]:
    """Return every answer with every check that is about its question, in the order of `rows`.

    Args:
        scenario: of the run.
        names: the people of the run.
        rows: its interviews; those of tick 0 were held before it.
    """
    checks = [check for check in scenario.checks if not isinstance(check, RecordCheck)]
    put = number_questions(scenario, names)
    found: list[Case] = []
    for row in rows:
        when: When = "before" if row.tick == 0 else "after"
        question, number = put.get((when, row.agent, row.question), ("", 0))
        found += [Case(check, row, number) for check in checks if check.question == question]
    return found


@lru_cache(maxsize=64)
def _make_case_reply(verdicts: tuple[str, ...]) -> type[CaseReply]:
    """Return the reply model that allows these verdicts, in any case of letters."""
    known = {fold(verdict): verdict for verdict in verdicts}

    def parse(value: object) -> object:
        return known.get(fold(value).strip(" ."), value) if isinstance(value, str) else value

    return narrow_reply(CaseReply, "verdict", verdicts, parse)


def _judge_by_words(prompt: Prompt) -> dict[str, object]:
    """Return the verdict that is named first in the answer, and the last one where none is.

    Of yes and no: what the answer begins with, else yes where it has every name in what is asked
    about it.
    """
    answer = next((line.text for line in prompt.lines if line.head.endswith("answered")), "")
    allowed = prompt.list_choices("verdict")
    found = (
        _decide_yes_or_no(prompt, answer)
        if allowed == ["yes", "no"]
        else _find_first(answer, allowed)
    )
    return {"why": cut_text(answer, _WHY), "verdict": found}


def _decide_yes_or_no(prompt: Prompt, answer: str) -> str:
    if _YES.match(answer) or _NO.match(answer):
        return "yes" if _YES.match(answer) else "no"
    ask = next((line for line in prompt.words.splitlines() if line.strip()), "")
    names = [found[0] for found in _NAME.finditer(ask) if found.start()]
    return "yes" if names and all(name in answer for name in names) else "no"


def _find_first(answer: str, allowed: Sequence[str]) -> str:
    text = answer.casefold()
    places = [(text.find(value.casefold()), value) for value in allowed]
    named = [place for place in places if place[0] >= 0]
    return min(named, key=lambda place: place[0])[1] if named else allowed[-1]


def _store(
    writer: RunWriter,
    judge: str,
    case: Case,
    answered: ModelAnswer[CaseReply],
    recorded: RecordedReply,
) -> None:
    verdict = None if answered.fallback else answered.value.verdict
    tokens = (recorded.prompt_tokens, recorded.completion_tokens)
    writer.commit_judgement(JudgementRow(judge, *case.key, verdict, recorded.reply, *tokens))


def _watch_as_run(watch: Callable[[Progress], None] | None, run: RunReader) -> Watch | None:
    """Return a `watch` that reports the judging as interviews at the end of the run."""
    if watch is None:
        return None
    last = run.last_tick
    time = run.time(last)

    def report(now: JudgingProgress) -> None:
        watch(Progress(last, last, time, now.calls, now.tokens, now.dollars, asking=True))

    return report


REPLIES: ScriptedReplies = {CaseReply: _judge_by_words}
