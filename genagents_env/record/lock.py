"""One writer a run file: a lock file beside it; and what else may lie there.

SQLite has its write-ahead log, the log's index and a rollback journal beside the file. A stranger
may have planted any of these as a link or a pipe, so each is looked at before it is opened.
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

    It is a file beside that one, with the id of the process; a symbolic link leads to the same
    lock. It ends with its process, even one killed with -9; the next writer takes the file over.

    Args:
        path: of the file; it need not exist.

    Attributes:
        path: its real name.
        was_left: whether a former writer left its lock file: it was killed, or the file was read
            as it ended.

    Raises:
        RunLocked: another writer holds it.
        RecordError: what lies in the place of the lock file is none, or it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = find_real(path)
        self._file = _name_lock(self.path)
        with suppress(FileNotFoundError):
            check_alone(self._file)
        self._lock = FileLock(self._file, thread_local=False)
        with _Mark(self._file) as mark:
            if mark.is_foreign:
                raise RecordError(f"{self._file} is not of a run; move it away")
            self._acquire(path)
            self.was_left = mark.is_left()
        with suppress(OSError):  # not on Windows, nor on a full disk; nothing depends on it
            self._file.write_text(str(os.getpid()))

    def _acquire(self, path: Path) -> None:
        try:
            try:
                self._lock.acquire(timeout=_PATIENCE, poll_interval=_PAUSE)
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
    """What a writer wrote into its lock file, read before the lock is taken, which empties it."""

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
        """Whether it is no process id, so that the file is somebody else's."""
        return bool(self.content) and not _is_process(self.content)

    def is_left(self) -> bool:
        """Return whether its writer was killed; one that ends removes the file."""
        stream = self._stream
        return (
            bool(self.content) and stream is not None and bool(os.fstat(stream.fileno()).st_nlink)
        )


def find_writer(path: Path) -> str | None:
    """Return who writes `path`, as `process 123` or `another process`; None where nobody does."""
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
            lock.acquire(timeout=0)
        except Timeout:
            return _read_process(file)
        except OSError:  # it is somebody else's, or gone by now
            return "another process" if file.exists() else None
        with suppress(OSError):
            if mark.is_left():
                file.write_bytes(mark.content)
            else:  # made just now, as its writer ended
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


def _is_process(content: bytes) -> bool:
    return content.isdigit() and len(content) <= _LONGEST


def find_real(path: Path) -> Path:
    """Return the absolute name of a file without symbolic links."""
    return Path(os.path.realpath(path))


def missing_error(path: Path) -> RecordError:
    """Return the error for a run file that is not there."""
    return RecordError(f"no run file {path}; `genagents run SCENARIO --out FILE` makes one")


def check_regular(path: Path) -> os.stat_result:
    """Return what `lstat` says of a regular file.

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
    """Do as `check_regular`; a file with a second name (a hard link) is refused, too."""
    state = check_regular(path)
    if state.st_nlink > 1:
        raise DiskError(f"{path} has {state.st_nlink} names (hard links); it was left alone")
    return state


def check_beside(path: Path) -> None:
    """Raise where what SQLite would open beside `path` is not its own to write.

    A rollback journal never is: no run of ours has one, and it can name any file, which SQLite then
    removes ("super-journal", the SQLite file format, section 3).

    Raises:
        DiskError: it is no regular file, or has a second name.
        RecordError: there is a journal.
    """
    for suffix in BESIDE:
        other = path.with_name(path.name + suffix)
        with suppress(FileNotFoundError):
            if check_alone(other).st_size and suffix == _JOURNAL:
                raise RecordError(
                    f"{other} is of no run: another program left it there, or somebody else; move "
                    "it away, or put back the run file as it was"
                )


def check_nothing_left(path: Path) -> None:
    """Raise RecordError where a log of another file would be taken for one of a new `path`."""
    log = path.with_name(path.name + _LOG)
    with suppress(FileNotFoundError):
        if check_regular(log).st_size:
            raise RecordError(
                f"{log} is left of a run file that is gone; put it back beside that file, or "
                "remove it"
            )


def remove_beside(path: Path) -> None:
    """Remove what SQLite left beside `path`."""
    for suffix in BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
