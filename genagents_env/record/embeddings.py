"""The vectors of a run: each text is embedded once, stored with the model, and read on resume."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from genagents_env.record.connection import RunConnection, Transaction
from genagents_env.record.guard import guard_reading
from genagents_env.record.spending import SpendingNote
from genagents_env.record.tables import EMBEDDINGS

_BATCH = 500  # texts of one query; SQLite allows some thousand variables


class SqliteEmbeddings:
    """Implements `memory.embedder.VectorStore` on the embeddings table of an open run file.

    Outside the canonical hash and kept on a rewind: a cache of the model's vectors.

    Args:
        path: of the file, for messages.
        connection: in autocommit mode.
        spending: noted anew with the vectors that are stored.
    """

    def __init__(
        self, path: Path, connection: RunConnection, spending: SpendingNote | None = None
    ) -> None:
        self._path, self._connection, self._spending = path, connection, spending

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
            with guard_reading(self._path):
                rows = EMBEDDINGS.find(self._path, self._connection, where, model, *batch)
            found |= {text: vector for _, text, vector in rows}
        return found

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Keep these vectors durably, all or none; a text that has one keeps the one it has."""
        if vectors:
            with Transaction(self._path, self._connection):
                rows = [(model, text, vector) for text, vector in vectors.items()]
                EMBEDDINGS.put(self._connection, rows, keep=True)
                if self._spending is not None:
                    self._spending.write()
