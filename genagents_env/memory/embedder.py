"""Text to vectors: each text is embedded once, and a resumed run reads the stored vectors."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from genagents_env.errors import LLMBadReply, RecordError
from genagents_env.llm.budget import Budget
from genagents_env.memory.columns import Floats, unit_rows
from genagents_env.memory.stream import MemoryStream

MOST_CACHED = 64 << 20
_ENTRY = 256  # bytes that Python takes for an entry besides text and vector
_HALF = np.dtype("<f2")

Vectors: TypeAlias = Mapping[str, bytes]
Flight: TypeAlias = asyncio.Task[dict[str, bytes]]


class EmbeddingSource(Protocol):
    """A model of embeddings.

    Attributes:
        name: stored with every vector, such as `minilm-int8`.
        stored: whether to store vectors in the run file; False for a source that computes them
            faster than a file is read, and always alike.
    """

    name: str
    stored: bool

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Return one vector per text: shape (len(texts), D), any scale, none zero.

        Texts hold no lone surrogates. A text's vector must not depend on the others.
        """
        ...

    async def aclose(self) -> None:
        """Free resources; closing twice is allowed."""
        ...


@runtime_checkable
class BilledSource(Protocol):
    """A source whose requests cost money."""

    def bill(self, budget: Budget) -> None:
        """Have `budget` admit and pay for every request from now on.

        Raises:
            ConfigError: dollars are limited and the price is not known.
        """
        ...


class VectorStore(Protocol):
    """A store of vectors beyond the process: float16, little-endian, one string of bytes a text."""

    def get(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the stored vectors among those of `texts`."""
        ...

    def put(self, model: str, vectors: Vectors) -> None:
        """Store vectors; a text that has a vector keeps it."""
        ...


class Embedder:
    """Embeds texts with one source, each text once, in any number of tasks at a time.

    Every vector is rounded to float16 and stored before it is used, so that a resumed run computes
    with the same numbers, bit for bit. A cache in memory has the 64 MiB of texts and vectors that
    were used last.

    Args:
        source: the model.
        store: of vectors; None is memory only.
    """

    def __init__(self, source: EmbeddingSource, store: VectorStore | None = None) -> None:
        self.name = source.name
        self._source = source
        self._store = store if source.stored else None
        self._cache: OrderedDict[str, bytes] = OrderedDict()
        self._cached = 0
        self._width = 0
        # A task belongs to the event loop it runs on.
        self._flights: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Flight]] = (
            WeakKeyDictionary()
        )

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Return one unit row per text: float32, shape (len(texts), D); (0, D) for no texts.

        D of no texts is 0 before the first vector.

        Raises:
            LLMError: the source does not answer, or not with vectors.
            RecordError: a stored vector is damaged.
        """
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        vectors = {text: self._cache[text] for text in whole if text in self._cache}
        flights = self._flights.setdefault(asyncio.get_running_loop(), {})
        new = [t for t in dict.fromkeys(whole) if t not in vectors and t not in flights]
        if new:
            task = asyncio.create_task(self._fetch(new))
            flights.update(dict.fromkeys(new, task))
            task.add_done_callback(lambda done: _end_flight(done, flights))
        for task in dict.fromkeys(flights[t] for t in whole if t not in vectors):
            # Cancelling one caller must not cancel the others that wait.
            vectors |= await asyncio.shield(task)
        for text in dict.fromkeys(whole):
            self._keep(text, vectors[text])
        rows: Floats = np.zeros((len(whole), self._width), dtype=np.float32)
        for k, text in enumerate(whole):
            rows[k] = _row(vectors[text])
        return rows

    async def aclose(self) -> None:
        """Close the source."""
        await self._source.aclose()

    async def _fetch(self, texts: list[str]) -> dict[str, bytes]:
        """Return the vectors of `texts`, from the store or else the source."""
        known = self._store.get(self.name, texts) if self._store else {}
        for text, vector in known.items():
            self._check_stored(text, vector)
        missing = [text for text in texts if text not in known]
        if missing:
            fresh = self._round(missing, await self._source.embed(missing))
            if self._store:
                self._store.put(self.name, fresh)
            known = known | fresh
        for text, vector in known.items():
            self._keep(text, vector)
        return known

    def _round(self, texts: list[str], vectors: Floats) -> dict[str, bytes]:
        try:
            if vectors.ndim != 2 or len(vectors) != len(texts) or 0 in vectors.shape:
                raise ValueError(f"{len(texts)} texts gave vectors of shape {vectors.shape}")
            if self._width not in (0, vectors.shape[1]):
                raise ValueError(f"vectors are {vectors.shape[1]} wide and were {self._width}")
            halves = unit_rows(np.asarray(vectors, dtype=np.float32)).astype(_HALF)
        except ValueError as fault:
            raise LLMBadReply(f"embeddings of {self.name}: {fault}") from None
        self._width = vectors.shape[1]
        return {text: half.tobytes() for text, half in zip(texts, halves, strict=True)}

    def _check_stored(self, text: str, vector: bytes) -> None:
        width, odd = divmod(len(vector), _HALF.itemsize)
        halves = np.frombuffer(vector, dtype=_HALF) if not odd else np.zeros(0)
        if self._width not in (0, width) or not np.isfinite(halves).all() or not halves.any():
            raise RecordError(f"the stored embedding of {text[:60]!r} by {self.name} is damaged")
        self._width = width

    def _keep(self, text: str, vector: bytes) -> None:
        if text not in self._cache:
            self._cache[text] = vector
            self._cached += _size(text, vector)
        self._cache.move_to_end(text)
        while self._cached > MOST_CACHED:
            self._cached -= _size(*self._cache.popitem(last=False))


async def embed_new(embedder: Embedder, stream: MemoryStream) -> None:
    """Embed the memories of a stream that have no vector yet."""
    ids = stream.find_unembedded()
    if ids:
        stream.embed(ids, await embedder.embed([stream[id_].text for id_ in ids]))


def _size(text: str, vector: bytes) -> int:
    """Estimate the bytes of an entry, at most four a character."""
    return 4 * len(text) + len(vector) + _ENTRY


def _row(vector: bytes) -> Floats:
    """Return a float32 row, scaled to length one, from which rounding deviates by a thousandth."""
    row: Floats = unit_rows(np.frombuffer(vector, dtype=_HALF).astype(np.float32)[None])[0]
    return row


def _end_flight(task: Flight, flights: dict[str, Flight]) -> None:
    for text in [text for text, other in flights.items() if other is task]:
        del flights[text]
    if not task.cancelled():
        task.exception()  # read it, since asyncio warns of unread errors
