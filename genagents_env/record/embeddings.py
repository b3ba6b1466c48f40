"""The vectors of a run: each text is embedded once, stored with the model, and read on resume."""

import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from genagents_env.record.schema import damage_error, guard_reading
from genagents_env.record.transaction import Transaction

_GET = "SELECT text, vector, checksum FROM embeddings WHERE model = ? AND text IN ({})"
_PUT = "INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?, ?)"
_BATCH = 500  # texts of one query; SQLite allows some thousand variables


class SqliteEmbeddings:
    """Implements `memory.embedder.VectorStore` on the embeddings table of an open run file.

    Outside the canonical hash and kept on a rewind: a cache of the model's vectors.

    Args:
        path: of the file, for messages.
        connection: in autocommit mode.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection

    def get(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the vectors of those texts that have one: float16, little-endian.

        Raises:
            RecordError: a vector has changed since it was stored.
        """
        found: dict[str, bytes] = {}
        wanted = list(dict.fromkeys(texts))
        for first in range(0, len(wanted), _BATCH):
            batch = wanted[first : first + _BATCH]
            query = _GET.format(", ".join("?" * len(batch)))
            with guard_reading(self._path):
                rows = self._connection.execute(query, (model, *batch)).fetchall()
                for text, vector, checksum in rows:
                    if _checksum(model, text, vector) != checksum:
                        raise damage_error(self._path, f"an embedding of {model!r} has changed")
                    found[text] = vector
        return found

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Keep these vectors durably, all or none; a text that has one keeps the one it has."""
        rows = [(model, t, v, _checksum(model, t, v)) for t, v in vectors.items()]
        if rows:
            with Transaction(self._path, self._connection):
                self._connection.executemany(_PUT, rows)


def _checksum(model: str, text: str, vector: bytes) -> bytes:
    return sha256(b"\0".join((model.encode(), text.encode(), vector))).digest()
