"""Judging a run: a model judges every stored answer by the scenario's checks.

Verdicts are no part of what happened: they are stored in the run file beside the record, one
model's beside another's, each as soon as it is given.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from genagents_env.errors import DiskError, GenagentsError
from genagents_env.llm.budget import NO_LIMITS
from genagents_env.llm.cassette import RecordedReply
from genagents_env.llm.client import ModelAnswer
from genagents_env.record import JudgementRow, RunReader, RunWriter
from genagents_env.record.spending import JUDGED
from genagents_env.run.models import reopen_model
from genagents_env.run.session import add_degradation
from genagents_env.run.spec import Progress, RunOptions, RunResult
from genagents_env.run.spending import LaterBudget
from genagents_env.study.judge.cases import REPLIES, Case, CaseReply, find_cases, make_case_reply
from genagents_env.study.judge.session import (
    JudgeQuery,
    JudgeSession,
    JudgingProgress,
    JudgingResult,
    Watch,
)


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
        given = {
            (row.check, row.tick, row.agent, row.question, row.repeat)
            for row in run.judgements()
            if row.judge == session.name and row.verdict is not None
        }
        due = [
            JudgeQuery(
                case.call,
                partial(case.messages, meta.seed),
                make_case_reply(case.verdicts),
                partial(_store, writer, session.name, case),
            )
            for case in cases
            if case.key not in given
        ]
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
