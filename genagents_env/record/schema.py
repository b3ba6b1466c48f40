"""The tables of a run file, and opening one: checked for format, damage and version."""

import sqlite3
from pathlib import Path

from genagents_env.errors import RunLocked
from genagents_env.record.checks import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    check_header,
    check_pages,
    check_tables,
)
from genagents_env.record.connection import RunConnection, connect
from genagents_env.record.guard import guard_reading
from genagents_env.record.tables import OPTIONAL, STATEMENTS


def create(path: Path) -> RunConnection:
    """Return a connection to the empty file `path`, now with tables; without a journal yet."""
    connection = connect(path, "rw")
    connection.executescript(
        "PRAGMA journal_mode=OFF;"
        f"BEGIN; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION};"
        f"{'; '.join(STATEMENTS)}; COMMIT;"
    )
    return connection


def open_file(
    path: Path, *, write: bool, known: bool = False, alone: bool = False
) -> RunConnection:
    """Return a connection to an existing run file.

    Args:
        path: of the file.
        write: rather than read; its lock is held by the caller.
        known: it was opened before, and its pages were whole.
        alone: nobody else may have it open while its log is not in it yet.

    Raises:
        RecordError: it is missing, foreign, damaged, or of another format than this version's.
        RunLocked: another process has it open, but may not.
    """
    with guard_reading(path):
        connection = connect(path, "rw" if write else "ro")
        try:
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA cell_size_check=ON")
            check_header(path, connection)
            if alone:
                _check_alone(path, connection)
            check_tables(path, connection)
            if not known:
                check_pages(path, connection, indexes=write)
            if write:
                _start_log(connection)
                _add_tables(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _check_alone(path: Path, connection: RunConnection) -> None:
    """Raise RunLocked where somebody else has open a file whose log is not in it yet.

    Without a lock file beside it, its writer knows it by another name, or lost the lock file.
    SQLite's own lock on the file itself tells.
    """
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if mode != "wal":
        return
    connection.execute("PRAGMA busy_timeout=0")
    try:
        connection.execute("PRAGMA journal_mode=MEMORY")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        raise RunLocked(
            f"{path} is open in another process, which may write it by another name; wait for it, "
            "or stop it first"
        ) from None
    connection.execute("PRAGMA busy_timeout=5000")


def _start_log(connection: RunConnection) -> None:
    """Let SQLite write into a log from here on, so that others can read meanwhile."""
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    # In WAL mode NORMAL survives a killed process whole; power loss costs at most the ticks since
    # the last checkpoint, which syncs. The mode is a mark in the first page. A journal of that
    # change would, after a kill, keep everybody from reading who may not write.
    if mode != "wal":
        connection.execute("PRAGMA journal_mode=MEMORY")
        connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def _add_tables(connection: sqlite3.Connection) -> None:
    """Make the optional tables that the file does not have yet."""
    missing = [table.sql for table in OPTIONAL if not table.is_in(connection)]
    if missing:
        connection.executescript(f"BEGIN; {'; '.join(missing)}; COMMIT;")
