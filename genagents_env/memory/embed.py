"""A text embedder without a model: hashed character n-grams."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_SIZES = (3, 4, 5)
_PRIME = np.uint64(0x100000001B3)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_CACHED = 4096  # texts; with 256 numbers each, 4 MB

Bits = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]


class HashedNgrams:
    """Embeds text by counting its character n-grams (3 to 5 bytes), hashed into `dim` places.

    Texts that share words are similar; meaning does not count. It is deterministic over processes
    and platforms, needs no files, and is fast enough for every agent at every step.

    Args:
        dim: length of an embedding, at least 1.
    """

    def __init__(self, dim: int = 256) -> None:
        if dim < 1:
            raise ValueError(f"dim is {dim}, expected at least 1")
        self.dim = dim
        self._cache: OrderedDict[str, Floats] = OrderedDict()

    def __call__(self, texts: list[str]) -> Floats:
        """Return one unit row per text: float32, shape (len(texts), dim). Case does not matter."""
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for k, text in enumerate(texts):
            rows[k] = self._row(text)
        return rows

    def _row(self, text: str) -> Floats:
        row = self._cache.get(text)
        if row is None:
            row = self._cache[text] = self._embed(text)
            if len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        else:
            self._cache.move_to_end(text)
        return row

    def _embed(self, text: str) -> Floats:
        # The marks around the text make even the empty one have an n-gram.
        marked = b"\x02 " + text.casefold().encode("utf-8", "replace") + b" \x03"
        grams = _hash_ngrams(np.frombuffer(marked, dtype=np.uint8).astype(np.uint64))
        sign = np.where(grams >> np.uint64(63), 1.0, -1.0)
        row = np.bincount((grams % np.uint64(self.dim)).astype(np.int64), sign, self.dim)
        length = float(np.linalg.norm(row))
        if length == 0.0:  # every count was cancelled by another: possible where dim is tiny
            row[0] = length = 1.0
        return (row / length).astype(np.float32)


class HashedSource:
    """`HashedNgrams` as a source of embeddings; its vectors are not worth storing.

    Args:
        dim: length of an embedding, at least 1.
    """

    stored = False

    def __init__(self, dim: int = 256) -> None:
        self.name = f"hashed-{dim}"
        self._ngrams = HashedNgrams(dim)

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Return one unit row per text: float32, shape (len(texts), dim)."""
        return self._ngrams(list(texts))

    async def aclose(self) -> None:
        """Do nothing."""


def _hash_ngrams(codes: Bits) -> Bits:
    """Return the mixed hash of every n-gram of `codes`, of all sizes, as one array."""
    hashes = []
    for size in _SIZES:
        if len(codes) < size:
            continue
        grams = np.full(len(codes) - size + 1, size, dtype=np.uint64)
        for k in range(size):
            grams = (grams ^ codes[k : len(codes) - size + 1 + k]) * _PRIME
        grams = (grams ^ (grams >> np.uint64(30))) * _MIX
        hashes.append(grams ^ (grams >> np.uint64(31)))
    return np.concatenate(hashes)
