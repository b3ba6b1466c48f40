"""One trial in a worker: a job is started or resumed, judged and measured; its result is data."""

import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from genagents_env.errors import DivergenceError, GenagentsError, RecordError, RunLocked
from genagents_env.llm.budget import NO_LIMITS, Limits, Spend
from genagents_env.llm.redact import clean_from_environment
from genagents_env.record import RunMeta, RunReader, RunWriter
from genagents_env.run import Progress, RunOptions, RunResult, RunSpec, resume, run
from genagents_env.run.policies import find_policy_file, shorten_policy
from genagents_env.run.signals import DeferredSignals
from genagents_env.study.evaluate.measures import find_measures
from genagents_env.study.judge import judge_finished_run
from genagents_env.study.sweep.ledger import SharedLedger
from genagents_env.study.sweep.measured import (
    MeasuredRun,
    measure_run,
    read_measured,
    store_measured,
)

T = TypeVar("T")

DAMAGED = "damaged"
_ABANDONED = 70  # exit code of a worker whose sweep has ended
_PARENT_PAUSE = 1.0
_LOCK_PATIENCE = 10.0  # seconds a worker just killed may take to let go of its run file
_LOCK_PAUSE = 0.1
_MESSAGE_LIMIT = 500
# Advice of runs that a sweep has otherwise: its limits stand in its file, and a corrected policy
# makes another trial.
_OWN_LIMIT = re.compile(r"; --limit \w+=N raises it|, then `genagents resume [^`]*`")


@dataclass(frozen=True)
class Job:
    """A trial, and how a worker is to run it.

    Attributes:
        trial: its name.
        spec: what is run, with its seed.
        path: of its run file.
        ledger: of the sweep, or of this trial; None for one that lasts as long as the worker.
        options: of the run, but what only its worker has: the ledger, and who watches.
        total: of all workers together, or the part that is this worker's own.
        judge: let the run's own model judge its answers in the end.
        measures: names of those that are taken of the finished run.
        base: the folder from which measures that are files are found.
        is_dedicated: the process is a worker of this machine that does nothing but this.
    """

    trial: str
    spec: RunSpec
    path: Path
    ledger: Path | None
    options: RunOptions = RunOptions()  # noqa: RUF009 (frozen)
    total: Limits = NO_LIMITS
    judge: bool = True
    measures: tuple[str, ...] = ()
    base: Path = Path()
    is_dedicated: bool = False


@dataclass(frozen=True)
class TrialResult:
    """How a trial stands when its worker is done with it.

    Attributes:
        trial: its name.
        status: of the run file (finished, paused, budget_exhausted, interrupted), `failed`, or
            `damaged` for a file that has to be set aside before the trial is run again.
        tick: the last one of the run.
        message: one line; of a finished run why not all its answers are judged, mostly empty.
        seconds: of wall clock spent on it here.
        spent: meanwhile, by all who share its ledger.
        measured: what was measured of a finished run, as it is stored beside the file.
    """

    trial: str
    status: str
    tick: int = -1
    message: str = ""
    seconds: float = 0.0
    spent: Spend = Spend()  # noqa: RUF009 (frozen)
    measured: MeasuredRun | None = None

    @property
    def hash(self) -> str | None:
        """The canonical one of a finished run."""
        return None if self.measured is None else self.measured.hash

    @property
    def degraded(self) -> str:
        """Why a finished run is; empty where it is not."""
        return "" if self.measured is None else self.measured.degraded

    @property
    def state(self) -> Literal["finished", "stopped", "failed"]:
        """Stopped is resumable; failed needs the user's attention."""
        if self.status == "finished":
            return "finished"
        return "failed" if self.status in ("failed", DAMAGED) else "stopped"


def run_trial(job: Job) -> TrialResult:
    """Run the trial of `job` until it ends or has to stop, and return how it stands.

    A file that exists is resumed, an empty or missing one started. Whatever a policy, a package
    that is missing or the file itself raises becomes a result of state `failed`.
    """
    started = time.monotonic()
    if job.is_dedicated:
        _leave_process_group()
    signals = DeferredSignals()
    # What a policy prints is no result of the command.
    with redirect_stdout(sys.stderr), signals.listen(), _open_ledger(job) as own:
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
    end = TrialResult(job.trial, result.status, result.tick, result.message)
    if end.state != "finished":
        return end
    measures, _ = find_measures(job.measures, job.base)
    measured = measure_run(job.path, measures, read_measured(job.path))
    store_measured(job.path, measured)
    return replace(end, measured=measured)


def _run_or_resume(job: Job, options: RunOptions) -> RunResult:
    path = job.path
    if not path.exists() or path.stat().st_size == 0:
        return run(job.spec, path, options, force=True)
    with RunWriter.open(path) as writer:  # takes in, too, what a killed writer left beside it
        finished = writer.status == "finished"
    with RunReader(path) as reader:
        if other := _find_difference(job.spec, reader.meta):
            raise RecordError(f"{path} is another run: {other}; it is damaged or not a run file")
        if finished:
            found = reader.find_degradation()
            return RunResult(path, "finished", reader.last_tick, 0, degradation=found)
    # Of policies that are files, those of the plan and no others are run.
    named = dict.fromkeys((job.spec.policy.name, *job.spec.policy_for.values()))
    files = tuple(one for one in named if find_policy_file(one) is not None)
    return resume(path, replace(options, policies=files))


def _find_difference(spec: RunSpec, meta: RunMeta) -> str:
    """Return in what a recorded run is not of `spec`; empty where it is."""
    if meta.seed != spec.seed:
        return f"its seed is {meta.seed}, not {spec.seed}"
    for key in ("start", "hours", "seconds_per_tick"):
        if meta.arguments.get(key) != getattr(spec.town, key):
            return f"its {key} is {meta.arguments.get(key)}, not {getattr(spec.town, key)}"
    if meta.scenario != spec.town.scenario:
        return "its scenario is not the one of the experiment, or has changed"
    for agent in meta.names:
        wanted = spec.policy.name, dict(spec.policy.config)
        if agent in spec.policy_for:
            wanted = spec.policy_for[agent], {}
        recorded = meta.policies.get(agent, {})
        name, config = str(recorded.get("name")), recorded.get("config")
        if (shorten_policy(name), config) != (shorten_policy(wanted[0]), wanted[1]):
            return f"the policy of {agent} is {name} with {config}"
    return ""


def _make_failure(trial: str, path: Path, error: BaseException) -> TrialResult:
    kind = "" if isinstance(error, GenagentsError) else f"{type(error).__name__}: "
    status = DAMAGED if _is_damage(error) and path.is_file() else "failed"
    return TrialResult(trial, status, message=f"{kind}{error}")


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
    os._exit(_ABANDONED)


@contextmanager
def _open_ledger(job: Job) -> Iterator[SharedLedger]:
    """Give the budget that the job names; without one, a ledger of its own for its part."""
    with tempfile.TemporaryDirectory(prefix="genagents-") as folder:
        path = job.ledger or Path(folder) / "ledger.sqlite"
        with SharedLedger(path, job.total, job.trial) as ledger:
            yield ledger
