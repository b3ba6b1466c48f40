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
from genagents_env.run.cases import Case, cases, reply_of
from genagents_env.run.loop import finished
from genagents_env.run.model import open_model
from genagents_env.run.sitting import Sitting
from genagents_env.run.spec import Engine, Outcome, Progress
from genagents_env.run.spending import left
from genagents_env.text import clean

_MARK = 6  # characters of the fence's mark
_NAME = 200
_MAX_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Judged:
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


def judge(path: str | Path, engine: Engine | None = None, *, by: str | None = None) -> Judged:
    """Ask a model what every stored answer comes to that a check of the scenario is about.

    What it has judged already is not asked again, so that a judging that was stopped goes on
    where it was. The run and its canonical hash stay what they are.

    Args:
        path: of the run file.
        engine: model, limits, concurrency, retries and `watch`; without a model, the run's own.
        by: the name under which the verdicts are stored; None is the model's.

    Raises:
        ConfigError: there is no such model, or `by` has no words.
        RecordError: the file is missing, foreign, damaged or newer.
        RunLocked: another process writes it.
        LLMRefused: the endpoint refuses: key, permission or model name is wrong.
    """
    engine = engine or Engine()
    if by is not None and not clean(by, _NAME):
        raise ConfigError("by: a judge needs a name")
    with RunWriter.open(path, on_phase=engine.on_phase) as writer, RunReader(path) as run:
        meta = run.meta
        found = cases(meta.scenario, meta.names, run.interviews())
        if not found:
            return Judged(writer.path)
        asked_for = engine.model or meta.asked_model
        endpoint = open_model(asked_for, engine.endpoint, engine.limits)
        name = clean(by or endpoint.model, _NAME)
        known = {
            (row.check, row.tick, row.agent, row.question, row.repeat)
            for row in run.judgements()
            if row.judge == name and row.verdict is not None
        }
        due = [case for case in found if case.key not in known]
        stands = Judged(writer.path, name, len(found), len(found) - len(due))
        done = finished(_Bench(writer, run, engine, endpoint, name).heard(due, stands))
    if done.message:
        options = "".join(
            f" --{option} {value}"
            for option, value in (("model", engine.model), ("by", by))
            if value
        )
        done = replace(
            done, message=f"{done.message}; go on with `genagents judge {path}{options}`"
        )
    return done


def judged(outcome: Outcome, engine: Engine) -> Outcome:
    """Return how a run stands once its own model has judged its answers.

    Only a finished run that asked a model is judged, within what its limits leave. Where that
    fails, the run stays finished, and the outcome tells why and how to go on.
    """
    if outcome.status != "finished":
        return outcome
    with RunReader(outcome.path) as run:
        if run.meta.model is None:
            return outcome
        engine = replace(engine, limits=left(engine.limits, run))
    try:
        done = judge(outcome.path, engine)
    except GenagentsError as error:  # whatever is wrong with the judge, the run is lived
        again = f"{error}; go on with `genagents judge {outcome.path}`"
        done = Judged(outcome.path, exit_code=error.exit_code, message=again)
    if not done.message:
        return outcome
    message = f"the run is finished, but not all of its answers are judged: {done.message}"
    return replace(outcome, exit_code=done.exit_code, message=message)


class _Bench:
    """One sitting of a judge over one run."""

    def __init__(
        self, writer: RunWriter, run: RunReader, engine: Engine, endpoint: Endpoint, name: str
    ) -> None:
        self.writer, self.run, self.engine, self.name = writer, run, engine, name
        self.mark = run_fence(run.meta.seed)[:_MARK]
        self.sitting = Sitting(endpoint, engine, run.meta.seed)
        self.client = self.sitting.client
        self.given = self.unusable = 0

    async def heard(self, due: Sequence[Case], stands: Judged) -> Judged:
        """Return how it stands after all cases in `due`, or as many as could be heard."""
        exit_code, message = await self.sitting.held(due, self._hear)
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
        reply = reply_of(case.verdicts)
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
        if self.engine.watch is None:
            return
        spent, last = self.client.budget.spent, self.run.last_tick
        priced = self.client.endpoint.price is not None
        self.engine.watch(
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
