"""The tables of a run file, and opening one: checked for format, damage and version."""

import sqlite3
from pathlib import Path

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
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
        f"BEGIN; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION};"
        f"{'; '.join(STATEMENTS)}; COMMIT;"
    )
    return connection


def open_file(path: Path, *, write: bool, known: bool = False) -> RunConnection:
    """Return a connection to an existing run file.

    Its pages are checked, unless it is `known`: opened before, and whole.

    Raises:
        RecordError: it is missing, foreign, damaged, or of another format than this version's.
    """
    with guard_reading(path):
        connection = connect(path, "rw" if write else "ro")
        try:
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA cell_size_check=ON")
            check_header(path, connection)
            check_tables(path, connection)
            if not known:
                check_pages(path, connection, indexes=write)
            if write:
                _tune(connection)
                _add_tables(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _add_tables(connection: sqlite3.Connection) -> None:
    """Make the optional tables that the file does not have yet."""
    missing = [table.sql for table in OPTIONAL if not table.is_in(connection)]
    if missing:
        connection.executescript(f"BEGIN; {'; '.join(missing)}; COMMIT;")


def _tune(connection: sqlite3.Connection) -> None:
    # In WAL mode NORMAL survives a killed process whole; power loss costs at most the ticks since
    # the last checkpoint, which syncs. The mode is a mark in the first page. A journal of that
    # change would, after a kill, keep everybody from reading who may not write.
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if mode != "wal":
        connection.execute("PRAGMA journal_mode=MEMORY")
        connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
