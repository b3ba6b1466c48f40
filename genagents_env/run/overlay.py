"""A read-only view of a run file: stored calls and vectors are read, new ones kept in memory.

So a run can be replayed up to any tick, and asked about it, and not a byte of its file changes.
"""

from collections.abc import Mapping, Sequence

from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import MemoryCassette, RecordedReply
from genagents_env.memory.embedder import VectorStore
from genagents_env.record import RunReader


class OverlayCassette(MemoryCassette):
    """The stored calls of `run`, until `leave` is called, and the new ones of this process."""

    def __init__(self, run: RunReader) -> None:
        super().__init__()
        self._run: RunReader | None = run

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return what is recorded under `key`, or None."""
        found = super().get(key)
        return self._run.cassette.get(key) if found is None and self._run is not None else found

    def leave(self) -> None:
        """Read no more from the file: from here on the questions are not those of the run."""
        self._run = None


class OverlayEmbeddings:
    """The stored vectors of `run`, and the new ones of this process."""

    def __init__(self, run: RunReader) -> None:
        self._below: VectorStore = run.embeddings
        self._new: dict[tuple[str, str], bytes] = {}

    def get(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the vectors of those texts that have one."""
        new = {text: self._new[model, text] for text in texts if (model, text) in self._new}
        return self._below.get(model, [text for text in texts if text not in new]) | new

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Keep the vectors of these texts."""
        self._new |= {(model, text): vector for text, vector in vectors.items()}
