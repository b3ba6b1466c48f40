"""Judging: a model says of every answer what the scenario's checks ask, once a run has asked.

Verdicts are no part of what happened: they lie beside the record, one model's next to another's,
and each is stored as it is given.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from genagents_env.errors import ConfigError, GenagentsError
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.prompts import run_fence
from genagents_env.record import JudgementRow, RunReader, RunWriter
from genagents_env.run.cases import Case, find_cases, make_case_reply
from genagents_env.run.loop import run_sync
from genagents_env.run.model import open_model
from genagents_env.run.scripted_verdict import REPLIES
from genagents_env.run.sitting import JudgeSession
from genagents_env.run.spec import Progress, RunOptions, RunResult
from genagents_env.run.spending import compute_remaining
from genagents_env.text import clean

_MARK = 6  # characters of the fence's mark
_NAME = 200
_MAX_TOKENS = 200


@dataclass(frozen=True, slots=True)
class JudgingResult:
    """How the judging of a run stands.

    Attributes:
        path: of the run file.
        judge: the name under which the verdicts are stored; empty where there is nothing to judge.
        cases: verdicts that are called for: every answer with every check about its question.
        before: of these, how many had been given before.
        given: how many were given now.
        unusable: how many replies were no verdict; they are asked for again next time.
        exit_code: of the command line.
        message: why it stopped early and what to do; empty when every case has been heard.
    """

    path: Path
    judge: str = ""
    cases: int = 0
    before: int = 0
    given: int = 0
    unusable: int = 0
    exit_code: int = 0
    message: str = ""


def judge_run(
    path: str | Path, options: RunOptions | None = None, *, by: str | None = None
) -> JudgingResult:
    """Ask a model what every stored answer comes to that a check of the scenario is about.

    What it has judged already is not asked again, so that a judging that was stopped goes on
    where it was. The run and its canonical hash stay what they are.

    Args:
        path: of the run file.
        options: model, limits, concurrency, retries and `watch`; without a model, the run's own.
        by: the name under which the verdicts are stored; None is the model's.

    Raises:
        ConfigError: there is no such model, or `by` has no words.
        RecordError: the file is missing, foreign, damaged or newer.
        RunLocked: another process writes it.
        LLMRefused: the endpoint refuses: key, permission or model name is wrong.
    """
    options = options or RunOptions()
    if by is not None and not clean(by, _NAME):
        raise ConfigError("by: a judge needs a name")
    with RunWriter.open(path, on_phase=options.on_phase) as writer, RunReader(path) as run:
        meta = run.meta
        found = find_cases(meta.scenario, meta.names, run.interviews())
        if not found:
            return JudgingResult(writer.path)
        asked_for = options.model or meta.asked_model
        endpoint = open_model(asked_for, options.endpoint, options.limits, [REPLIES])
        name = clean(by or endpoint.model, _NAME)
        known = {
            (row.check, row.tick, row.agent, row.question, row.repeat)
            for row in run.judgements()
            if row.judge == name and row.verdict is not None
        }
        due = [case for case in found if case.key not in known]
        stands = JudgingResult(writer.path, name, len(found), len(found) - len(due))
        done = run_sync(_Bench(writer, run, options, endpoint, name).heard(due, stands))
    if done.message:
        flags = "".join(
            f" --{option} {value}"
            for option, value in (("model", options.model), ("by", by))
            if value
        )
        done = replace(done, message=f"{done.message}; go on with `genagents judge {path}{flags}`")
    return done


def judge_finished_run(result: RunResult, options: RunOptions) -> RunResult:
    """Return how a run stands once its own model has judged its answers.

    Only a finished run that asked a model is judged, within what its limits leave. Where that
    fails, the run stays finished, and the result tells why and how to go on.
    """
    if result.status != "finished":
        return result
    with RunReader(result.path) as run:
        if run.meta.model is None:
            return result
        options = replace(options, limits=compute_remaining(options.limits, run))
    try:
        done = judge_run(result.path, options)
    except GenagentsError as error:  # whatever is wrong with the judge, the run is lived
        again = f"{error}; go on with `genagents judge {result.path}`"
        done = JudgingResult(result.path, exit_code=error.exit_code, message=again)
    if not done.message:
        return result
    message = f"the run is finished, but not all of its answers are judged: {done.message}"
    return replace(result, exit_code=done.exit_code, message=message)


class _Bench:
    """One sitting of a judge over one run."""

    def __init__(
        self, writer: RunWriter, run: RunReader, options: RunOptions, endpoint: Endpoint, name: str
    ) -> None:
        self.writer, self.run, self.options, self.name = writer, run, options, name
        self.mark = run_fence(run.meta.seed)[:_MARK]
        self.sitting = JudgeSession(endpoint, options, run.meta.seed)
        self.client = self.sitting.client
        self.given = self.unusable = 0

    async def heard(self, due: Sequence[Case], stands: JudgingResult) -> JudgingResult:
        """Return how it stands after all cases in `due`, or as many as could be heard."""
        exit_code, message = await self.sitting.ask_all(due, self._hear)
        return replace(
            stands,
            given=self.given,
            unusable=self.unusable,
            exit_code=exit_code,
            message=message,
        )

    async def _hear(self, case: Case) -> None:
        row = await self._verdict(case)
        self.writer.commit_judgement(row)
        self.unusable += row.verdict is None
        self.given += row.verdict is not None
        self._tell()

    async def _verdict(self, case: Case) -> JudgementRow:
        reply = make_case_reply(case.verdicts)
        answered = await self.client.ask(
            case.call,
            case.messages(self.mark),
            reply,
            fallback=reply.model_construct(why="", verdict=""),
            max_tokens=_MAX_TOKENS,
            temperature=0.0,
        )
        told = self.sitting.replies.rows[case.call]
        return JudgementRow(
            self.name,
            *case.key,
            None if answered.fallback else answered.value.verdict,
            told.reply,
            told.prompt_tokens,
            told.completion_tokens,
        )

    def _tell(self) -> None:
        if self.options.watch is None:
            return
        spent, last = self.client.budget.spent, self.run.last_tick
        priced = self.client.endpoint.price is not None
        self.options.watch(
            Progress(
                tick=last,
                horizon=last,
                time=self.run.time(last),
                calls=spent.calls,
                tokens=spent.tokens,
                dollars=float(spent.dollars) if priced else None,
                asking=True,
            )
        )
