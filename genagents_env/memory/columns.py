"""Arrays that grow: appending is amortised O(1), reading is a view."""

from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Cosines = npt.NDArray[np.float64]
Scalar = TypeVar("Scalar", bound=np.generic)

DECIMALS = 5  # of a cosine that is compared with a threshold
_FINE = 8  # decimals of cosines for ranking memories
_FIRST = 16
_BLOCK = 128  # vectors converted at a time; of 1,536 numbers each, 1.5 MB


class Column(Generic[Scalar]):
    """A growing array of numbers of one type, or of rows of named numbers."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self._data: npt.NDArray[Scalar] = np.zeros(_FIRST, dtype=dtype)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, value: float | tuple[float, ...]) -> None:
        """Put `value` at the end."""
        if self._count == len(self._data):
            self._data = np.concatenate([self._data, np.zeros_like(self._data)])
        self._data[self._count] = value
        self._count += 1

    @property
    def view(self) -> npt.NDArray[Scalar]:
        """The values, shape (len,); writing to it writes the column. Valid until `append`."""
        return self._data[: self._count]


class Matrix:
    """A growing float32 matrix of unit rows; those that are not known yet are zero.

    Attributes:
        dim: length of a row; 0 until the first row is known.
        missing: number of rows that are not known yet.
    """

    def __init__(self) -> None:
        self.dim = 0
        self._data: Floats = np.zeros((0, 0), dtype=np.float32)
        self._known: Column[np.bool_] = Column(np.bool_)
        self.missing = 0

    def __len__(self) -> int:
        return len(self._known)

    def append(self) -> int:
        """Add a row that is not known yet, and return its number."""
        self._known.append(False)
        self.missing += 1
        return len(self._known) - 1

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Whether each row is known, shape (len,)."""
        return self._known.view

    def row(self, row: int) -> Floats | None:
        """Return a row, shape (dim,), or None if it is not known yet."""
        return self._data[row].copy() if self._known.view[row] else None

    def set(self, rows: npt.NDArray[np.int64], vectors: Floats) -> None:
        """Put `vectors`, normalised to length one, in `rows`.

        Args:
            rows: shape (K,); of a row named twice the last vector stays.
            vectors: shape (K, dim), of any length but zero.

        Raises:
            ValueError: the shape is another, or a vector is zero or not finite.
        """
        vectors = np.asarray(vectors, dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(rows) or 0 in vectors.shape:
            raise ValueError(f"vectors have shape {vectors.shape}, expected ({len(rows)}, width)")
        if self.dim not in (0, vectors.shape[1]):
            raise ValueError(f"vectors are {vectors.shape[1]} wide, those here are {self.dim}")
        unit = unit_rows(vectors)
        self.dim = vectors.shape[1]
        filled = len(self._data)
        if filled < len(self):
            data = np.zeros((max(_FIRST, 2 * len(self)), self.dim), dtype=np.float32)
            data[:filled] = self._data.reshape(filled, self.dim)
            self._data = data
        self._data[rows] = unit
        self.missing -= len(np.unique(rows[~self._known.view[rows]]))
        self._known.view[rows] = True

    def dot(self, queries: Floats) -> Cosines:
        """Return the cosines of `queries` (Q, dim), of any length, and all rows: (Q, len), float64.

        They are rounded to eight decimals, and so equal on every processor; see `compare`. Rows
        that are not known yet have 0.
        """
        doubles = queries.astype(np.float64)
        lengths = np.linalg.norm(doubles, axis=1, keepdims=True)
        doubles /= np.where(lengths > 0, lengths, 1.0)
        cosines = np.zeros((len(queries), len(self)))
        filled = min(len(self), len(self._data))
        for at in range(0, filled, _BLOCK):
            until = min(at + _BLOCK, filled)
            cosines[:, at:until] = doubles @ self._data[at:until].astype(np.float64).T
        return cosines.round(_FINE, out=cosines)


def compare(rows: Floats, others: Floats) -> Cosines:
    """Return the cosines of unit `rows` (K, D) and `others` (N, D): shape (K, N), float64.

    Sums of products differ in their last digits between processors. Those in double precision,
    rounded to `DECIMALS`, do not, so that the same vectors give the same retrieval.
    """
    return (rows.astype(np.float64) @ others.astype(np.float64).T).round(DECIMALS)


def unit_rows(vectors: Floats) -> Floats:
    """Return `vectors` (K, D) scaled to length one.

    Raises:
        ValueError: one is zero or not finite.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.abs(vectors).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all() or not (largest > 0).all():
        raise ValueError("an embedding is zero or not finite")
    scaled = vectors / largest  # so that squares neither overflow nor vanish
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True), dtype=np.float32)
