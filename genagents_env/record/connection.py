"""An SQLite connection to a run file, transactions on it, and errors that name the file."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Literal

from genagents_env.errors import DamageError, DiskError, RecordError
from genagents_env.record.compressed import is_compressed, unpack
from genagents_env.record.lock import check_beside, check_regular, find_real, missing_error

# Errors of the surroundings; anything else that SQLite reports is a fault of the file.
_OUTSIDE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
_DISK_FAULTS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "disk I/O error: it is full or failing",
    sqlite3.SQLITE_CANTOPEN: "unable to open it: the disk is full or failing, or the folder cannot "
    "be written",
}
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
# Seconds that the end of a run waits for those who look at it for a moment.
_PATIENCE, _PAUSE = 1.0, 0.01


class RunConnection(sqlite3.Connection):
    """A connection that knows its file.

    While one is open, this process must open the file by SQLite only: closing another descriptor
    of it would release SQLite's locks.

    Attributes:
        path: of the file, for messages.
        real: its name without links.
        inode: device and inode of the file.
        folder: of temporary files, of a compressed file that was unpacked; else None.
        turn: a lock for the length of a transaction: a policy in a thread of its own may store a
            call while a tick is committed.
    """

    path: Path
    real: Path
    inode: tuple[int, int]
    folder: TemporaryDirectory[str] | None = None
    turn: threading.RLock

    @property
    def is_in_place(self) -> bool:
        """Whether the file still has the name by which it was opened."""
        try:
            state = self.real.lstat()
        except OSError:
            return False
        return (state.st_dev, state.st_ino) == self.inode

    def check(self) -> None:
        """Raise RecordError where the file is no longer in its place."""
        if not self.is_in_place:
            raise RecordError(
                f"{self.path} was deleted, moved or replaced while it was written, so the run "
                "stops; if it was moved, resume it there by `genagents resume FILE`"
            )

    def fold(self) -> bool:
        """Fold the log into the file before it is closed; return False if a reader has it open.

        A reader that looks for a moment only, as a page does, is waited for.

        Raises:
            DiskError: the disk is full or failing, so that the log stays beside it.
        """
        # If the file is gone from its place, the log there may belong to another file by now.
        gentle = "PRAGMA wal_checkpoint(TRUNCATE)"
        statement = "PRAGMA journal_mode=MEMORY" if self.is_in_place else gentle
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self.execute("PRAGMA busy_timeout=0")
                self.execute(statement)
                return True
            except sqlite3.Error as error:
                if (why := _find_disk_fault(error)) is not None:
                    raise DiskError(
                        f"{self.path}: {why}; nothing is lost, but {self.path.name}-wal belongs to "
                        f"it: keep both together until `genagents resume {self.path}` has made "
                        "them one",
                        why=why,
                    ) from None
                busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY
                if not busy or time.monotonic() > until:
                    return False
            time.sleep(_PAUSE)

    def close(self) -> None:
        """Close the connection; safe to call twice."""
        super().close()
        if self.folder is not None:
            self.folder.cleanup()
            self.folder = None


def connect(path: Path, mode: Literal["ro", "rw"]) -> RunConnection:
    """Return a connection to the existing file `path`, to read it or to write it.

    A compressed one is unpacked for as long as the connection is open.

    Raises:
        RecordError: it is missing, or compressed and to be written.
        DiskError: it, or what SQLite would open beside it, is no regular file or cannot be opened.
    """
    if mode == "rw":
        check_unpacked(path)
    elif is_compressed(path):
        return _connect_unpacked(path)
    real = find_real(path)
    try:
        state = check_regular(real)
    except FileNotFoundError:
        raise missing_error(path) from None
    check_beside(real)
    with guard(path):
        # Autocommit: a call is durable when `execute` returns; ticks open their own transactions.
        connection = sqlite3.connect(
            f"{real.as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            timeout=5.0,
            check_same_thread=False,
            factory=RunConnection,
        )
    connection.path, connection.real, connection.turn = path, real, threading.RLock()
    connection.inode = state.st_dev, state.st_ino
    return connection


def check_unpacked(path: Path) -> None:
    """Raise RecordError for a compressed file: it cannot be written."""
    if is_compressed(path):
        tool = "xz" if path.suffix == ".xz" else "gzip"
        raise RecordError(
            f"{path} is compressed, so it can only be read; continue with a copy: "
            f"`{tool} -dk {path}` makes {path.with_suffix('')}"
        )


def _connect_unpacked(path: Path) -> RunConnection:
    folder = unpack(path)
    try:
        connection = connect(Path(folder.name) / "run.sqlite", "ro")
    except BaseException:
        folder.cleanup()
        raise
    connection.path, connection.folder = path, folder
    return connection


class Transaction:
    """A transaction on a file that is still in its place; threads wait for each other.

    It is a class, not a generator, because every tick passes through it.
    """

    __slots__ = ("_connection",)

    def __init__(self, connection: RunConnection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.check()
        self._connection.turn.acquire()
        try:
            with guard(self._connection.path):
                self._connection.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._connection.turn.release()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                with guard(self._connection.path):
                    self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:  # not ended by COMMIT, nor by an error of SQLite
                with suppress(sqlite3.Error):  # the first error is the one to raise
                    self._connection.execute("ROLLBACK")
            self._connection.turn.release()
        if isinstance(error, sqlite3.Error):
            with guard(self._connection.path):
                raise error


@contextmanager
def guard(path: Path) -> Iterator[None]:
    """Turn every SQLite error inside into a RecordError that names `path`.

    It is a DiskError where disk or permissions are at fault, and the file itself is undamaged.
    """
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _OUTSIDE:
            raise damage_error(path, str(error)) from None
        raise _make_disk_error(path, error) from None


@contextmanager
def guard_reading(path: Path) -> Iterator[None]:
    """Do as `guard`, and report values of a wrong type or form as damage of the file, too."""
    with guard(path):
        try:
            yield
        except (TypeError, ValueError, KeyError, ArithmeticError, RecursionError) as error:
            raise damage_error(path, f"{type(error).__name__} while reading it") from None


def _find_disk_fault(error: sqlite3.Error) -> str | None:
    """Return the fault of the disk that an error reports, or None."""
    return _DISK_FAULTS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)


def _make_disk_error(path: Path, error: sqlite3.Error) -> DiskError:
    """Return the error for a fault of the disk, its folder or permissions."""
    why = _find_disk_fault(error)
    if why is None:
        why = f"{error}; check that the folder and the file are writable"
        return DiskError(f"{path}: {why}", why=why)
    return DiskError(
        f"{path}: {why}; what was written before is in the file: continue once the disk can be "
        f"written, a run with `genagents resume {path}`",
        why=why,
    )


def damage_error(path: Path, what: str) -> DamageError:
    """Return the error for a damaged file."""
    return DamageError(
        f"{path} is damaged or not a run file ({what}); restore it from a copy, or run again", what
    )
