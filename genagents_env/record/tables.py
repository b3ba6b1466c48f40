"""The tables of a run file: each row has a checksum, and all rows of a table have another."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

from genagents_env.record.connection import RunConnection, damage_error
from genagents_env.record.rows import JSON, encode

Value: TypeAlias = JSON  # None, int, float, str or bytes: each column has a check of its type


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column.

    Attributes:
        sql: its type.
        check: a condition on every value, with `{0}` for the name.
    """

    sql: str
    check: str


CHECKSUM = TypedColumn("BLOB NOT NULL", "typeof({0}) = 'blob' AND length({0}) = 32")
SUMS = {
    "name": TypedColumn("TEXT NOT NULL", "typeof({0}) = 'text'"),
    "count": TypedColumn("INTEGER NOT NULL", "typeof({0}) = 'integer' AND {0} >= 0"),
    "sum": CHECKSUM,
}
NOTHING = bytes(32)  # the sum of no rows
_MODULUS = 2**256


@dataclass(frozen=True, slots=True)
class RecordTable:
    """A table whose rows have a SHA-256 each; the `sums` table has their number and their sum.

    The sum (modulo 2**256) does not depend on the order of the rows, and is updated without reading
    the others.

    Attributes:
        name: of the table.
        columns: in order; the checksum comes last.
        key: the columns that are unique together; none where rows may repeat.
        optional: whether a file may lack the table.
    """

    name: str
    columns: Mapping[str, TypedColumn]
    key: tuple[str, ...] = ()
    optional: bool = False

    @property
    def sql(self) -> str:
        """The statement that creates the table."""
        return make_sql(self.name, self.all_columns, self.key)

    @property
    def all_columns(self) -> Mapping[str, TypedColumn]:
        """The columns and the checksum."""
        return {**self.columns, "checksum": CHECKSUM}

    def checksum(self, row: Sequence[Value]) -> bytes:
        """Return the SHA-256 of a row."""
        digest = sha256(self.name.encode())
        digest.update(encode([len(v) if isinstance(v, bytes) else v for v in row]).encode())
        for value in row:
            if isinstance(value, bytes):
                digest.update(value)
        return digest.digest()

    def is_in(self, connection: sqlite3.Connection) -> bool:
        """Return True if the file has this table."""
        query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        return not self.optional or connection.execute(query, (self.name,)).fetchone() is not None

    def put(
        self, connection: RunConnection, rows: Iterable[Sequence[Value]], *, keep: bool = False
    ) -> None:
        """Write rows, within the caller's transaction; each replaces the row of the same key.

        `keep`: let the existing row stay instead.
        """
        count, total = 0, 0
        verb = "INSERT OR REPLACE" if self.key else "INSERT"
        query = f"{verb} INTO {self.name} VALUES ({', '.join('?' * (len(self.columns) + 1))})"
        for row in rows:
            checksum = self.checksum(row)
            before = self._find_checksum(connection, row)
            if before is not None and keep:
                continue
            connection.execute(query, (*row, checksum))
            count += before is None
            total += _number(checksum) - _number(before or NOTHING)
        if count or total:
            self._add(connection, count, total)

    def delete(self, connection: RunConnection, where: str, *values: Value) -> int:
        """Delete rows, within the caller's transaction; return their number."""
        query = f"SELECT checksum FROM {self.name} WHERE {where}"  # noqa: S608 (constant text)
        gone = [_number(checksum) for (checksum,) in connection.execute(query, values)]
        if gone:
            connection.execute(f"DELETE FROM {self.name} WHERE {where}", values)  # noqa: S608
            self._add(connection, -len(gone), -sum(gone))
        return len(gone)

    def read(self, connection: RunConnection, order: str = "rowid") -> Iterator[tuple[Value, ...]]:
        """Yield every row, without its checksum.

        Raises:
            RecordError: a row has changed; at the end, where one is missing or was added.
        """
        query = f"SELECT * FROM {self.name} ORDER BY {order}"  # noqa: S608 (constant text)
        if not self.is_in(connection):
            query = "SELECT 1 WHERE 0"
        count, total = 0, 0
        expected, rows = self._snapshot(connection, query)
        for *row, checksum in rows:
            yield self._check(connection, row, checksum)
            count, total = count + 1, total + _number(checksum)
        if expected != (count, (total % _MODULUS).to_bytes(32, "big")):
            raise damage_error(connection.path, f"rows of {self.name} are missing or were added")

    def verify(self, connection: RunConnection) -> None:
        """Raise RecordError where a row has changed, is missing or was added."""
        for _ in self.read(connection):
            pass

    def find(
        self, connection: RunConnection, where: str, *values: Value
    ) -> list[tuple[Value, ...]]:
        """Return some rows, without their checksums.

        Raises:
            RecordError: a row has changed.
        """
        if not self.is_in(connection):
            return []
        query = f"SELECT * FROM {self.name} WHERE {where}"  # noqa: S608 (constant text)
        rows = connection.execute(query, values).fetchall()
        return [self._check(connection, row[:-1], row[-1]) for row in rows]

    def _check(
        self, connection: RunConnection, row: Sequence[Value], checksum: bytes
    ) -> tuple[Value, ...]:
        """Return `row`, or raise RecordError where it does not match its checksum."""
        if self.checksum(row) != checksum:
            which = ", ".join(f"{k} {v!r:.40}" for k, v in zip(self.columns, row, strict=True))
            raise damage_error(connection.path, f"a row of {self.name} has changed: {which:.120}")
        return tuple(row)

    def find_sum(self, connection: RunConnection) -> tuple[int, bytes]:
        """Return the stored number of rows, and the sum of their checksums."""
        query = "SELECT count, sum FROM sums WHERE name = ?"
        row = connection.execute(query, (self.name,)).fetchone()
        return row if row is not None else (0, NOTHING)

    def _add(self, connection: RunConnection, count: int, total: int) -> None:
        before, number = self.find_sum(connection)
        after = (int.from_bytes(number, "big") + total) % _MODULUS
        connection.execute(
            "INSERT OR REPLACE INTO sums VALUES (?, ?, ?)",
            (self.name, before + count, after.to_bytes(32, "big")),
        )

    def _find_checksum(self, connection: RunConnection, row: Sequence[Value]) -> bytes | None:
        if not self.key:
            return None
        where = " AND ".join(f"{name} = ?" for name in self.key)
        names = list(self.columns)
        key = [row[names.index(name)] for name in self.key]
        query = f"SELECT checksum FROM {self.name} WHERE {where}"  # noqa: S608 (constant text)
        stored = connection.execute(query, key).fetchone()
        return None if stored is None else bytes(stored[0])

    def _snapshot(
        self, connection: RunConnection, query: str
    ) -> tuple[tuple[int, bytes], sqlite3.Cursor]:
        """Return the sum and the rows as of one moment, even if the file is being written."""
        with connection.turn:
            begun = connection.in_transaction
            if not begun:
                connection.execute("BEGIN")
            try:
                return self.find_sum(connection), connection.execute(query)
            finally:
                if not begun and connection.in_transaction:  # not ended by an error
                    connection.execute("COMMIT")  # the rows keep their snapshot to the last


