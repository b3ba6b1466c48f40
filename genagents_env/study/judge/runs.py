"""Judging a run: a model judges every stored answer by the scenario's checks.

Verdicts are no part of what happened: they are stored in the run file beside the record, one
model's beside another's, each as soon as it is given. Scripted models judge by the words of the
answer alone.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeAlias

from genagents_env.errors import DiskError, GenagentsError
from genagents_env.llm.budget import NO_LIMITS
from genagents_env.llm.calls import CallKey, JSONValue
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
    JudgingResult,
    Watch,
)
from genagents_env.study.judge.texts import number_questions
from genagents_env.text import clean

_PURPOSE = "judge"
_SHOWN = 1000  # characters of an answer that are shown
_WHY = 120  # characters of a scripted reason
_YES_OR_NO = re.compile(r"(yes|no)\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z]\w+")

CaseKey: TypeAlias = tuple[str, int, str, str, int]
# A check, an answer that it is about, and the number of the answer's question among those that
# the same question of the scenario puts to one agent.
Case: TypeAlias = tuple[AnswerCheck | ValueCheck, InterviewRow, int]


class CaseReply(JudgeReply):
    """What an answer comes to."""

    wire_name: ClassVar[str] = "Verdict"

    verdict: str


def judge_run(
    path: str | Path,
    options: RunOptions | None = None,
    *,
    by: str | None = None,
    watch: Watch | None = None,
) -> JudgingResult:
    """Ask a model what every stored answer comes to that a check of the scenario is about.

    What it has judged already is not asked again, so that a judging that was stopped resumes
    where it was. The run and its canonical hash do not change.

    Args:
        path: of the run file.
        options: model, limits, concurrency and retries; without a model, the run's own, or the
            default where the run had none.
        by: the name under which the verdicts are stored; None is the model's.
        watch: called after every verdict.

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
        rows = [row for row in run.judgements() if row.judge == session.name]
        given = {_make_key(row.check, row) for row in rows if row.verdict is not None}
        due = [
            _make_query(
                *case, meta.seed, partial(_store, writer, session.name, case[0].id, case[1])
            )
            for case in cases
            if _make_key(case[0].id, case[1]) not in given
        ]
        before = len(cases) - len(due)
        done = session.ask_all(
            due,
            answered=before > 0 or (endpoint.model == meta.model and writer.was_answered()),
            watch=watch,
        )
        if not done.exit_code:
            budget.finish()
        return replace(done, asked=len(cases), before=before)


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
        watch = options.watch and partial(
            _report, options.watch, run.last_tick, run.time(run.last_tick)
        )
    own = replace(options, limits=NO_LIMITS, no_limit=False)  # the run has its limits in its file
    try:
        done = judge_run(result.path, own, watch=watch)
    except GenagentsError as error:  # whatever is wrong with the judge, the run is finished
        why = error.why if isinstance(error, DiskError) else str(error)
        done = JudgingResult(exit_code=error.exit_code, message=why)
    result = add_degradation(result)
    if not done.message:
        return result
    message = (
        f"the run is finished, but not all of its answers are judged: {done.message}; "
        f"go on with `genagents judge {result.path}`"
    )
    return replace(result, exit_code=done.exit_code, message=message)


def find_cases(
    scenario: Scenario, names: Sequence[str], rows: Iterable[InterviewRow]
) -> list[Case]:
    """Return every answer with every check that is about its question, in the order of `rows`."""
    checks = [check for check in scenario.checks if not isinstance(check, RecordCheck)]
    put = number_questions(scenario, names)
    found: list[Case] = []
    for row in rows:
        when: When = "after" if row.tick else "before"
        question, number = put.get((when, row.agent, row.question), ("", 0))
        found += [(check, row, number) for check in checks if check.question == question]
    return found


def _make_key(check: str, row: InterviewRow | JudgementRow) -> CaseKey:
    """Return what tells a case from every other of a run."""
    return (check, row.tick, row.agent, row.question, row.repeat)


def _make_query(
    check: AnswerCheck | ValueCheck,
    row: InterviewRow,
    number: int,
    seed: int,
    store: Callable[..., None],
) -> JudgeQuery:
    """Return the query of a case in a run of that seed; question and answer stand in its fence."""
    allowed: tuple[str, ...] = ("yes", "no")
    otherwise = None
    if isinstance(check, ValueCheck):
        otherwise = check.otherwise
        allowed = tuple(dict.fromkeys((*(value.value for value in check.values), otherwise)))
    data: list[JSONValue] = [
        ["question", row.question],
        [f"{row.agent} answered", clean(row.answer, _SHOWN)],
    ]
    fields = {"ask": check.ask, "values": allowed, "otherwise": otherwise}
    call_number = row.repeat * INTERVIEW_CALLS + number
    return JudgeQuery(
        CallKey(row.agent, row.tick, f"{_PURPOSE}.{check.id}", call_number),
        partial(render_messages, "case", data, seed, system="case_system", **fields),
        narrow_reply(CaseReply, "verdict", allowed),
        store,
    )


def _judge_by_words(prompt: Prompt) -> dict[str, object]:
    """Return the verdict that is named first in the answer, and the last one where none is.

    Of yes and no: what the answer begins with, else yes where it has every name in what is asked
    about it.
    """
    answer = next((line.text for line in prompt.lines if line.head.endswith("answered")), "")
    allowed = prompt.list_choices("verdict")
    decide = _decide_yes_or_no if allowed == ["yes", "no"] else _find_first
    return {"why": cut_text(answer, _WHY), "verdict": decide(prompt, answer, allowed)}


def _decide_yes_or_no(prompt: Prompt, answer: str, allowed: Sequence[str]) -> str:
    if begun := _YES_OR_NO.match(answer):
        return begun[1].lower()
    ask = next((line for line in prompt.words.splitlines() if line.strip()), "")
    names = [found[0] for found in _NAME.finditer(ask) if found.start()]
    return "yes" if names and all(name in answer for name in names) else "no"


def _find_first(prompt: Prompt, answer: str, allowed: Sequence[str]) -> str:
    text = answer.casefold()
    named = [value for value in allowed if value.casefold() in text]
    return min(named, key=lambda value: text.find(value.casefold()), default=allowed[-1])


def _store(
    writer: RunWriter,
    judge: str,
    check: str,
    row: InterviewRow,
    answered: ModelAnswer[CaseReply],
    recorded: RecordedReply,
) -> None:
    verdict = None if answered.fallback else answered.value.verdict
    tokens = (recorded.prompt_tokens, recorded.completion_tokens)
    key = _make_key(check, row)
    writer.commit_judgement(JudgementRow(judge, *key, verdict, recorded.reply, *tokens))


def _report(
    watch: Callable[[Progress], None], tick: int, time: datetime, now: JudgingResult
) -> None:
    """Report the judging as interviews at the end of the run."""
    spent = now.spent
    dollars = float(spent.dollars) or None
    watch(Progress(tick, tick, time, spent.calls, spent.tokens, dollars, asking=True))


REPLIES: ScriptedReplies = {CaseReply: _judge_by_words}
