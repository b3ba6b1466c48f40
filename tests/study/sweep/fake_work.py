"""What workers of the supervisor's tests do with a job, in place of living its trial."""

import os
import signal
from pathlib import Path

from genagents_env.study.sweep.job import Job, TrialResult


def die() -> None:
    """End this process as the kernel does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def _done(job: Job) -> TrialResult:
    with job.path.with_suffix(".log").open("a") as log:
        log.write("done\n")
    return TrialResult(job.trial, "finished", 1, "hash", "", 0.1)


def good(job: Job) -> TrialResult:
    """Be done at once."""
    return _done(job)


def poisonous(job: Job) -> TrialResult:
    """Die of the trial of seed 1, always, and of no other."""
    if job.spec.seed == 1:
        job.path.touch()  # as one does who takes up the run
        die()
    return _done(job)


def mortal(job: Job) -> TrialResult:
    """Die the first time that a trial of an odd seed is tried."""
    mark = Path(f"{job.path}.mark")
    if job.spec.seed % 2 and not mark.exists():
        mark.touch()
        die()
    return _done(job)
