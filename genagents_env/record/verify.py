"""Check a run file for damage, table by table."""

import json
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from genagents_env.errors import DamageError
from genagents_env.record import answers
from genagents_env.record.actions import read_changes
from genagents_env.record.calls import read_calls, read_responses
from genagents_env.record.canonical import verify_chain
from genagents_env.record.checkpoint import load_state
from genagents_env.record.connection import RunConnection, connect, damage_error, guard_reading
from genagents_env.record.meta import load_meta, read_rows
from genagents_env.record.notes import read_notes
from genagents_env.record.schema import check_header, check_pages, check_tables
from genagents_env.record.tables import CHECKPOINTS, DICTIONARIES, EMBEDDINGS, POLICY_ERRORS

_Check = Callable[[RunConnection], Iterable[object]]


@dataclass(frozen=True, slots=True)
class PartState:
    """The state of a table of a run file, or of its pages.

    Attributes:
        name: of the table, or `pages`.
        rows: of the table; pages of the file.
        damage: the first fault; None without any.
    """

    name: str
    rows: int
    damage: str | None


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of `verify`.

    Attributes:
        path: of the file.
        status: of the run, where its head can be read.
        parts: the pages, then each table; only the pages if tables are foreign or altered, since a
            stranger's tables are not read.
    """

    path: Path
    status: str | None
    parts: tuple[PartState, ...]

    @property
    def whole(self) -> bool:
        """Whether no part is damaged."""
        return all(part.damage is None for part in self.parts)


def verify(path: str | Path) -> Verification:
    """Check every page, row, table and checksum of the run in `path`.

    The file may be written meanwhile: it is verified as of one moment.

    Raises:
        RecordError: it is missing, no run file, of another format, or cannot be read.
    """
    path = Path(path)
    try:
        with guard_reading(path), closing(connect(path, "ro")) as connection:
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("BEGIN")
            check_header(connection)
            return _verify_parts(path, connection)
    except DamageError as error:  # cut short, for one
        return Verification(path, None, (PartState("pages", 0, error.what),))


def _verify_parts(path: Path, connection: RunConnection) -> Verification:
    foreign = _find_damage(path, lambda: check_tables(connection))
    if foreign is not None:
        return Verification(path, None, (PartState("pages", 0, foreign),))
    damage = _find_damage(path, lambda: check_pages(connection, indexes=True))
    parts = [PartState("pages", _count(connection, "PRAGMA page_count"), damage)]
    for name, read in _PARTS.items():
        damage = _find_damage(path, partial(_exhaust, read, connection))
        rows = _count(connection, f"SELECT count(*) FROM {name}")  # noqa: S608 (constant text)
        parts.append(PartState(name, rows, damage))
    status = None
    with suppress(DamageError), guard_reading(path):
        status = str(json.loads(read_rows(connection)["status"]))
    return Verification(path, status, tuple(parts))


def _find_damage(path: Path, check: Callable[[], object]) -> str | None:
    try:
        with guard_reading(path):
            check()
    except DamageError as error:
        return error.what
    return None


def _exhaust(read: _Check, connection: RunConnection) -> None:
    for _ in read(connection):
        pass


def _count(connection: RunConnection, query: str) -> int:
    with suppress(DamageError), guard_reading(connection.path):
        return int(connection.execute(query).fetchone()[0])
    return 0


def _read_head(connection: RunConnection) -> Iterable[object]:
    yield load_meta(connection)


def _read_ticks(connection: RunConnection) -> Iterable[object]:
    yield verify_chain(connection)
    size = 4 * len(load_meta(connection).names)
    query = "SELECT tick, length(positions) FROM ticks WHERE length(positions) != ?"
    for tick, length in connection.execute(query, (size,)):
        what = f"tick {tick} has positions of {length} bytes, not {size}"
        raise damage_error(connection.path, what)


def _read_events(connection: RunConnection) -> Iterable[object]:
    query = "SELECT id FROM events WHERE NOT json_valid(data) OR json_type(data) != 'object'"
    for (id_,) in connection.execute(query):
        raise damage_error(connection.path, f"event {id_} has no data")
    return ()


def _read_checkpoints(connection: RunConnection) -> Iterable[object]:
    for tick, body in CHECKPOINTS.read(connection):
        _, chain = load_state(tick, body)
        query = "SELECT checksum FROM ticks WHERE tick = ?"
        if connection.execute(query, (tick,)).fetchone() != (chain,):
            what = f"the ticks before the checkpoint of tick {tick} have changed"
            raise damage_error(connection.path, what)
        yield tick


# An event that does not match the checksum of its tick counts as damage of the ticks.
_PARTS: dict[str, _Check] = {
    "meta": _read_head,
    "ticks": _read_ticks,
    "events": _read_events,
    "policy_errors": POLICY_ERRORS.read,
    "notes": read_notes,
    "calls": read_calls,
    "dictionaries": DICTIONARIES.read,
    "checkpoints": _read_checkpoints,
    "embeddings": EMBEDDINGS.read,
    "interviews": answers.read_interviews,
    "remembered": answers.read_remembered,
    "judgements": answers.read_judgements,
    "actions": read_changes,
    "responses": read_responses,
}
