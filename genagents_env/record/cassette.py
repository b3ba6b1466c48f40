"""The replies of models in the run file, each committed before it is applied; and vectors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any

from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import RecordedReply
from genagents_env.record.calls import (
    OF_CALL,
    drop_calls,
    find_call,
    find_responses,
    put_call,
    put_response,
)
from genagents_env.record.connection import RunConnection, Transaction, guard_reading
from genagents_env.record.rows import CallRow, ResponseRow, encode
from genagents_env.record.spending import SpendingNote
from genagents_env.record.tables import CALLS, EMBEDDINGS

_BATCH = 500  # texts of one query; SQLite allows some thousand variables
OnPhase = Callable[[str, int], None]
# The fields that a stored call and a reply share.
_APART = {"messages", "outcome"}
_SHARED = {field.name for field in fields(RecordedReply)} & CALLS.columns.keys() - _APART


class SqliteCassette:
    """Implements `llm.cassette.Cassette` on the calls table of an open run file.

    Args:
        connection: in autocommit mode.
        spending: noted anew with every reply that is stored.
        on_phase: called with `("after-call", tick)` once a call is stored.
    """

    def __init__(
        self,
        connection: RunConnection,
        spending: SpendingNote | None = None,
        on_phase: OnPhase | None = None,
    ) -> None:
        self._connection, self._on_phase = connection, on_phase
        self._spending = spending

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return the recorded reply to `key`, or None."""
        with guard_reading(self._connection.path):
            row = find_call(self._connection, key)
            reports = find_responses(self._connection, OF_CALL, *astuple(key))
        if row is None:
            return None
        response = reports[0] if reports else ResponseRow(*astuple(key))
        facts: dict[str, Any] = {name: getattr(row, name) for name in _SHARED}
        return RecordedReply(
            outcome="reply" if row.outcome == "reply" else "fallback",
            answered_by=response.model,
            fingerprint=response.fingerprint,
            cached_tokens=response.cached_tokens,
            cache_write_tokens=response.cache_write_tokens,
            **facts,
        )

    def put(self, key: CallKey, recorded: RecordedReply) -> None:
        """Store `recorded` under `key`, durably, and note that it is no longer in flight."""
        prompt = encode([{"role": m.role, "content": m.content} for m in recorded.messages])
        facts: dict[str, Any] = {name: getattr(recorded, name) for name in _SHARED}
        facts |= {"messages": prompt, "outcome": recorded.outcome}
        row = CallRow(*astuple(key), **facts)
        own: tuple[Any, ...] = (
            recorded.answered_by,
            recorded.fingerprint,
            recorded.cached_tokens,
            recorded.cache_write_tokens,
        )
        with Transaction(self._connection):
            put_call(self._connection, row)
            if any(own):
                put_response(self._connection, ResponseRow(*astuple(key), *own))
            if self._spending is not None:
                self._spending.write()
        if self._on_phase is not None:
            self._on_phase("after-call", key.tick)

    def forget_fallbacks(self, from_tick: int) -> int:
        """Drop the fallbacks of `from_tick` and later, in a transaction; return how many."""
        return drop_calls(self._connection, "tick >= ? AND outcome = 'fallback'", from_tick)


class SqliteEmbeddings:
    """Implements `memory.embedder.VectorStore` on the embeddings table of an open run file.

    A cache of the model's vectors, outside the canonical hash and kept on a rewind.

    Args:
        connection: in autocommit mode.
        spending: noted anew with the vectors that are stored.
    """

    def __init__(self, connection: RunConnection, spending: SpendingNote | None = None) -> None:
        self._connection, self._spending = connection, spending

    def get(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the vectors of those texts that have one: float16, little-endian.

        Raises:
            RecordError: a vector has changed since it was stored.
        """
        vectors: dict[str, bytes] = {}
        wanted = list(dict.fromkeys(texts))
        for first in range(0, len(wanted), _BATCH):
            batch = wanted[first : first + _BATCH]
            where = f"model = ? AND text IN ({', '.join('?' * len(batch))})"
            with guard_reading(self._connection.path):
                rows = EMBEDDINGS.find(self._connection, where, model, *batch)
            vectors |= {text: vector for _, text, vector in rows}
        return vectors

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Store vectors durably, all or none; a text that has a vector keeps it."""
        if vectors:
            with Transaction(self._connection):
                rows = [(model, text, vector) for text, vector in vectors.items()]
                EMBEDDINGS.put(self._connection, rows, keep=True)
                if self._spending is not None:
                    self._spending.write()
