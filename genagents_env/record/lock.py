"""One writer a run file: a lock that ends with its process, even one killed with -9."""

import fcntl
import os
import time
from pathlib import Path

from genagents_env.errors import RunLocked


class RunLock:
    """An advisory lock on `<run file>.lock`, which holds the writer's process id.

    It lies beside the run file, not in it: closing any descriptor of a SQLite file would drop
    SQLite's own locks.

    Raises:
        RunLocked: another writer holds it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + ".lock")
        self._descriptor: int | None = self._acquire(path)

    def _acquire(self, run_path: Path) -> int:
        patience = 5  # `find_writer` holds a shared lock for a moment
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            if _try_lock(descriptor, fcntl.LOCK_EX):
                if self._still_there(descriptor):
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
                    return descriptor
                os.close(descriptor)  # its last holder removed the file just before
                continue
            pid = _read_holder(descriptor)
            os.close(descriptor)
            patience -= 1
            if not patience:
                raise RunLocked(
                    f"{run_path} is being written by process {pid}; wait for it, or stop it first"
                )
            time.sleep(0.02)

    def _still_there(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self.path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Release the lock; safe to call twice."""
        if self._descriptor is not None:
            self.path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None


def find_writer(path: Path) -> str | None:
    """Return the process id of the writer of `path`, or None."""
    lock_path = path.with_name(path.name + ".lock")
    try:
        descriptor = os.open(lock_path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return None if _try_lock(descriptor, fcntl.LOCK_SH) else _read_holder(descriptor)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_holder(descriptor: int) -> str:
    return os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
