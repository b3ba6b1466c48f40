"""What a trial needs of its worker's process: signals, threads, and a place for the run file."""

import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from genagents_env.study.sweep.job import Job

ABANDONED = 70  # exit code of a worker whose sweep has ended
_PARENT_PAUSE = 1.0
_THREADS = "OMP_NUM_THREADS"


def leave_process_group() -> None:
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
def set_threads(count: int) -> Iterator[None]:
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
def prepare_path(job: Job) -> Iterator[Path]:
    """Give the run file's path, or a temporary copy's where the file is to be sent back."""
    if not job.collect:
        yield job.path
        return
    with tempfile.TemporaryDirectory(prefix="genagents-") as folder:
        path = Path(folder) / job.path.name
        if job.unfinished:
            path.write_bytes(job.unfinished)
        yield path
