"""The canonical hash of a run: what happened, whenever and however often it was stopped."""

import sqlite3
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from genagents_env.record.answers import format_canonical_lines
from genagents_env.record.meta import CANONICAL, read_rows
from genagents_env.record.rows import CallRow, encode
from genagents_env.record.schema import damage_error, guard_reading, open_file

EventRow = tuple[int, int, str, str | None, str]  # id, tick, kind, agent, data as JSON text
FIRST = b"genagents run 1"

_WALL_CLOCK = ("latency_seconds", "started_at")

_CALLS = """SELECT agent, tick, purpose, number, prompt_hash, messages, outcome, reply,
    prompt_tokens, completion_tokens, attempts, reasks, truncated, fault, latency_seconds,
    started_at, checksum FROM calls"""


def tick_checksum(before: bytes, tick: int, positions: bytes, events: Iterable[EventRow]) -> bytes:
    """Return the SHA-256 of a tick and, through `before`, of all ticks before it."""
    lines = [f"{tick} {len(positions)} "]
    lines += [f"{encode([id_, at, kind, agent])}{data}\n" for id_, at, kind, agent, data in events]
    return sha256(b"".join((before, positions, "".join(lines).encode()))).digest()


def call_checksum(row: CallRow) -> bytes:
    """Return the SHA-256 of a stored call without its wall-clock facts."""
    facts = [getattr(row, name) for name in CallRow.__slots__ if name not in _WALL_CLOCK]
    return sha256(encode(facts).encode()).digest()


def canonical_hash(path: str | Path) -> str:
    """Return the SHA-256 of the run in `path`, as hexadecimal.

    Over scenario, arguments, policies, seed, ticks, events, model calls, interviews and what is
    remembered of facts. Not over judgements, wall clock, versions, the name of the model,
    checkpoints, nor what depends on the network (attempts and the wording of faults). A
    run that was stopped and resumed has the hash of the run that was not. A file that is still
    written is hashed as of this moment.

    Raises:
        RecordError: the file is missing, foreign, newer, or does not match its checksums.
    """
    path = Path(path)
    connection = open_file(path, write=False)
    try:
        with guard_reading(path):
            connection.execute("BEGIN")  # one snapshot, even while it is written
            digest = sha256(FIRST)
            rows = read_rows(path, connection)
            for key in CANONICAL:
                digest.update(f"{key} {rows.get(key)}\n".encode())
            digest.update(verify_chain(path, connection))
            for call in read_calls(path, connection):
                digest.update(_canonical_call(call))
            for line in format_canonical_lines(connection):
                digest.update(f"{line}\n".encode())
            return digest.hexdigest()
    finally:
        connection.close()


def verify_chain(path: Path, connection: sqlite3.Connection, until: int | None = None) -> bytes:
    """Return the checksum of the last tick (or of tick `until`), having recomputed every one.

    Raises:
        RecordError: a tick or an event is missing or was changed.
    """
    chain = FIRST
    ticks = connection.execute(
        "SELECT tick, positions, first_event, events, checksum FROM ticks WHERE tick <= ? "
        "ORDER BY tick",
        (2**62 if until is None else until,),
    )
    for expected, (tick, positions, first, count, checksum) in enumerate(ticks):
        events = connection.execute(
            "SELECT id, tick, kind, agent, data FROM events WHERE id >= ? AND id < ? ORDER BY id",
            (first, first + count),
        ).fetchall()
        chain = tick_checksum(chain, tick, positions, events)
        if tick != expected or len(events) != count or chain != checksum:
            raise damage_error(path, f"tick {expected} does not match its checksum")
    return chain


def read_calls(path: Path, connection: sqlite3.Connection) -> Iterable[CallRow]:
    """Yield every stored call, ordered by agent, tick, purpose and number."""
    order = " ORDER BY agent, tick, purpose, number"
    for *values, checksum in connection.execute(_CALLS + order):
        yield check_call(path, CallRow(*values), checksum)


def check_call(path: Path, row: CallRow, checksum: bytes) -> CallRow:
    """Return `row`, or raise RecordError where it does not match its checksum."""
    if call_checksum(row) != checksum:
        raise damage_error(path, f"the call of {row.agent!r} at tick {row.tick} has changed")
    return row


def _canonical_call(row: CallRow) -> bytes:
    facts = [row.agent, row.tick, row.purpose, row.number, row.prompt_hash, row.outcome, row.reply]
    facts += [row.prompt_tokens, row.completion_tokens, row.reasks, row.truncated]
    return f"{encode(facts)}\n".encode()
