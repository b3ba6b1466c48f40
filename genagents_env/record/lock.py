"""One writer a file: a lock that ends with its process, even one killed with -9."""

import errno
from contextlib import suppress
from pathlib import Path

from genagents_env.errors import DiskError, RecordError, RunLocked
from genagents_env.record.open_files import OpenFile, find_real, missing_error


class RunLock:
    """An advisory lock on a file itself, by whatever name one comes to it.

    Nothing lies beside the file, and nothing is written into it.

    Args:
        path: of the file; a symbolic link is followed, but not to make a file.
        create: make it, empty, where there is none.
        label: its name in messages, if not `path`.

    Attributes:
        file: what is locked.

    Raises:
        RecordError: it is missing or no regular file, or cannot be written.
        RunLocked: another writer holds it.
    """

    def __init__(self, path: Path, *, create: bool = False, label: Path | None = None) -> None:
        real = path if create else find_real(path)
        self.file = _acquire(real, create, label or path)

    def remove(self) -> None:
        """Remove the file, if it is in its place and can be removed, and release the lock."""
        with suppress(OSError):
            if self.file.is_in_place:
                self.file.path.unlink()
        self.release()

    def release(self) -> None:
        """Release the lock; safe to call twice."""
        self.file.unlock()
        self.file.close()


def find_writer(path: Path) -> str | None:
    """Return who writes `path`, as `process 123` or `another process`; None where nobody does."""
    try:
        file = OpenFile(find_real(path))
    except (OSError, RecordError):
        return None
    try:
        return _describe(file.find_writer())
    finally:
        file.close()


def _acquire(path: Path, create: bool, label: Path) -> OpenFile:
    while True:
        try:
            file = OpenFile(path, create=create)
        except FileNotFoundError:
            raise missing_error(label) from None
        try:
            locked = file.lock()
            if locked and file.is_in_place:
                return file
            writer = None if locked else _describe(file.find_writer())
        except OSError as error:
            file.close()
            denied = error.errno == errno.EBADF  # it could be opened for reading only
            why = "permission denied" if denied else str(error.strerror)
            advice = "; make it writable, or go on with a copy" if denied else ""
            raise DiskError(f"{label} cannot be written: {why}{advice}", why=why) from None
        if locked:  # it was replaced just before
            file.unlock()
        file.close()
        if writer is not None:
            raise RunLocked(f"{label} is being written by {writer}; wait for it, or stop it first")


def _describe(writer: int | None) -> str | None:
    if writer is None:
        return None
    return f"process {writer}" if writer else "another process"
