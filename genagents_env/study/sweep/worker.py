"""One trial run in a worker: started or resumed, judged, measured; its result is data."""

import os
import re
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from genagents_env.errors import DivergenceError, GenagentsError, RecordError, RunLocked
from genagents_env.llm.redact import clean_from_environment
from genagents_env.record import RunReader, RunWriter
from genagents_env.run import Progress, RunOptions, RunResult, resume, run
from genagents_env.run.policies import find_policy_file
from genagents_env.run.signals import DeferredSignals
from genagents_env.study.evaluate.measures import find_measures
from genagents_env.study.judge import judge_finished_run
from genagents_env.study.sweep.job import DAMAGED, Job, TrialResult
from genagents_env.study.sweep.ledger import SharedLedger
from genagents_env.study.sweep.measured import (
    MeasuredRun,
    measure_run,
    read_measured,
    store_measured,
)
from genagents_env.study.sweep.trial_status import find_difference

T = TypeVar("T")

ABANDONED = 70  # exit code of a worker whose sweep has ended
_PARENT_PAUSE = 1.0
_LOCK_PATIENCE = 10.0  # seconds a worker just killed may take to let go of its run file
_LOCK_PAUSE = 0.1
_MESSAGE_LIMIT = 500
# Advice of runs that a sweep has otherwise: its limits stand in its file, and a corrected policy
# makes another trial.
_OWN_LIMIT = re.compile(r"; --limit \w+=N raises it|, then `genagents resume [^`]*`")


def run_trial(job: Job) -> TrialResult:
    """Run the trial of `job` until it ends or has to stop, and return how it stands.

    A file that exists is resumed, an empty or missing one started. Whatever a policy, a package
    that is missing or the file itself raises becomes a result of state `failed`.
    """
    started = time.monotonic()
    if job.is_dedicated:
        _leave_process_group()
    signals = DeferredSignals()
    with signals.listen(), _open_ledger(job) as own:
        before = own.spent
        try:
            result = _run_and_judge(job, own, signals)
        # A trial runs users' code: whatever it raises, SystemExit included, ends only this.
        except (Exception, SystemExit) as error:
            result = _make_failure(job.trial, job.path, error)
        spent = own.spent - before
    message = clean_from_environment(_OWN_LIMIT.sub("", result.message), _MESSAGE_LIMIT)
    return replace(result, message=message, spent=spent, seconds=time.monotonic() - started)


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


def _run_and_judge(job: Job, ledger: SharedLedger, signals: DeferredSignals) -> TrialResult:
    def watch(progress: Progress) -> None:
        signals.raise_again()
        ledger.report(progress)

    if signals.signal is not None:
        return TrialResult(job.trial, "interrupted", message="stopped by a signal")
    # No limit but those of the experiment, which may have changed.
    options = replace(job.options, no_limit=True, shared_budget=ledger, watch=watch)
    result = retry_while_locked(lambda: _run_or_resume(job, options))
    if job.judge:
        result = judge_finished_run(result, options)
    measured = _measure(job) if result.status == "finished" else None
    return TrialResult(
        job.trial, result.status, result.tick, message=result.message, measured=measured
    )


def _measure(job: Job) -> MeasuredRun:
    """Take the study's measures of the finished run, and store them beside it."""
    measures, _ = find_measures(job.measures, job.base)
    found = measure_run(job.path, measures, read_measured(job.path))
    store_measured(job.path, found)
    return found


def _run_or_resume(job: Job, options: RunOptions) -> RunResult:
    path = job.path
    if not path.exists() or path.stat().st_size == 0:
        return run(job.spec, path, options, force=True)
    with RunWriter.open(path) as writer:  # takes in, too, what a killed writer left beside it
        finished = writer.status == "finished"
    with RunReader(path) as reader:
        if other := find_difference(job.spec, reader.meta):
            raise RecordError(f"{path} is another run: {other}; it is damaged or not a run file")
        if finished:
            found = reader.find_degradation()
            return RunResult(path, "finished", reader.last_tick, 0, degradation=found)
    return resume(path, replace(options, policies=_list_files(job)))


def _list_files(job: Job) -> tuple[str, ...]:
    """Return the policies of a trial that are files: those of the plan, and no others, are run."""
    named = (job.spec.policy.name, *job.spec.policy_for.values())
    return tuple(dict.fromkeys(one for one in named if find_policy_file(one) is not None))


def _make_failure(trial: str, path: Path, error: BaseException) -> TrialResult:
    own = isinstance(error, GenagentsError)
    message = str(error) if own else f"{type(error).__name__}: {error}"
    status = DAMAGED if _is_damage(error) and path.is_file() else "failed"
    return TrialResult(trial, status, message=message)


def _is_damage(error: BaseException) -> bool:
    """Whether the file itself is at fault, as against the disk, its folder or the policy."""
    if not isinstance(error, RecordError) or isinstance(error, RunLocked | DivergenceError):
        return False
    return " is damaged or not a run file" in str(error) or " is not a run file " in str(error)


def _leave_process_group() -> None:
    """Leave the terminal's process group: Ctrl-C is for the sweep, which passes it on once.

    Between trials a signal that comes late is ignored; it would end the other workers, too.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
        threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()


def _exit_with_parent(parent: int) -> None:
    """End this process when its sweep has ended; its run resumes from its last checkpoint."""
    while os.getppid() == parent:
        time.sleep(_PARENT_PAUSE)
    os._exit(ABANDONED)


@contextmanager
def _open_ledger(job: Job) -> Iterator[SharedLedger]:
    """Give the budget that the job names; without one, a ledger of its own for its part."""
    with tempfile.TemporaryDirectory(prefix="genagents-") as folder:
        path = job.ledger or Path(folder) / "ledger.sqlite"
        with SharedLedger(path, job.total, job.trial) as ledger:
            yield ledger
