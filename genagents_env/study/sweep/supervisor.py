"""Every job gets a result, also when workers are killed: what was lost is run again.

When one worker dies, loky ends all others and drops what they did; the trials are resumed from
their checkpoints in new ones. A trial that kills its worker again and again is given up.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from genagents_env.errors import RecordError
from genagents_env.record import RunReader
from genagents_env.study.sweep.backends import (
    end_workers,
    find_death_errors,
    read_unfinished_run,
    run_jobs,
)
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
    patience: int = PATIENCE,
    may_start: Callable[[Job], bool] = lambda job: True,
    on_death: Callable[[Sequence[str]], None] = lambda trials: None,
    prepare: Callable[[Job], Job] = lambda job: job,
    work: Callable[[Job], TrialResult] = run_trial,
) -> list[str]:
    """Have every job done once; return a line on each trial that was given up.

    Args:
        jobs: of different trials, in the order in which they start.
        backend: see `backends`.
        workers: at once.
        on_result: called with every result, in this thread.
        patience: how often workers may die in a trial while its run file makes no progress,
            after which its result is `failed`.
        may_start: asked, in another thread, before a job starts; one refused has no result.
        on_death: called with the names of the trials under way when a worker died.
        prepare: gives a job what only its start can tell, in that other thread.
        work: what is done with a job.
    """
    watch = _JobQueue(jobs, patience)
    try:
        while batch := watch.next_batch(may_start):
            try:
                for result in run_jobs(
                    watch.hand_out(batch, may_start, prepare), backend, workers, work
                ):
                    watch.left.pop(result.trial)
                    on_result(result)
            except find_death_errors(backend):
                on_death(sorted(watch.running()))
                end_workers(backend)
                for result in watch.count_deaths():
                    watch.left.pop(result.trial)
                    on_result(result)
    finally:
        end_workers(backend)
    return watch.given_up


class _JobQueue:
    """What is left to do, and in which trials workers have died."""

    def __init__(self, jobs: Sequence[Job], patience: int) -> None:
        self.left = {job.trial: job for job in jobs}
        self.patience = patience
        self.given_up: list[str] = []
        self._started: set[str] = set()
        self._since = 0.0
        self._deaths: dict[str, float] = {}
        self._reached: dict[str, int] = {}

    def next_batch(self, go: Callable[[Job], bool]) -> list[Job]:
        """Return the jobs to run next: one alone, if it may be why workers die, or all."""
        waiting = [job for job in self.left.values() if go(job)]
        for job in waiting:
            if self._deaths.get(job.trial, 0) >= _SUSPECT:
                return [job]
        return waiting

    def hand_out(
        self, batch: Sequence[Job], go: Callable[[Job], bool], prepare: Callable[[Job], Job]
    ) -> Iterator[Job]:
        """Yield the jobs of `batch` that may still begin when their turn comes."""
        self._started, self._since = set(), time.time()
        for job in batch:
            if go(job):
                self._started.add(job.trial)
                job = prepare(job)
                yield replace(job, unfinished=read_unfinished_run(job.path)) if job.collect else job

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
            if self._deaths[name] >= self.patience:
                ends.append(self._end(name, tick))
        return ends

    def _end(self, name: str, tick: int) -> TrialResult:
        message = (
            f"workers died again and again at tick {max(tick, 0)}, killed or crashed (memory? a "
            "library that its policy uses?); it was given up"
        )
        self.given_up.append(f"{name}: {message}")
        return TrialResult(name, "failed", "failed", tick, message=message)


def _read_last_tick(job: Job) -> int:
    with suppress(RecordError), RunReader(job.path) as record:
        return record.last_tick
    return -1


def _was_touched(job: Job, since: float) -> bool:
    """Whether the run file of `job` has been written since then."""
    files = (job.path.with_name(job.path.name + suffix) for suffix in ("", "-wal"))
    return any(file.exists() and file.stat().st_mtime >= since for file in files)