def _number(checksum: bytes) -> int:
    return int.from_bytes(checksum, "big")


def make_sql(name: str, columns: Mapping[str, TypedColumn], key: tuple[str, ...] = ()) -> str:
    """Return the statement that creates a table."""
    lines = [
        f"{column} {kind.sql} CHECK ({kind.check.format(column)})"
        for column, kind in columns.items()
    ]
    if key:
        lines.append(f"UNIQUE ({', '.join(key)})")
    return f"CREATE TABLE {name} (\n    " + ",\n    ".join(lines) + ")"


_TYPES = {
    "text": TypedColumn("TEXT NOT NULL", "typeof({0}) = 'text'"),
    "text?": TypedColumn("TEXT", "({0} IS NULL OR typeof({0}) = 'text')"),
    "count": TypedColumn(
        "INTEGER NOT NULL", "typeof({0}) = 'integer' AND {0} BETWEEN 0 AND 1000000000000"
    ),
    "tick": TypedColumn(
        "INTEGER NOT NULL", "typeof({0}) = 'integer' AND {0} BETWEEN -1 AND 1000000000"
    ),
    "seconds": TypedColumn("REAL NOT NULL", "typeof({0}) = 'real' AND {0} BETWEEN -1e12 AND 1e12"),
    "blob": TypedColumn("BLOB NOT NULL", "typeof({0}) = 'blob'"),
    "id": TypedColumn("INTEGER PRIMARY KEY", "{0} BETWEEN 0 AND 1000000000000"),
    "checksum": CHECKSUM,
}


