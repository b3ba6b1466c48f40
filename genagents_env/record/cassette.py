"""What models answered, in the run file: calls, each committed before it is applied; vectors."""

from collections.abc import Callable, Mapping, Sequence

from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import RecordedReply
from genagents_env.record.calls import (
    drop_calls,
    find_call,
    find_responses,
    put_call,
    put_response,
)
from genagents_env.record.connection import RunConnection, Transaction
from genagents_env.record.guard import guard_reading
from genagents_env.record.rows import CallRow, ResponseRow, encode
from genagents_env.record.spending import SpendingNote
from genagents_env.record.tables import EMBEDDINGS

_BATCH = 500  # texts of one query; SQLite allows some thousand variables
OnPhase = Callable[[str, int], None]
_NOTHING = ResponseRow("", 0, "", 0)


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
        """Return what is recorded under `key`, or None."""
        with guard_reading(self._connection.path):
            row = find_call(self._connection, key.agent, key.tick, key.purpose, key.number)
            if row is None:
                return None
            where = "agent = ? AND tick = ? AND purpose = ? AND number = ?"
            of = key.agent, key.tick, key.purpose, key.number
            said = find_responses(self._connection, where, *of)
        response = said[0] if said else _NOTHING
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
            model=row.model,
            reasoning_tokens=row.reasoning_tokens,
            unsaid_prompt_tokens=row.unsaid_prompt_tokens,
            unsaid_completion_tokens=row.unsaid_completion_tokens,
            answered_by=response.model,
            fingerprint=response.fingerprint,
            cached_tokens=response.cached_tokens,
            cache_write_tokens=response.cache_write_tokens,
            latency_seconds=row.latency_seconds,
            started_at=row.started_at,
        )

    def put(self, key: CallKey, recorded: RecordedReply) -> None:
        """Keep `recorded` under `key`, durably, and that it is not in flight any more."""
        prompt = encode([{"role": m.role, "content": m.content} for m in recorded.messages])
        row = CallRow(
            *(key.agent, key.tick, key.purpose, key.number, recorded.prompt_hash),
            *(prompt, recorded.outcome, recorded.reply),
            *(recorded.prompt_tokens, recorded.completion_tokens, recorded.attempts),
            *(recorded.reasks, recorded.truncated, recorded.fault),
            *(recorded.latency_seconds, recorded.started_at, recorded.model),
            *(recorded.reasoning_tokens, recorded.unsaid_prompt_tokens),
            recorded.unsaid_completion_tokens,
        )
        said = ResponseRow(
            *(key.agent, key.tick, key.purpose, key.number),
            recorded.answered_by,
            recorded.fingerprint,
            recorded.cached_tokens,
            recorded.cache_write_tokens,
        )
        with Transaction(self._connection):
            put_call(self._connection, row)
            if any((said.model, said.fingerprint, said.cached_tokens, said.cache_write_tokens)):
                put_response(self._connection, said)
            if self._spending is not None:
                self._spending.write()
        if self._on_phase is not None:
            self._on_phase("after-call", key.tick)

    def forget_fallbacks(self, from_tick: int) -> int:
        """Drop the fallbacks of `from_tick` and later, in a transaction; return how many."""
        return drop_calls(self._connection, "tick >= ? AND outcome = 'fallback'", from_tick)


class SqliteEmbeddings:
    """Implements `memory.embedder.VectorStore` on the embeddings table of an open run file.

    Outside the canonical hash and kept on a rewind: a cache of the model's vectors.

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
        found: dict[str, bytes] = {}
        wanted = list(dict.fromkeys(texts))
        for first in range(0, len(wanted), _BATCH):
            batch = wanted[first : first + _BATCH]
            where = f"model = ? AND text IN ({', '.join('?' * len(batch))})"
            with guard_reading(self._connection.path):
                rows = EMBEDDINGS.find(self._connection, where, model, *batch)
            found |= {text: vector for _, text, vector in rows}
        return found

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Keep these vectors durably, all or none; a text that has one keeps the one it has."""
        if vectors:
            with Transaction(self._connection):
                rows = [(model, text, vector) for text, vector in vectors.items()]
                EMBEDDINGS.put(self._connection, rows, keep=True)
                if self._spending is not None:
                    self._spending.write()
