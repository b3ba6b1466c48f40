"""What is checked before anything is read of a run file: that it is one, and is as it was made."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import cache
from pathlib import Path

from genagents_env.errors import RecordError
from genagents_env.record.connection import RunConnection
from genagents_env.record.guard import damage_error
from genagents_env.record.table import TypedColumn
from genagents_env.record.tables import COLUMNS, OPTIONAL, STATEMENTS

APPLICATION_ID = 0x67656E61  # "gena": tells our files from other SQLite files
SCHEMA_VERSION = 5

_Part = tuple[str, str, str | None]  # type, name, SQL; None for the index of a key
_PARTS = "SELECT type, name, sql FROM sqlite_master"


def check_header(path: Path, connection: RunConnection) -> None:
    """Raise RecordError unless it is a run file of this format."""
    application, version = read_header(connection)
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
            f"{SCHEMA_VERSION}); run it again"
        )


def read_header(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return the application id and the number of the format."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return application, version


def check_tables(
    path: Path, connection: sqlite3.Connection, sql: tuple[str, ...] = STATEMENTS
) -> None:
    """Raise RecordError unless the file has the tables that `sql` makes, and nothing else.

    An optional table may be missing with its index. So nothing runs that a stranger wrote: no view,
    no trigger, no check or default of a column.
    """
    expected, found = _list_parts(sql), set(connection.execute(_PARTS))
    for kind, name, _ in sorted(found - expected, key=str):
        known = name in {one for _, one, _ in expected}
        what = "is not as it was made" if known else "is in no run file"
        raise damage_error(path, f"the {kind} {name!r:.60} {what}")
    missing = {part for part in expected - found if part[1] not in _find_absent(found)}
    for kind, name, _ in sorted(missing, key=str):
        raise damage_error(path, f"the {kind} {name!r} is missing")


def check_pages(
    path: Path,
    connection: RunConnection,
    tables: Mapping[str, Mapping[str, TypedColumn]] = COLUMNS,
    *,
    indexes: bool,
) -> None:
    """Raise RecordError unless pages and the values in `tables` are sound; `indexes`, if wished."""
    check = "integrity_check" if indexes else "quick_check"
    (state,) = connection.execute(f"PRAGMA {check}(1)").fetchone()
    if state != "ok":
        raise damage_error(path, " ".join(state.split()))
    _check_length(path, connection)
    absent = _find_absent(set(connection.execute(_PARTS)))
    for table, columns in tables.items():  # SQLite checks no values in a file opened for reading
        if table in absent:
            continue
        holds = " AND ".join(column.check.format(name) for name, column in columns.items())
        query = f"SELECT 1 FROM {table} WHERE NOT ({holds}) LIMIT 1"  # noqa: S608 (constant text)
        if connection.execute(query).fetchone():
            raise damage_error(path, f"{table} has a value of a wrong type or range")


def _check_length(path: Path, connection: RunConnection) -> None:
    """Raise RecordError for half of a copy: SQLite does not miss the last page's last bytes."""
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    (whole,) = connection.execute(query).fetchone()
    size = connection.real.stat().st_size
    if mode != "wal" and size < whole:
        raise damage_error(path, f"it ends after {size} of {whole} bytes")


def _find_absent(found: set[_Part]) -> set[str]:
    """Return the names of the optional tables that are not among `found`, and of their indexes."""
    here = {name for _, name, _ in found}
    gone = [table.name for table in OPTIONAL if table.name not in here]
    return {*gone, *(f"sqlite_autoindex_{name}_1" for name in gone)}


@cache
def _list_parts(sql: tuple[str, ...]) -> set[_Part]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("; ".join(sql))
        return set(connection.execute(_PARTS))
