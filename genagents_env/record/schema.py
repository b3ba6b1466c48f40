"""The tables of a run file, and opening one: checked for format, damage and version."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from genagents_env.errors import RecordError

APPLICATION_ID = 0x67656E61  # "gena": tells our files from other SQLite files
SCHEMA_VERSION = 3

# A tick's events have the ids first_event .. first_event + events - 1, so no index on tick is
# needed. Every checksum is a SHA-256; that of a tick also covers the tick before it.
# An ordinary table for embeddings: rows of a thousand bytes are slow and large without a rowid.
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL);
CREATE TABLE ticks (
    tick INTEGER PRIMARY KEY, positions BLOB NOT NULL, first_event INTEGER NOT NULL,
    events INTEGER NOT NULL, checksum BLOB NOT NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, tick INTEGER NOT NULL, kind TEXT NOT NULL, agent TEXT,
    data TEXT NOT NULL);
CREATE TABLE policy_errors (
    tick INTEGER NOT NULL, agent TEXT NOT NULL, policy TEXT NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL);
CREATE TABLE calls (
    agent TEXT NOT NULL, tick INTEGER NOT NULL, purpose TEXT NOT NULL, number INTEGER NOT NULL,
    prompt_hash TEXT NOT NULL, messages TEXT NOT NULL, outcome TEXT NOT NULL, reply TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, attempts INTEGER NOT NULL,
    reasks INTEGER NOT NULL, truncated INTEGER NOT NULL, fault TEXT,
    latency_seconds REAL NOT NULL, started_at REAL NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (agent, tick, purpose, number)) WITHOUT ROWID;
CREATE TABLE checkpoints (tick INTEGER PRIMARY KEY, body BLOB NOT NULL, checksum BLOB NOT NULL);
CREATE TABLE measures (name TEXT NOT NULL, tick INTEGER NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (name, tick));
CREATE TABLE embeddings (
    model TEXT NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (model, text));
CREATE TABLE interviews (
    tick INTEGER NOT NULL, agent TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,
    evidence TEXT NOT NULL, repeat INTEGER NOT NULL, PRIMARY KEY (tick, agent, question, repeat));
CREATE TABLE remembered (
    tick INTEGER NOT NULL, agent TEXT NOT NULL, fact TEXT NOT NULL, text TEXT NOT NULL,
    events TEXT NOT NULL, PRIMARY KEY (tick, agent, fact, text));
CREATE TABLE judgements (
    judge TEXT NOT NULL, check_id TEXT NOT NULL, tick INTEGER NOT NULL, agent TEXT NOT NULL,
    question TEXT NOT NULL, repeat INTEGER NOT NULL, verdict TEXT, reply TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    PRIMARY KEY (judge, check_id, tick, agent, question, repeat));
"""

# Errors of the surroundings; anything else that SQLite reports is a fault of the file.
_OUTSIDE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}


@contextmanager
def guard(path: Path) -> Iterator[None]:
    """Turn every SQLite error inside into a RecordError that names `path`."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _OUTSIDE:
            raise damage_error(path, str(error)) from None
        raise RecordError(
            f"{path}: {error}; check that the folder is writable and the disk is not full"
        ) from None


@contextmanager
def guard_reading(path: Path) -> Iterator[None]:
    """Do as `guard`; values of a wrong type or form count as damage of the file, too."""
    with guard(path):
        try:
            yield
        except (TypeError, ValueError, KeyError) as error:
            raise damage_error(path, f"{type(error).__name__} while reading it") from None


def damage_error(path: Path, what: str) -> RecordError:
    """Return the error for a file whose content is not what was written."""
    return RecordError(
        f"{path} is damaged or not a run file ({what}); restore it from a copy, or run again"
    )


def create(path: Path) -> sqlite3.Connection:
    """Return a connection to a new, empty run file."""
    with guard(path):
        connection = _connect(f"file:{_quote(path)}?mode=rwc")
        connection.executescript(
            f"BEGIN; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION};"
            f"{_TABLES} COMMIT;"
        )
        return _tune(connection)


def open_file(path: Path, *, write: bool) -> sqlite3.Connection:
    """Return a connection to an existing run file.

    Raises:
        RecordError: it is missing, foreign, damaged, or of another format than this version's.
    """
    if not path.is_file():
        raise RecordError(f"no run file {path}; `genagents run SCENARIO --out FILE` makes one")
    with guard_reading(path):
        connection = _connect(f"file:{_quote(path)}?mode={'rw' if write else 'ro'}")
        try:
            _check_header(path, connection)
            if write:
                _check_pages(path, connection)
                _tune(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _connect(uri: str) -> sqlite3.Connection:
    # Autocommit: a call is durable when `execute` returns; ticks open their own transactions.
    # A plain policy may run in a worker thread and reach the cassette from there.
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=5.0, check_same_thread=False
    )


def _tune(connection: sqlite3.Connection) -> sqlite3.Connection:
    # In WAL mode NORMAL survives a killed process whole; power loss costs at most the ticks since
    # the last checkpoint, which syncs.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


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


def _quote(path: Path) -> str:
    return path.absolute().as_uri().removeprefix("file://")
