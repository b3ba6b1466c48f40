"""One transaction on a run file."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from genagents_env.record.connection import RunConnection
from genagents_env.record.guard import guard


class Transaction:
    """All or nothing, in a file that is still in its place.

    A class, not a generator, because every tick passes through it. A policy in a thread of its own
    may store a call meanwhile: one waits for the other.
    """

    __slots__ = ("_connection", "_path")

    def __init__(self, path: Path, connection: RunConnection) -> None:
        self._path, self._connection = path, connection

    def __enter__(self) -> None:
        self._connection.check()
        self._connection.turn.acquire()
        try:
            with guard(self._path):
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
                with guard(self._path):
                    self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:  # not ended by COMMIT, nor by an error of SQLite
                with suppress(sqlite3.Error):  # the first error is the one to raise
                    self._connection.execute("ROLLBACK")
            self._connection.turn.release()
        if isinstance(error, sqlite3.Error):
            with guard(self._path):
                raise error
