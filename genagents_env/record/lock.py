"""One writer per run file, by a lock file beside it; and the other files there.

SQLite keeps its write-ahead log, the log's index and a rollback journal beside the file. A stranger
may have planted a link or a pipe under any of these names, so each is checked before it is opened.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

from filelock import FileLock, Timeout

from genagents_env.errors import DiskError, RecordError, RunLocked

LOCK = ".lock"
_LOG, _INDEX, _JOURNAL = "-wal", "-shm", "-journal"
BESIDE = (_LOG, _INDEX, _JOURNAL)
# Seconds to wait for the lock: another process that only looks has it for a moment.
_PATIENCE, _PAUSE = 0.2, 0.01
_LONGEST = 20  # digits of a process id
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link",
}


class RunLock:
    """The lock on a file that one process at a time writes.

    The lock file lies beside that file and names the process; a symbolic link leads to the same
    lock. The lock ends with its process, even one killed with -9. A writer that ends removes the
    lock file, so one that nobody has locked is a killed writer's.

    Args:
        path: of the file; it need not exist.
        patience: seconds to wait for a process that only looks.

    Attributes:
        path: its real name.
        was_left: whether an earlier writer left its lock file: it was killed, or somebody read
            the run file as it ended.

    Raises:
        RunLocked: another process has the lock.
        RecordError: the lock file is some other file, or cannot be written.
    """

    def __init__(self, path: Path, patience: float = _PATIENCE) -> None:
        self.path, self._patience = find_real(path), patience
        self._file = _name_lock(self.path)
        with suppress(FileNotFoundError):
            check_alone(self._file)
        self._lock = FileLock(self._file, thread_local=False)
        with _Mark(self._file) as mark:
            if mark.is_foreign:
                raise RecordError(f"{self._file} is not of a run; move it away")
            self._acquire(path)
            self.was_left = not mark.is_gone
        with suppress(OSError):  # not on Windows, nor on a full disk; nothing depends on it
            self._file.write_text(str(os.getpid()))

    def _acquire(self, path: Path) -> None:
        try:
            try:
                self._lock.acquire(timeout=self._patience, poll_interval=_PAUSE)
            except Timeout:
                os.close(os.open(self._file, os.O_RDWR | os.O_CREAT))  # or the folder takes none
                raise RunLocked(
                    f"{path} is being written by {_read_process(self._file)}; wait for it, or stop "
                    "it first"
                ) from None
        except OSError as error:
            raise DiskError(
                f"{path} cannot be written: {error.strerror} ({self._file.name}); go on with "
                f"`genagents resume {path}` once its folder can be written, or with a copy",
                why=str(error.strerror),
            ) from None

    def release(self, *, keep: bool = False) -> None:
        """Release the lock, and remove its file unless it is to be kept; safe to call twice."""
        if not self._lock.is_locked:
            return
        if not keep:
            with suppress(OSError):  # on Windows it stays
                self._file.unlink()
        self._lock.release()


class _Mark:
    """The lock file as it was before the lock is taken, which may empty it."""

    def __init__(self, file: Path) -> None:
        try:
            self._stream: BinaryIO | None = file.open("rb")
        except OSError:
            self._stream = None
        self.content = b"" if self._stream is None else self._stream.read(_LONGEST + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        if self._stream is not None:
            self._stream.close()

    @property
    def is_foreign(self) -> bool:
        """Whether it holds something else than a process id."""
        return bool(self.content) and not _is_process(self.content)

    @property
    def is_gone(self) -> bool:
        """Whether there was no lock file, or its writer has ended and removed it since."""
        return self._stream is None or os.fstat(self._stream.fileno()).st_nlink == 0


def find_writer(path: Path) -> str | None:
    """Return the process that writes `path`, as `process 123` or `another process`, or None."""
    file = _name_lock(find_real(path))
    try:
        check_alone(file)
    except (OSError, RecordError):
        return None
    lock = FileLock(file, thread_local=False)
    with _Mark(file) as mark:
        if mark.is_foreign:
            return None
        try:
            # Another reader has the lock for a moment; a writer has it as long as it runs.
            patience = 0 if _is_running(mark.content) else _PATIENCE
            lock.acquire(timeout=patience, poll_interval=_PAUSE)
        except Timeout:
            return _read_process(file)
        except OSError:  # it belongs to somebody else, or is gone by now
            return "another process" if file.exists() else None
        if mark.is_gone:  # then taking the lock has made the file anew
            with suppress(OSError):
                file.unlink()
    lock.release()
    return None


def _name_lock(real: Path) -> Path:
    return real.with_name(real.name + LOCK)


def _read_process(file: Path) -> str:
    try:
        content = file.read_bytes()[: _LONGEST + 1]
    except OSError:
        content = b""
    return f"process {int(content)}" if _is_process(content) else "another process"


def _is_running(content: bytes) -> bool:
    """Return True if a process of this id runs here; False where that cannot be known."""
    if os.name != "posix" or not _is_process(content):
        return False
    try:
        os.kill(int(content), 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _is_process(content: bytes) -> bool:
    return content.isdigit() and len(content) <= _LONGEST


def find_real(path: Path) -> Path:
    """Return the absolute name of a file without symbolic links."""
    return Path(os.path.realpath(path))


def missing_error(path: Path) -> RecordError:
    """Return the error for a run file that is not there."""
    return RecordError(f"no run file {path}; `genagents run SCENARIO --out FILE` makes one")


def check_regular(path: Path) -> os.stat_result:
    """Return the `lstat` of a regular file.

    Raises:
        FileNotFoundError: there is none.
        DiskError: something else is there.
    """
    state = os.lstat(path)
    if not stat.S_ISREG(state.st_mode):
        kind = _KINDS.get(stat.S_IFMT(state.st_mode), "something else")
        raise DiskError(f"{path} is {kind}, not a file of a run; it was left alone")
    return state


def check_alone(path: Path) -> os.stat_result:
    """Do as `check_regular`, but also refuse a file with a second name (a hard link)."""
    state = check_regular(path)
    if state.st_nlink > 1:
        raise DiskError(f"{path} has {state.st_nlink} names (hard links); it was left alone")
    return state


def check_beside(path: Path) -> None:
    """Raise where a file that SQLite would open beside `path` is not safe to write.

    A rollback journal never is: no run has one, and it can name any file, which SQLite then removes
    ("super-journal", the SQLite file format, section 3).

    Raises:
        DiskError: it is no regular file, or has a second name.
        RecordError: there is a journal.
    """
    for suffix in BESIDE:
        other = path.with_name(path.name + suffix)
        with suppress(FileNotFoundError):
            if check_alone(other).st_size and suffix == _JOURNAL:
                raise RecordError(
                    f"{other} belongs to no run: another program, or somebody else, left it there; "
                    "move it away, or put back the run file as it was"
                )


def check_nothing_left(path: Path) -> None:
    """Raise RecordError where SQLite would take another file's log for that of a new `path`."""
    log = path.with_name(path.name + _LOG)
    with suppress(FileNotFoundError):
        if check_regular(log).st_size:
            raise RecordError(
                f"{log} is left of a run file that is gone; put it back beside that file, or "
                "remove it"
            )


def remove_beside(path: Path) -> None:
    """Remove the files that SQLite left beside `path`."""
    for suffix in BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
