"""Create the tables of a run file, and open one, checked for format, damage and version.

The file may be a stranger's. Other tables, views and triggers, and values of a wrong type or range,
are refused here, before anything is read.
"""

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from genagents_env.errors import RecordError, RunLocked
from genagents_env.record.connection import RunConnection, connect, damage_error, guard_reading
from genagents_env.record.tables import COLUMNS, OPTIONAL, STATEMENTS

APPLICATION_ID = 0x67656E61  # "gena": marks run files among SQLite files
SCHEMA_VERSION = 5

_Part = tuple[str, str, str | None]  # type, name, SQL; None for the index of a key
_PARTS = "SELECT type, name, sql FROM sqlite_master"


def create(path: Path) -> RunConnection:
    """Create the tables in the empty file `path`; return a connection without a journal."""
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
        write: open it for writing; the caller has its lock.
        known: it was opened and its pages were checked before.
        alone: nobody else may have it open while its log is not folded into it.

    Raises:
        RecordError: it is missing, foreign, damaged, or of another format than this version's.
        RunLocked: another process has it open, although `alone`.
    """
    with guard_reading(path):
        connection = connect(path, "rw" if write else "ro")
        try:
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA cell_size_check=ON")
            check_header(connection)
            if alone:
                _check_alone(connection)
            check_tables(connection)
            if not known:
                check_pages(connection, indexes=write)
            if write:
                _start_log(connection)
                _add_tables(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _check_alone(connection: RunConnection) -> None:
    """Raise RunLocked where somebody else has open a file whose log is not folded into it.

    Its writer opened it by another name, or its lock file was removed; SQLite's lock on the file
    itself shows that.
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
            f"{connection.path} is open in another process, which may write it by another name; "
            "wait for it, or stop it first"
        ) from None
    connection.execute("PRAGMA busy_timeout=5000")


def _start_log(connection: RunConnection) -> None:
    """Have SQLite write into a log from here on, so that others can read meanwhile."""
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    # In WAL mode NORMAL survives a killed process; power loss costs at most the ticks since the
    # last checkpoint, which syncs. The mode is a mark in the first page. After a kill, a journal of
    # that change would keep out readers who may not write.
    if mode != "wal":
        connection.execute("PRAGMA journal_mode=MEMORY")
        connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def _add_tables(connection: RunConnection) -> None:
    """Create the optional tables that the file lacks."""
    missing = [table.sql for table in OPTIONAL if not table.is_in(connection)]
    if missing:
        connection.executescript(f"BEGIN; {'; '.join(missing)}; COMMIT;")


def check_header(connection: RunConnection) -> None:
    """Raise RecordError unless it is a run file of this format."""
    path = connection.path
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise RecordError(f"{path} is not a run file of genagents_env; it was left alone")
    if version != SCHEMA_VERSION:
        by, advice = "an earlier", "run it again"
        if version > SCHEMA_VERSION:
            by, advice = "a newer", "upgrade genagents-env"
        raise RecordError(
            f"{path} was written by {by} version (record format {version}, this one reads "
            f"{SCHEMA_VERSION}); {advice}"
        )


def check_tables(connection: RunConnection) -> None:
    """Raise RecordError unless the file has the tables of a run, and nothing else.

    An optional table may be missing with its index. So no view, trigger, check or column default
    of a stranger runs.
    """
    expected, parts = _list_parts(), set(connection.execute(_PARTS))
    for kind, name, _ in sorted(parts - expected, key=str):
        known = name in {part[1] for part in expected}
        what = "is not as it was made" if known else "is in no run file"
        raise damage_error(connection.path, f"the {kind} {name!r:.60} {what}")
    absent = _find_absent(connection)
    for kind, name, _ in sorted(expected - parts, key=str):
        if name not in absent:
            raise damage_error(connection.path, f"the {kind} {name!r} is missing")


def check_pages(connection: RunConnection, *, indexes: bool) -> None:
    """Raise RecordError unless pages and values, and with `indexes` also these, are sound."""
    check = "integrity_check" if indexes else "quick_check"
    (state,) = connection.execute(f"PRAGMA {check}(1)").fetchone()
    if state != "ok":
        raise damage_error(connection.path, " ".join(state.split()))
    _check_length(connection)
    absent = _find_absent(connection)
    for table, columns in COLUMNS.items():  # SQLite checks no values in a file opened for reading
        if table in absent:
            continue
        holds = " AND ".join(column.check.format(name) for name, column in columns.items())
        query = f"SELECT 1 FROM {table} WHERE NOT ({holds}) LIMIT 1"  # noqa: S608 (constant text)
        if connection.execute(query).fetchone():
            raise damage_error(connection.path, f"{table} has a value of a wrong type or range")


def _check_length(connection: RunConnection) -> None:
    """Raise RecordError for a file that is cut short: SQLite does not check the last page."""
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    (whole,) = connection.execute(query).fetchone()
    size = connection.real.stat().st_size
    if mode != "wal" and size < whole:
        raise damage_error(connection.path, f"it ends after {size} of {whole} bytes")


def _find_absent(connection: RunConnection) -> set[str]:
    """Return the names of the optional tables that the file lacks, and of their indexes."""
    gone = [table.name for table in OPTIONAL if not table.is_in(connection)]
    return {*gone, *(f"sqlite_autoindex_{name}_1" for name in gone)}


@cache
def _list_parts() -> set[_Part]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("; ".join(STATEMENTS))
        return set(connection.execute(_PARTS))
