"""Workers, here or on a cluster through Ray: each trial gets a result, whoever is killed.

When one worker dies, loky ends all others and drops what they did; the trials are resumed from
their checkpoints in new ones. A trial that kills its worker again and again is given up.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress

from genagents_env.errors import ConfigError, RecordError
from genagents_env.extras import format_install_command
from genagents_env.record import RunReader
from genagents_env.scenario.faults import quote, suggest
from genagents_env.study.sweep.worker import Job, TrialResult, run_trial

BACKENDS = ("loky", "ray")
# llama.cpp's threads spin at barriers: with every core taken it falls to a hundredth of its speed.
_SPARE_CORES = 1
_IDLE = 60  # seconds after which a worker without work ends, also one whose sweep ended
_PATIENCE = 5  # deaths without progress after which a trial is given up
_SUSPECT = 3  # and after which it is run alone
_EARLY = 0.25  # how a death counts of a worker that had not yet started its trial


def check_backend(name: str) -> None:
    """Make the backend `name` ready for use.

    Ray is joined by `RAY_ADDRESS`, or started on this machine.

    Raises:
        ConfigError: there is no such backend, or what it needs is not installed.
    """
    if name not in BACKENDS:
        raise ConfigError(f"backend: {quote(name)} is unknown; {suggest(name, BACKENDS)}")
    if name == "ray":
        _join_ray()


def count_cores() -> int:
    """Return how many cores this process may use, which may be fewer than the machine has."""
    from joblib import cpu_count

    return int(cpu_count())


def is_remote(backend: str) -> bool:
    """Return whether workers may be on other machines, which see the folder but share no ledger."""
    return backend != "loky"


def supervise(
    trials: Iterable[str],
    *,
    backend: str,
    workers: int,
    start: Callable[[str], Job | None],
    on_result: Callable[[TrialResult], bool],
    on_death: Callable[[Sequence[str]], None] = lambda trials: None,
    work: Callable[[Job], TrialResult] = run_trial,
) -> None:
    """Run every trial until it has a result that counts.

    Args:
        trials: their names, in the order in which they start.
        backend: one of `BACKENDS`.
        workers: at once.
        start: gives, in another thread, the job of a trial whose turn has come; None where it may
            not start any more.
        on_result: called with every result, in this thread, and returns whether it counts; if not,
            the trial is started again. `failed` is that of a trial in which workers died five
            times while its run file made no progress.
        on_death: called with the names of the trials under way when a worker died.
        work: what is done with a job.
    """
    left, deaths = dict.fromkeys(trials), _Deaths()
    try:
        while left:
            begun, since = dict[str, Job](), time.time()
            jobs = _hand_out(deaths.choose(left), left, begun, start)
            try:
                for result in _run_jobs(jobs, backend, workers, work):
                    del begun[result.trial]
                    if on_result(result):
                        del left[result.trial]
            except _find_death_errors(backend):
                on_death(sorted(begun))
                _end_workers(backend)
                for job in (begun[name] for name in sorted(begun)):
                    end = deaths.count(job, since)
                    if end is not None and on_result(end):
                        del left[job.trial]
    finally:
        _end_workers(backend)


def _hand_out(
    batch: Iterable[str],
    left: dict[str, None],
    begun: dict[str, Job],
    start: Callable[[str], Job | None],
) -> Iterator[Job]:
    for trial in batch:
        if (job := start(trial)) is None:
            del left[trial]
        else:
            begun[trial] = job
            yield job


class _Deaths:
    """In which trials workers have died."""

    def __init__(self) -> None:
        self._counts: dict[str, float] = {}
        self._ticks: dict[str, int] = {}

    def choose(self, left: Iterable[str]) -> list[str]:
        """Return the trials to run next: one alone, if it may be why workers die, or all."""
        suspects = [name for name in left if self._counts.get(name, 0) >= _SUSPECT]
        return suspects[:1] or list(left)

    def count(self, job: Job, since: float) -> TrialResult | None:
        """Count a death in a trial begun after `since`; return its end where it is given up."""
        name, tick, reached = job.trial, -1, self._ticks.get(job.trial, -1)
        with suppress(RecordError), RunReader(job.path) as record:
            tick = record.last_tick
        before = 0.0 if tick > reached else self._counts.get(name, 0.0)
        self._ticks[name] = max(tick, reached)
        self._counts[name] = before + (1.0 if _was_touched(job, since) else _EARLY)
        if self._counts[name] < _PATIENCE:
            return None
        message = (
            f"workers died again and again at tick {max(tick, 0)}, killed or crashed (memory? a "
            "library that its policy uses?); it was given up"
        )
        return TrialResult(name, "failed", tick, message)


def _was_touched(job: Job, since: float) -> bool:
    """Return whether the run file of `job` has been written since then."""
    files = (job.path.with_name(job.path.name + suffix) for suffix in ("", "-wal"))
    return any(file.exists() and file.stat().st_mtime >= since for file in files)


def _run_jobs(
    jobs: Iterable[Job], backend: str, workers: int, work: Callable[[Job], TrialResult]
) -> Iterator[TrialResult]:
    """Yield each job's result as it comes; a job is taken from `jobs` when a worker is free.

    Raises:
        Exception: one of `_find_death_errors(backend)`: a worker died; all work under way is lost.
    """
    from joblib import Parallel, delayed, parallel_config

    threads = max(1, (count_cores() - _SPARE_CORES) // workers)  # of a model in a worker
    here = {} if is_remote(backend) else {"inner_max_num_threads": threads}
    with parallel_config(backend, **here):
        # joblib would do the work of one worker in this process, and a crash would end the
        # sweep; a second worker that is never given a job prevents that.
        parallel = Parallel(
            n_jobs=max(2, workers),
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch=workers,
            **({"idle_worker_timeout": _IDLE} if here else {}),
        )
    # Always closed, or workers would continue though nobody reads any more.
    with closing(parallel(delayed(work)(job) for job in jobs)) as stream:
        yield from stream


def _find_death_errors(backend: str) -> tuple[type[Exception], ...]:
    """Return what `_run_jobs` raises when a worker died."""
    if backend == "ray":
        from ray.exceptions import RayError

        return (RayError,)
    from joblib.externals.loky.process_executor import BrokenProcessPool, ShutdownExecutorError

    return (BrokenProcessPool, ShutdownExecutorError)


def _end_workers(backend: str) -> None:
    """End the workers of this machine, busy or idle; without any, do nothing."""
    if backend == "loky":
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor(reuse=True, kill_workers=True).shutdown(wait=True, kill_workers=True)


def _join_ray() -> None:
    try:
        import ray
        from joblib.parallel import register_parallel_backend
        from ray.util.joblib.ray_backend import RayBackend
    except ImportError:
        how = format_install_command("cluster")
        raise ConfigError(f"backend ray needs ray: {how}") from None

    class StreamingRayBackend(RayBackend):
        """Ray's own backend, whose pool calls back with each result as it comes."""

        supports_return_generator = True

    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    register_parallel_backend("ray", StreamingRayBackend)
