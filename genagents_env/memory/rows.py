"""Reusable rows of unit vectors, and cosines that do not depend on the place of a row."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from genagents_env.memory.columns import DECIMALS, Cosines, Floats, compare, unit_rows

Ids: TypeAlias = npt.NDArray[np.int64]

_FIRST = 16  # rows
_FREE = -1
_DOUBTFUL = 64  # rows a query that are compared exactly


class VectorRows:
    """Unit vectors by the id of their owner; the rows of dropped vectors are reused.

    They are stored column by column, which BLAS multiplies with a vector in a third of the time.

    Attributes:
        owner: of each row, shape (rows,); `_FREE` if none.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.owner: Ids = np.zeros(0, dtype=np.int64)
        self._data: Floats = np.zeros((0, 0), dtype=np.float32)
        self._rest: Floats = np.zeros(0, dtype=np.float32)
        self._row_of: dict[int, int] = {}
        self._free: list[int] = []  # the last is used next
        self._used = 0  # rows from here on were never used

    def __contains__(self, id_: int) -> bool:
        return id_ in self._row_of

    @property
    def count(self) -> int:
        """The number of vectors."""
        return len(self._row_of)

    @property
    def slack(self) -> float:
        """The most that a product in single precision differs from the exact, rounded cosine.

        The sum of D products of unit vectors is off by at most D times the rounding unit, 6e-8.
        """
        return 10.0**-DECIMALS + 6e-8 * len(self._data)

    def normalize(self, vectors: Floats, count: int) -> Floats:
        """Return `vectors`, shape (count, D), as unit rows.

        Raises:
            ValueError: the shape is another, or a vector is zero or not finite.
        """
        vectors = np.asarray(vectors, dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != count or 0 in vectors.shape:
            raise ValueError(f"vectors have shape {vectors.shape}, expected ({count}, width)")
        if len(self._data) not in (0, vectors.shape[1]):
            raise ValueError(f"vectors are {vectors.shape[1]} wide, those here {len(self._data)}")
        return unit_rows(vectors)

    def put(self, id_: int, vector: Floats) -> int:
        """Store a unit vector of `id_`, in place of an earlier one; return its row."""
        row = self._row_of.get(id_)
        if row is None:
            if not self._free:
                self._grow(len(vector))
            row = self._row_of[id_] = self._free.pop()
            self._used = max(self._used, row + 1)
            self.owner[row] = id_
        self._data[:, row] = vector
        self._rest[row] = _length(vector[_head(vector) :])
        return row

    def _grow(self, dim: int) -> None:
        used = len(self.owner)
        rows = min(self.most, max(_FIRST, 2 * used))
        data = np.zeros((dim, rows), dtype=np.float32)
        rest = np.zeros(rows, dtype=np.float32)
        owner = np.full(rows, _FREE, dtype=np.int64)
        data[:, :used], owner[:used] = self._data.reshape(dim, used), self.owner
        rest[:used] = self._rest
        self._data, self._rest, self.owner = data, rest, owner
        self._free = [*range(rows - 1, used - 1, -1), *self._free]

    def drop(self, id_: int) -> None:
        """Free the row of `id_`, if any."""
        row = self._row_of.pop(id_, None)
        if row is not None:
            self.owner[row] = _FREE
            self._free.append(row)

    def get(self, ids: Sequence[int]) -> Floats:
        """Return the vectors of `ids`, shape (len(ids), D)."""
        return np.ascontiguousarray(self._data[:, [self._row_of[id_] for id_ in ids]].T)

    def bound_similarity(self, queries: Floats, above: float) -> Floats:
        """Return upper bounds of the cosines of unit `queries` (Q, D) to all rows, used or free.

        The product of the first third of the numbers and the lengths of the rest mostly show that
        no cosine is `above`; if many rows remain in doubt, the full product is the bound.

        Returns:
            Shape (Q, rows), with Q more rows, which are 0.
        """
        width, head = min(self.most, self._used + len(queries)), _head(queries)
        while len(self.owner) < width:
            self._grow(queries.shape[1])
        most: Floats = np.zeros((len(queries), width), dtype=np.float32)
        if not self._used:
            return most
        filled, data = most[:, : self._used], self._data[:, : self._used]
        np.matmul(queries[:, :head], data[:head], out=filled)
        filled += np.outer(_length(queries[:, head:]), self._rest[: self._used])
        if np.count_nonzero(filled >= above - self.slack) > _DOUBTFUL * len(queries):
            np.matmul(queries, data, out=filled)
        return most

    def find_similar(self, vector: Floats, most: Floats, above: float) -> list[int]:
        """Return the ids at least `above` similar to `vector`; `most` is its `bound_similarity`."""
        near = most >= above - self.slack
        rows = np.flatnonzero(near & (self.owner[: len(most)] >= 0))
        if not len(rows):
            return []
        return sorted(self.owner[rows[self.compute_cosines(rows, vector) >= above]].tolist())

    def find_nearest(self, query: Floats, k: int) -> Ids:
        """Return the rows of the `k` nearest to a unit `query` (1, D), and some about as near."""
        used = self.owner[: self._used] >= 0
        products = np.where(used, (query @ self._data[:, : self._used])[0], -np.inf)
        k = min(k, self.count)
        floor = np.partition(products, len(products) - k)[len(products) - k]
        return np.flatnonzero(products >= floor - 2 * self.slack)

    def compute_cosines(self, rows: Ids, vector: Floats) -> Cosines:
        """Return the cosines of `rows` to a unit `vector`, rounded: shape (len(rows),)."""
        return compare(self._data[:, rows].T, vector[None])[:, 0]


def _head(vectors: Floats) -> int:
    """Return the number of leading numbers of a vector that are multiplied first."""
    return -(-int(vectors.shape[-1]) // 3)


def _length(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.square(vectors).sum(axis=-1)), dtype=np.float32)
