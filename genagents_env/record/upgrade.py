"""Run files of earlier formats, made files of this format."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from genagents_env.errors import RecordError
from genagents_env.record import format_3, format_4
from genagents_env.record.checks import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    check_header,
    check_pages,
    check_tables,
    read_header,
)
from genagents_env.record.connection import RunConnection, connect
from genagents_env.record.creation import create_file
from genagents_env.record.guard import damage_error, guard_reading
from genagents_env.record.verify import verify_connection


@dataclass(frozen=True, slots=True)
class OldFormat:
    """An earlier format: what makes its tables, and what copies a run; that returns changes."""

    tables: tuple[str, ...]
    copy: Callable[[Path, RunConnection, RunConnection], Sequence[str]]


_FORMATS: Mapping[int, OldFormat] = {
    3: OldFormat(format_3.TABLES, format_3.copy_run),
    4: OldFormat(format_4.TABLES, format_4.copy_run),
}


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What became of a file: `path` of the new one; `notes` of what had to be changed in it."""

    path: Path
    notes: tuple[str, ...]


def upgrade(path: str | Path, out: str | Path | None = None) -> Upgrade:
    """Make the run file `path`, of an earlier format, one of this, with all that it holds.

    The new file is written beside the old and takes its place once every checksum of the old has
    been compared and all of the new is verified; until then the old one is as it was. The hash of
    a run of format 3 is another: its definition is that of this format.

    Args:
        path: of the file.
        out: where the new one goes, which must not exist; the old one stays then.

    Returns:
        Where it is, and what had to be changed.

    Raises:
        RecordError: it is missing, damaged, of another format, or cannot be written.
        RunLocked: another process writes it.
    """
    path = Path(path)
    goal = path if out is None else Path(out)
    notes: list[str] = []
    with guard_reading(path), closing(_open_old(path)) as old:

        def fill(new: RunConnection) -> None:
            notes.extend(_find_format(path, old).copy(path, old, new))
            _verify(path, new)

        create_file(goal, fill, force=out is None).release()
    return Upgrade(goal, tuple(notes))


def _open_old(path: Path) -> RunConnection:
    connection = connect(path, "ro")
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA cell_size_check=ON")
        connection.execute("BEGIN")
        check_tables(path, connection, _find_format(path, connection).tables)
        check_pages(path, connection, {}, indexes=True)
    except BaseException:
        connection.close()
        raise
    return connection


def _find_format(path: Path, connection: RunConnection) -> OldFormat:
    application, version = read_header(connection)
    if (application, version) == (APPLICATION_ID, SCHEMA_VERSION):
        raise RecordError(f"{path} is of this version's format already; nothing is to be done")
    if application != APPLICATION_ID or version not in _FORMATS:
        check_header(path, connection)
    return _FORMATS[version]


def _verify(path: Path, new: RunConnection) -> None:
    for part in verify_connection(path, new).parts:
        if part.damage is not None:
            raise damage_error(path, f"{part.name}: {part.damage}")
