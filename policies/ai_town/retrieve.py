"""Retrieve: the memories nearest a query, ranked anew by recency, importance and relevance.

Of the ten times as many nearest by embedding each of the three scores is scaled to [0, 1], and the
best by their sum come to mind. A score in which all candidates tie is 0 for all; in the public code
every sum is then void, and the order stays that of the embeddings (`undefined_ties`).
Source: AI Town, memory.ts (January 2026).
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from genagents_env.memory.embedder import embed_new
from genagents_env.memory.stream import Memory
from genagents_env.policy import MemoryAccess

from .mind import SEED, AiTownMind

TimedMemory = tuple[str, Memory]
Scores = npt.NDArray[np.float64]
_HOUR = 3600


async def recall(
    mind: AiTownMind,
    query: str,
    now: int,
    *,
    count: int | None = None,
    touch: bool = True,
    without: Collection[MemoryAccess] = (),
    shown: Collection[str] = (),
) -> list[TimedMemory]:
    """Return the memories that a query brings to mind, best first, with words for their times.

    Args:
        mind: whose.
        query: in words.
        now: game second.
        count: so many; None is as configured.
        touch: recalling counts as access, but only where the one before lies far enough back.
        without: kinds of memories that do not come to mind: `observation` is what was said in
            talks and announced, `reflection` what was concluded from it.
        shown: what the prompt says anyway, in the words in which it is remembered.
    """
    count, embedder = count or mind.config.recall, mind.services.embedder
    if embedder is None or not len(mind.stream):
        return []
    await embed_new(embedder, mind.stream)
    vectors = await embedder.embed([query])
    similarity = mind.stream.compute_similarity(vectors)[0]
    order = np.argsort(-similarity, kind="stable").tolist()
    memories = ((id_, mind.stream[id_]) for id_ in order)
    left = [
        id_
        for id_, memory in memories
        if _classify(memory) not in without and memory.text not in shown
    ]
    nearest = np.array(left[: count * mind.config.overfetch], dtype=np.int64)
    if not len(nearest):
        return []
    total = _score(mind, nearest, similarity[nearest], now)
    best = [int(id_) for id_ in nearest[np.argsort(-total, kind="stable")[:count]]]
    if touch:
        wait = mind.config.access_seconds
        stale = [id_ for id_ in best if now - int(mind.stream.accessed[id_]) > wait]
        mind.stream.touch(stale, now)
    return [(format_time(mind, mind.stream[id_]), mind.stream[id_]) for id_ in best]


def _score(mind: AiTownMind, ids: npt.NDArray[np.int64], similarity: Scores, now: int) -> Scores:
    """Return the sum of the three scores of each candidate."""
    hours = np.maximum(0, now - mind.stream.accessed[ids]) // _HOUR
    rising = mind.config.recency == "rising"
    recency = hours.astype(np.float64) if rising else mind.config.decay ** hours.astype(np.float64)
    parts = [similarity, mind.stream.importance[ids], recency]
    scaled = [_scale(part) for part in parts]
    if mind.config.undefined_ties and any(part is None for part in scaled):
        return np.zeros(len(ids))  # all are alike then, and the order stays as it was
    total: Scores = np.zeros(len(ids))
    for part in scaled:
        if part is not None:
            total = total + part
    return total


def _scale(values: Scores) -> Scores | None:
    """Return `values` scaled to [0, 1]; None where they are all the same."""
    least, most = values.min(), values.max()
    return None if least == most else np.asarray((values - least) / (most - least))


def _classify(memory: Memory) -> MemoryAccess | None:
    """Classify a memory by what made it; None where it was known from the start."""
    if memory.cause == SEED:
        return None
    return "reflection" if memory.kind == "thought" else "observation"


def format_time(mind: AiTownMind, memory: Memory) -> str:
    """Format when a memory was made; facts of the profile without a time are "before"."""
    if memory.cause == SEED and memory.created == 0:
        return "before"
    return mind.services.format_moment(memory.created)
