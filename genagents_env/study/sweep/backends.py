"""Where trials are run: processes of this machine, or those of a cluster through Ray."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.scenario.faults import quote, suggest
from genagents_env.study.sweep.job import Job, TrialResult

BACKENDS = ("loky", "ray")
# llama.cpp's threads spin at barriers: with every core taken it falls to a hundredth of its speed.
_SPARE_CORES = 1
_IDLE = 60  # seconds after which a worker without work ends, also one whose sweep ended


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


def is_remote(name: str) -> bool:
    """Whether workers may be on other machines, which see the folder but share no ledger."""
    return name != "loky"


def run_jobs(
    jobs: Iterable[Job], backend: str, workers: int, work: Callable[[Job], TrialResult]
) -> Iterator[TrialResult]:
    """Yield each job's result as it comes; a job is taken from `jobs` when a worker is free.

    `jobs` is read in another thread than the one that reads the results.

    Raises:
        Exception: one of `find_death_errors(backend)`: a worker died; all work under way is lost.
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


def find_death_errors(backend: str) -> tuple[type[Exception], ...]:
    """Return what `run_jobs` raises when a worker died."""
    if backend == "ray":
        from ray.exceptions import RayError

        return (RayError,)
    from joblib.externals.loky.process_executor import BrokenProcessPool, ShutdownExecutorError

    return (BrokenProcessPool, ShutdownExecutorError)


def end_workers(backend: str) -> None:
    """End the workers of this machine, busy or idle; without any, do nothing."""
    if backend != "loky":
        return
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
