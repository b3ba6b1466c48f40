"""The stored model calls: rows of a table, with the prompt compressed."""

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from genagents_env.record.inflate import inflate
from genagents_env.record.rows import CallRow
from genagents_env.record.table import Value
from genagents_env.record.tables import CALLS

_PROMPT_LIMIT = 2**26  # bytes; the longest prompts of today are of some hundred thousand
_MESSAGES = list(CALLS.columns).index("messages")


def put_call(connection: sqlite3.Connection, row: CallRow) -> None:
    """Write a call, in a transaction of the caller's; one that is there already is replaced."""
    values: list[Value] = [getattr(row, name) for name in CALLS.columns]
    values[_MESSAGES] = zlib.compress(row.messages.encode())
    CALLS.put(connection, [values])


def find_call(
    path: Path, connection: sqlite3.Connection, agent: str, tick: int, purpose: str, number: int
) -> CallRow | None:
    """Return a call, or None; raise RecordError where it has changed."""
    where = "agent = ? AND tick = ? AND purpose = ? AND number = ?"
    found = CALLS.find(path, connection, where, agent, tick, purpose, number)
    return _unpack(found[0]) if found else None


def read_calls(path: Path, connection: sqlite3.Connection) -> Iterator[CallRow]:
    """Yield every call, ordered by agent, tick, purpose and number.

    Raises:
        RecordError: one has changed; at the end, where one is missing or was added.
    """
    for values in CALLS.read(path, connection, ", ".join(CALLS.key)):
        yield _unpack(values)


def _unpack(values: Sequence[Value]) -> CallRow:
    facts = dict(zip(CALLS.columns, values, strict=True))
    messages = inflate(facts.pop("messages"), _PROMPT_LIMIT).decode()
    return CallRow(messages=messages, **facts)