def _parse(columns: str) -> Mapping[str, TypedColumn]:
    """Return columns by name, from text such as `tick id, agent text`."""
    words = (column.split() for column in columns.split(", "))
    return {name: _TYPES[kind] for name, kind in words}


# A tick's events have the ids first_event .. first_event + events - 1, so no index on tick is
# needed. The checksum of a tick is a SHA-256 that also covers the tick before it.
TICKS = _parse("tick id, positions blob, first_event count, events count, checksum checksum")
EVENTS = _parse("id id, tick tick, kind text, agent text?, data text")
META = RecordTable("meta", _parse("key text, value text"), ("key",))
POLICY_ERRORS = RecordTable(
    "policy_errors", _parse("tick tick, agent text, policy text, kind text, text text")
)
NOTES = RecordTable(
    "notes",
    _parse(
        "tick tick, call_tick tick, agent text, purpose text, number count, kind text, text text"
    ),
)
_CALL = "agent text, tick tick, purpose text, number count"
_CALL_KEY = ("agent", "tick", "purpose", "number")
CALLS = RecordTable(
    "calls",
    _parse(
        f"{_CALL}, prompt_hash text, messages blob, outcome text, reply text, "
        "prompt_tokens count, completion_tokens count, attempts count, reasks count, "
        "truncated count, fault text?, latency_seconds seconds, started_at seconds, model text, "
        "reasoning_tokens count, unsaid_prompt_tokens count, unsaid_completion_tokens count"
    ),
    _CALL_KEY,
)
# For each faculty the prompt by which its other prompts are compressed.
DICTIONARIES = RecordTable("dictionaries", _parse("faculty text, body blob"), ("faculty",))
CHECKPOINTS = RecordTable("checkpoints", _parse("tick tick, body blob"), ("tick",))
EMBEDDINGS = RecordTable(
    "embeddings", _parse("model text, text text, vector blob"), ("model", "text")
)
INTERVIEWS = RecordTable(
    "interviews",
    _parse("tick tick, agent text, question text, answer text, evidence text, repeat count"),
    ("tick", "agent", "question", "repeat"),
)
REMEMBERED = RecordTable(
    "remembered",
    _parse("tick tick, agent text, fact text, text text, events text"),
    ("tick", "agent", "fact", "text"),
)
JUDGEMENTS = RecordTable(
    "judgements",
    _parse(
        "judge text, check_id text, tick tick, agent text, question text, repeat count, "
        "verdict text?, reply text, prompt_tokens count, completion_tokens count"
    ),
    ("judge", "check_id", "tick", "agent", "question", "repeat"),
)
# Outside the canonical hash, and missing in files of earlier versions: what everybody attempted
# in a tick, what the endpoint reported of itself with an answer, and what people entered.
ACTIONS = RecordTable("actions", _parse("tick tick, body text"), ("tick",), optional=True)
RESPONSES = RecordTable(
    "responses",
    _parse(f"{_CALL}, model text, fingerprint text, cached_tokens count, cache_write_tokens count"),
    _CALL_KEY,
    optional=True,
)
INPUTS = RecordTable(
    "inputs",
    _parse("agent text, tick tick, percept text, action text"),
    ("agent", "tick"),
    optional=True,
)
OPTIONAL = (ACTIONS, RESPONSES, INPUTS)
# What a run has of each tick, besides ticks and events.
OF_TICKS = (
    POLICY_ERRORS,
    NOTES,
    CALLS,
    RESPONSES,
    INPUTS,
    CHECKPOINTS,
    ACTIONS,
    INTERVIEWS,
    REMEMBERED,
)
SUMMED = (
    META,
    POLICY_ERRORS,
    NOTES,
    CALLS,
    DICTIONARIES,
    CHECKPOINTS,
    EMBEDDINGS,
    INTERVIEWS,
    REMEMBERED,
    JUDGEMENTS,
    *OPTIONAL,
)
COLUMNS = {
    "ticks": TICKS,
    "events": EVENTS,
    "sums": SUMS,
    **{table.name: table.all_columns for table in SUMMED},
}
STATEMENTS = (
    make_sql("ticks", TICKS),
    make_sql("events", EVENTS),
    make_sql("sums", SUMS, ("name",)),
    *(table.sql for table in SUMMED),
)
