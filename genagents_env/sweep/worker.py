"""One trial lived in a worker: begun, gone on with or redone, then judged; its end is data."""

import os
import signal
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from genagents_env.errors import DivergenceError, GenagentsError, RecordError, RunLocked
from genagents_env.judge import judge_finished_run
from genagents_env.llm.redact import redact_environment
from genagents_env.record import RunReader, RunWriter, canonical_hash
from genagents_env.run import Limits, Progress, RunOptions, RunResult, resume, run
from genagents_env.sweep.design.trials import Trial
from genagents_env.sweep.ears import DeferredSignals
from genagents_env.sweep.spending.client import ABANDONED, BudgetClient
from genagents_env.sweep.spending.protocol import Address
from genagents_env.text import clean

T = TypeVar("T")

LOCK_PATIENCE = 10.0  # seconds a worker just killed may take to let go of its run file
DAMAGED = "damaged"
_LOCK_PAUSE = 0.1
_PARENT_PAUSE = 1.0
_MESSAGE_LIMIT = 500
_THREADS = "OMP_NUM_THREADS"


@dataclass(frozen=True)
class Job:
    """A trial, and how a worker is to live it.

    Attributes:
        trial: what is run.
        path: of its run file, in the sweep's folder.
        address: of the sweep's budget server; None is no shared budget and no progress.
        limits: of this run.
        concurrency: model calls under way at once.
        judge: let the run's own model judge its answers in the end.
        threads: for a model in this process.
        begun: the run file as it stood, where it is not on this machine.
        collect: live in a temporary folder and send the run file back.
        apart: the process is a worker of this machine that does nothing but this.
    """

    trial: Trial
    path: Path
    address: Address | None
    limits: Limits
    concurrency: int
    judge: bool
    threads: int
    unfinished: bytes | None = None
    collect: bool = False
    is_dedicated: bool = False


@dataclass(frozen=True)
class TrialResult:
    """How a trial stands when its worker is done with it.

    Attributes:
        trial: its name.
        state: stopped is resumable; failed needs somebody to look.
        status: of the run file (finished, paused, budget_exhausted, interrupted), `failed`, or
            `damaged` for a file that has to be set aside before the trial is lived again.
        tick: the last one lived.
        hash: the canonical one of a finished run.
        message: one line; of a finished run why not all its answers are judged, mostly empty.
        seconds: of wall clock spent on it here.
        file: the run file, where the job asked for it.
    """

    trial: str
    state: Literal["finished", "stopped", "failed"]
    status: str
    tick: int
    hash: str | None
    message: str
    seconds: float
    file: bytes | None = None


def run_trial(job: Job) -> TrialResult:
    """Live the trial of `job` until it ends or has to stop, and tell how it stands.

    A file that exists is gone on with, an empty or missing one begun. Whatever a policy, a
    package that is missing or the file itself raises becomes a result of state `failed`.
    """
    began = time.monotonic()
    if job.is_dedicated:
        _leave_process_group()
    ears = DeferredSignals()
    with ears.listen(), _set_threads(job.threads), _prepare_path(job) as path:
        try:
            result = _run_and_judge(replace(job, path=path), ears)
        # A trial is others' code: whatever it raises, SystemExit included, is told as its own end.
        except (Exception, SystemExit) as error:
            result = _make_failure(job.trial.name, path, error)
        file = path.read_bytes() if job.collect and path.is_file() else None
    message = redact_environment(result.message.replace(str(path), str(job.path)))
    message = clean(message, _MESSAGE_LIMIT)
    return replace(result, message=message, file=file, seconds=time.monotonic() - began)


def _run_and_judge(job: Job, ears: DeferredSignals) -> TrialResult:
    name, path = job.trial.name, job.path
    with ExitStack() as stack:
        budget = None
        if job.address is not None:
            budget = BudgetClient(job.address, name)
            stack.callback(budget.close)

        def watch(progress: Progress) -> None:
            ears.raise_again()
            if budget is not None:
                budget.report(progress)

        if ears.signal is not None:
            return TrialResult(name, "stopped", "interrupted", -1, None, "stopped by a signal", 0.0)
        trial = job.trial
        engine = RunOptions(
            model=trial.model,
            embedder=trial.embedder,
            interviews=trial.interviews,
            limits=job.limits,
            concurrency=job.concurrency,
            account=budget,
            watch=watch,
        )
        outcome = retry_while_locked(lambda: _run_or_resume(job, engine))
        if job.judge:
            outcome = judge_finished_run(outcome, engine)
    finished = outcome.status == "finished"
    return TrialResult(
        name,
        "finished" if finished else "stopped",
        outcome.status,
        outcome.tick,
        canonical_hash(path) if finished else None,
        outcome.message,
        0.0,
    )


def _run_or_resume(job: Job, engine: RunOptions) -> RunResult:
    path = job.path
    if not path.is_file() or _is_blank(path):
        return run(job.trial.spec, path, engine, force=True)
    with RunWriter.open(path) as writer:  # takes in, too, what a killed writer left beside it
        finished = writer.status == "finished"
    if not finished:
        return resume(path, engine)
    with RunReader(path) as record:
        return RunResult(path, "finished", record.last_tick, 0)


def _is_blank(path: Path) -> bool:
    """Whether a worker was killed before it had written anything but an empty file's tables."""
    with closing(sqlite3.connect(path)) as connection:
        try:
            tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
            if not tables:
                return True
            (rows,) = connection.execute("SELECT count(*) FROM meta").fetchone()
            return not rows
        except sqlite3.DatabaseError:  # damaged, or locked: told by whoever opens it
            return False


def retry_while_locked(live: Callable[[], T]) -> T:
    """Return what `live` gives, once a worker that was killed has let go of the run file."""
    until = time.monotonic() + LOCK_PATIENCE
    while True:
        try:
            return live()
        except RunLocked:
            if time.monotonic() > until:
                raise
        time.sleep(_LOCK_PAUSE)


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


def _leave_process_group() -> None:
    """Leave the terminal's process group: Ctrl-C is for the sweep, which passes it on once.

    Between trials a signal that comes late is let go by; it would take the other workers along.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
        threading.Thread(target=_exit_with_sweep, args=(os.getppid(),), daemon=True).start()


def _exit_with_sweep(sweep: int) -> None:
    """End this process when its sweep is dead; under way, its budget client does so first."""
    while os.getppid() == sweep:
        time.sleep(_PARENT_PAUSE)
    os._exit(ABANDONED)


@contextmanager
def _set_threads(count: int) -> Iterator[None]:
    """Tell a model opened inside how many threads are its own."""
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before


@contextmanager
def _prepare_path(job: Job) -> Iterator[Path]:
    """Give the run file's path, or a temporary copy's where the file is to be sent back."""
    if not job.collect:
        yield job.path
        return
    with tempfile.TemporaryDirectory(prefix="genagents-") as folder:
        path = Path(folder) / job.path.name
        if job.unfinished:
            path.write_bytes(job.unfinished)
        yield path
