"""The cassette in the run file: every answered call is committed before it is applied."""

import sqlite3
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import RecordedReply
from genagents_env.record.canonical import call_checksum, check_call
from genagents_env.record.rows import CallRow, encode
from genagents_env.record.schema import guard, guard_reading

OnPhase = Callable[[str, int], None]

_COLUMNS = """agent, tick, purpose, number, prompt_hash, messages, outcome, reply, prompt_tokens,
    completion_tokens, attempts, reasks, truncated, fault, latency_seconds, started_at, checksum"""
_PUT = f"INSERT OR REPLACE INTO calls ({_COLUMNS}) VALUES ({', '.join('?' * 17)})"  # noqa: S608
_GET = (
    f"SELECT {_COLUMNS} FROM calls "  # noqa: S608 (constant text)
    "WHERE agent = ? AND tick = ? AND purpose = ? AND number = ?"
)


class SqliteCassette:
    """Implements `llm.cassette.Cassette` on the calls table of an open run file.

    Args:
        path: of the file, for messages.
        connection: in autocommit mode.
        on_phase: called with `("after-call", tick)` once a call is stored.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection, on_phase: OnPhase | None = None
    ) -> None:
        self._path, self._connection, self._on_phase = path, connection, on_phase

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return what is recorded under `key`, or None."""
        with guard_reading(self._path):
            found = self._connection.execute(
                _GET, (key.agent, key.tick, key.purpose, key.number)
            ).fetchone()
        if found is None:
            return None
        with guard_reading(self._path):
            row = check_call(self._path, CallRow(*found[:-1]), found[-1])
        return RecordedReply(
            prompt_hash=row.prompt_hash,
            outcome="reply" if row.outcome == "reply" else "fallback",
            reply=row.reply,
            prompt_tokens=row.prompt_tokens,
            completion_tokens=row.completion_tokens,
            attempts=row.attempts,
            reasks=row.reasks,
            truncated=row.truncated,
            fault=row.fault,
            latency_seconds=row.latency_seconds,
            started_at=row.started_at,
        )

    def put(self, key: CallKey, recorded: RecordedReply) -> None:
        """Keep `recorded` under `key`, durably."""
        prompt = encode([asdict(message) for message in recorded.messages])
        row = CallRow(
            *(key.agent, key.tick, key.purpose, key.number, recorded.prompt_hash),
            *(prompt, recorded.outcome, recorded.reply),
            *(recorded.prompt_tokens, recorded.completion_tokens, recorded.attempts),
            *(recorded.reasks, recorded.truncated, recorded.fault),
            *(recorded.latency_seconds, recorded.started_at),
        )
        values = (*(getattr(row, name) for name in CallRow.__slots__), call_checksum(row))
        with guard(self._path):
            self._connection.execute(_PUT, values)
        if self._on_phase is not None:
            self._on_phase("after-call", key.tick)

    def forget_fallbacks(self, from_tick: int) -> int:
        """Drop the fallbacks of `from_tick` and later; return how many."""
        with guard(self._path):
            return self._connection.execute(
                "DELETE FROM calls WHERE tick >= ? AND outcome = 'fallback'", (from_tick,)
            ).rowcount
