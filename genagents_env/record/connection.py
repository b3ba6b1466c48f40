"""A connection of SQLite to a run file that this process keeps open as long."""

import sqlite3
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from genagents_env.errors import RecordError
from genagents_env.record.beside import check_beside
from genagents_env.record.compressed import is_compressed, unpack
from genagents_env.record.open_files import OpenFile, find_real, missing_error


class RunConnection(sqlite3.Connection):
    """A connection that lets go of its file once SQLite has closed it.

    Attributes:
        path: of the file, for messages.
        file: what it is connected to.
        folder: of temporary files, for as long as it is open; None mostly.
        turn: held from the beginning of a transaction to its end: a policy in a thread of its own
            may store a call while a tick is committed.
    """

    path: Path
    file: OpenFile | None = None
    folder: TemporaryDirectory[str] | None = None
    turn: threading.RLock

    def check(self) -> None:
        """Raise RecordError where the file is not in its place any more."""
        if self.file is None or self.file.is_in_place:
            return
        if self.file.names:
            raise RecordError(
                f"{self.path} was moved or replaced while it was written, so the run stops; "
                "`genagents resume FILE` goes on with it where it is now"
            )
        raise RecordError(
            f"{self.path} was deleted while it was written, so the run stops; begin it again"
        )

    def close(self) -> None:
        """Close it; safe to call twice."""
        super().close()
        if self.file is not None:
            self.file.close()
            self.file = None
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
        file = OpenFile(real)
    except FileNotFoundError:
        raise missing_error(path) from None
    try:
        check_beside(real)
        # Autocommit: a call is durable when `execute` returns; ticks open their own transactions.
        connection = sqlite3.connect(
            f"{real.as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            timeout=5.0,
            check_same_thread=False,
            factory=RunConnection,
        )
    except BaseException:
        file.close()
        raise
    connection.path, connection.file, connection.turn = path, file, threading.RLock()
    return connection


def check_unpacked(path: Path) -> None:
    """Raise RecordError for a compressed file: it cannot be written."""
    if is_compressed(path):
        tool = "xz" if path.suffix == ".xz" else "gzip"
        raise RecordError(
            f"{path} is compressed, so it can only be read; go on with a copy: "
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
