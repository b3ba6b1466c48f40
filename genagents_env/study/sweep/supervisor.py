"""Every job gets a result, also when workers are killed: what was lost is run again.

When one worker dies, loky ends all others and drops what they did; the trials are resumed from
their checkpoints in new ones. A trial that kills its worker again and again is given up.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from genagents_env.errors import RecordError
from genagents_env.record import RunReader
from genagents_env.study.sweep.backends import end_workers, find_death_errors, run_jobs
from genagents_env.study.sweep.job import Job, TrialResult
from genagents_env.study.sweep.worker import run_trial

PATIENCE = 5
_SUSPECT = 3  # deaths without progress after which a trial is run alone
_EARLY = 0.25  # how a death counts of a worker that had not yet started its trial


def supervise(
    jobs: Sequence[Job],
    *,
    backend: str,
    workers: int,
    on_result: Callable[[TrialResult], None],
    may_start: Callable[[Job], bool] = lambda job: True,
    on_death: Callable[[Sequence[str]], None] = lambda trials: None,
    prepare: Callable[[Job], Job] = lambda job: job,
    work: Callable[[Job], TrialResult] = run_trial,
) -> None:
    """Have every job done once.

    Args:
        jobs: of different trials, in the order in which they start.
        backend: see `backends`.
        workers: at once.
        on_result: called with every result, in this thread; `failed` for a trial in which workers
            died `PATIENCE` times while its run file made no progress.
        may_start: asked, in another thread, before a job starts; one refused has no result.
        on_death: called with the names of the trials under way when a worker died.
        prepare: gives a job what only its start can tell, in that other thread.
        work: what is done with a job.
    """
    queue = _JobQueue(jobs, may_start)
    try:
        while batch := queue.next_batch():
            try:
                handed_out = (prepare(job) for job in queue.hand_out(batch))
                for result in run_jobs(handed_out, backend, workers, work):
                    queue.left.pop(result.trial)
                    on_result(result)
            except find_death_errors(backend):
                on_death(sorted(queue.running()))
                end_workers(backend)
                for result in queue.count_deaths():
                    queue.left.pop(result.trial)
                    on_result(result)
    finally:
        end_workers(backend)


class _JobQueue:
    """What is left to do, and in which trials workers have died."""

    def __init__(self, jobs: Sequence[Job], may_start: Callable[[Job], bool]) -> None:
        self.left = {job.trial: job for job in jobs}
        self._may_start = may_start
        self._started: set[str] = set()
        self._since = 0.0
        self._deaths: dict[str, float] = {}
        self._reached: dict[str, int] = {}

    def next_batch(self) -> list[Job]:
        """Return the jobs to run next: one alone, if it may be why workers die, or all."""
        waiting = [job for job in self.left.values() if self._may_start(job)]
        for job in waiting:
            if self._deaths.get(job.trial, 0) >= _SUSPECT:
                return [job]
        return waiting

    def hand_out(self, batch: Sequence[Job]) -> Iterator[Job]:
        """Yield the jobs of `batch` that may still begin when their turn comes."""
        self._started, self._since = set(), time.time()
        for job in batch:
            if self._may_start(job):
                self._started.add(job.trial)
                yield job

    def running(self) -> set[str]:
        """The trials that were started and have no result."""
        return self._started & set(self.left)

    def count_deaths(self) -> list[TrialResult]:
        """Count a death for each trial under way; return the ends of those given up."""
        ends = []
        for name in sorted(self.running()):
            job = self.left[name]
            tick, reached = _read_last_tick(job), self._reached.get(name, -1)
            self._reached[name] = max(tick, reached)
            before = 0.0 if tick > reached else self._deaths.get(name, 0.0)
            self._deaths[name] = before + (1.0 if _was_touched(job, self._since) else _EARLY)
            if self._deaths[name] >= PATIENCE:
                message = (
                    f"workers died again and again at tick {max(tick, 0)}, killed or crashed "
                    "(memory? a library that its policy uses?); it was given up"
                )
                ends.append(TrialResult(name, "failed", tick, message=message))
        return ends


def _read_last_tick(job: Job) -> int:
    with suppress(RecordError), RunReader(job.path) as record:
        return record.last_tick
    return -1


def _was_touched(job: Job, since: float) -> bool:
    """Whether the run file of `job` has been written since then."""
    files = (job.path.with_name(job.path.name + suffix) for suffix in ("", "-wal"))
    return any(file.exists() and file.stat().st_mtime >= since for file in files)
