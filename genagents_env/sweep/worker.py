"""One trial run in a worker: started, resumed or run again, then judged; its result is data."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from genagents_env.errors import DivergenceError, GenagentsError, RecordError, RunLocked
from genagents_env.judge import judge_finished_run
from genagents_env.llm.redact import clean_from_environment
from genagents_env.record import RunReader, RunWriter, canonical_hash
from genagents_env.run import Progress, RunOptions, RunResult, resume, run
from genagents_env.run.policies import find_policy_file
from genagents_env.run.signals import DeferredSignals
from genagents_env.sweep.design.trials import Trial
from genagents_env.sweep.job import DAMAGED, Job, TrialResult
from genagents_env.sweep.spending.client import BudgetClient
from genagents_env.sweep.trial_status import describe_degraded
from genagents_env.sweep.worker_process import leave_process_group, prepare_path, set_threads

T = TypeVar("T")

_LOCK_PATIENCE = 10.0  # seconds a worker just killed may take to let go of its run file
_LOCK_PAUSE = 0.1
_MESSAGE_LIMIT = 500


def run_trial(job: Job) -> TrialResult:
    """Run the trial of `job` until it ends or has to stop, and return how it stands.

    A file that exists is resumed, an empty or missing one started. Whatever a policy, a package
    that is missing or the file itself raises becomes a result of state `failed`.
    """
    started = time.monotonic()
    if job.is_dedicated:
        leave_process_group()
    signals = DeferredSignals()
    with signals.listen(), set_threads(job.threads), prepare_path(job) as path:
        try:
            result = _run_and_judge(replace(job, path=path), signals)
        # A trial runs users' code: whatever it raises, SystemExit included, ends only this trial.
        except (Exception, SystemExit) as error:
            result = _make_failure(job.trial.name, path, error)
        file = path.read_bytes() if job.collect and path.is_file() else None
    message = result.message.replace(str(path), str(job.path))
    message = clean_from_environment(message, _MESSAGE_LIMIT)
    return replace(result, message=message, file=file, seconds=time.monotonic() - started)


def retry_while_locked(attempt: Callable[[], T]) -> T:
    """Return what `attempt` gives, once a worker that was killed has let go of the run file."""
    until = time.monotonic() + _LOCK_PATIENCE
    while True:
        try:
            return attempt()
        except RunLocked:
            if time.monotonic() > until:
                raise
        time.sleep(_LOCK_PAUSE)


def _run_and_judge(job: Job, signals: DeferredSignals) -> TrialResult:
    trial, path = job.trial, job.path
    with ExitStack() as stack:
        budget = None
        if job.address is not None:
            budget = BudgetClient(job.address, trial.name)
            stack.callback(budget.close)

        def watch(progress: Progress) -> None:
            signals.raise_again()
            if budget is not None:
                budget.report(progress)

        if signals.signal is not None:
            message = "stopped by a signal"
            return TrialResult(trial.name, "stopped", "interrupted", -1, None, message, 0.0)
        options = RunOptions(
            model=trial.model,
            model_options=job.model_options,
            model_for=job.model_for or None,
            embedder=trial.embedder,
            interviews=trial.interviews,
            limits=job.limits,
            no_limit=True,  # but those of the experiment, which may have changed
            concurrency=job.concurrency,
            shared_budget=budget,
            strict=job.strict,
            max_fallbacks=job.max_fallbacks,
            watch=watch,
        )
        result = retry_while_locked(lambda: _run_or_resume(job, options))
        if job.judge:
            result = judge_finished_run(result, options)
    finished = result.status == "finished"
    left: Literal["failed", "stopped"] = "failed" if result.status == "failed" else "stopped"
    return TrialResult(
        trial.name,
        "finished" if finished else left,
        result.status,
        result.tick,
        canonical_hash(path) if finished else None,
        result.message,
        0.0,
        describe_degraded(result.degradation) if finished else "",
    )


def _run_or_resume(job: Job, options: RunOptions) -> RunResult:
    path = job.path
    if not path.exists() or path.stat().st_size == 0:
        return run(job.trial.spec, path, options, force=True)
    with RunWriter.open(path) as writer:  # takes in, too, what a killed writer left beside it
        finished = writer.status == "finished"
    if not finished:
        return resume(path, replace(options, policies=_list_files(job.trial)))
    with RunReader(path) as reader:
        return RunResult(
            path, "finished", reader.last_tick, 0, degradation=reader.find_degradation()
        )


def _list_files(trial: Trial) -> tuple[str, ...]:
    """Return the policies of a trial that are files: those of the plan, and no others, are run."""
    named = (trial.spec.policy.name, *trial.spec.policy_for.values())
    return tuple(dict.fromkeys(one for one in named if find_policy_file(one) is not None))


def _make_failure(trial: str, path: Path, error: BaseException) -> TrialResult:
    own = isinstance(error, GenagentsError)
    message = str(error) if own else f"{type(error).__name__}: {error}"
    status = DAMAGED if _is_damage(error) and path.is_file() else "failed"
    return TrialResult(trial, "failed", status, -1, None, message, 0.0)


def _is_damage(error: BaseException) -> bool:
    """Whether the file itself is at fault, as against the disk, its folder or the policy."""
    if not isinstance(error, RecordError) or isinstance(error, RunLocked | DivergenceError):
        return False
    return " is damaged or not a run file" in str(error) or " is not a run file " in str(error)
