"""The tables of a run file, and opening one: checked for format, damage and version."""

import sqlite3
from pathlib import Path

from genagents_env.errors import RecordError
from genagents_env.record.connection import RunConnection, connect
from genagents_env.record.guard import damage_error, guard_reading
from genagents_env.record.table import SUMS
from genagents_env.record.tables import SUMMED

APPLICATION_ID = 0x67656E61  # "gena": tells our files from other SQLite files
SCHEMA_VERSION = 4

# A tick's events have the ids first_event .. first_event + events - 1, so no index on tick is
# needed. The checksum of a tick is a SHA-256 that also covers the tick before it.
_TICKS = """CREATE TABLE ticks (
    tick INTEGER PRIMARY KEY CHECK (tick BETWEEN 0 AND 1000000000),
    positions BLOB NOT NULL CHECK (typeof(positions) = 'blob'),
    first_event INTEGER NOT NULL CHECK (typeof(first_event) = 'integer' AND first_event >= 0),
    events INTEGER NOT NULL CHECK (typeof(events) = 'integer' AND events >= 0),
    checksum BLOB NOT NULL CHECK (typeof(checksum) = 'blob'))"""
_EVENTS = """CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    tick INTEGER NOT NULL CHECK (typeof(tick) = 'integer'),
    kind TEXT NOT NULL CHECK (typeof(kind) = 'text'),
    agent TEXT CHECK (agent IS NULL OR typeof(agent) = 'text'),
    data TEXT NOT NULL CHECK (typeof(data) = 'text'))"""
_TABLES = (_TICKS, _EVENTS, SUMS, *(table.sql for table in SUMMED))


def create(path: Path) -> RunConnection:
    """Return a connection to the empty file `path`, now with tables; without a journal yet."""
    connection = connect(path, "rw")
    connection.executescript(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
        f"BEGIN; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION};"
        f"{'; '.join(_TABLES)}; COMMIT;"
    )
    return connection


def open_file(path: Path, *, write: bool) -> RunConnection:
    """Return a connection to an existing run file.

    Raises:
        RecordError: it is missing, foreign, damaged, or of another format than this version's.
    """
    with guard_reading(path):
        connection = connect(path, "rw" if write else "ro")
        try:
            _check_header(path, connection)
            if write:
                _check_pages(path, connection)
                _tune(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _tune(connection: sqlite3.Connection) -> None:
    # In WAL mode NORMAL survives a killed process whole; power loss costs at most the ticks since
    # the last checkpoint, which syncs.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def _check_header(path: Path, connection: sqlite3.Connection) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise RecordError(f"{path} is not a run file of genagents_env; it was left alone")
    if version > SCHEMA_VERSION:
        raise RecordError(
            f"{path} was written by a newer version (record format {version}, this one reads "
            f"{SCHEMA_VERSION}); upgrade genagents-env"
        )
    if version < SCHEMA_VERSION:
        raise RecordError(
            f"{path} was written by an earlier version (record format {version}, this one reads "
            f"{SCHEMA_VERSION}) and cannot be read; run it again"
        )


def _check_pages(path: Path, connection: sqlite3.Connection) -> None:
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != "ok":
        raise damage_error(path, state)
