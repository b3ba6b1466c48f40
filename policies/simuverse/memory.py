"""Memory by retrieval: what was chosen and what came of it, and every utterance.

What is nearest to the last input comes to mind, whatever its age. Source: SimuVerse update, "Future
Development"; three memories of a cosine of 0.6 at least, the authors' later framework.
"""

from collections.abc import Collection, Sequence

from genagents_env.memory.columns import compare
from genagents_env.memory.forgetting import MemoryItem
from genagents_env.text import quote

from .mind import SimuverseMind

_LEAST = 0.6  # SimuVerse_Framework_MK3, of sentence embeddings
_LEAST_HASHED = 0.25  # of hashed n-grams, whose cosines are smaller
_MORE = 3  # times as many looked at as there are texts that need not come to mind
RecalledItem = tuple[str, MemoryItem]


def remember(mind: SimuverseMind, text: str, at: int, events: Sequence[int] = ()) -> None:
    """Remember something, where the agent has a memory."""
    if mind.config.memory == "rag" and text:
        mind.memory.seed(text, [event for event in events if event >= 0], at, "observed")


async def recall(
    mind: SimuverseMind,
    query: str,
    k: int | None = None,
    least: float | None = None,
    shown: Collection[str] = (),
) -> list[RecalledItem]:
    """Return the memories nearest to `query`, best first, each with words for when it was.

    Args:
        mind: whose.
        query: what is thought of; of nothing nothing comes to mind.
        k: so many at most; None is as configured.
        least: their least cosine; None is as configured.
        shown: texts that need not come to mind, nor what holds one of them.
    """
    k = mind.config.recall if k is None else k
    if mind.config.memory == "off" or not k or not query or not len(mind.memory):
        return []
    await _embed_new(mind)
    (vector,) = await mind.services.embed([query])
    nearest = mind.memory.nearest(vector, k + _MORE * len(shown))
    cosines = compare(mind.memory.vectors([item.id for item in nearest]), vector[None])[:, 0]
    least = _find_least(mind) if least is None else least
    near = [
        item
        for item, cosine in zip(nearest, cosines, strict=True)
        if cosine >= least and not _is_told(item.text, shown)
    ]
    once = {item.text: item for item in near[::-1]}  # of equal texts the nearest, the newest
    return [(_format_time(mind, item), item) for item in list(once.values())[::-1][:k]]


def _is_told(text: str, shown: Collection[str]) -> bool:
    """Return True if a memory holds what a prompt shows anyway, quoted or not."""
    return any(words in text or quote(words) in text for words in shown)


async def _embed_new(mind: SimuverseMind) -> None:
    """Embed what has no vector yet: what is new, and everything after a checkpoint."""
    if ids := mind.memory.find_unembedded():
        vectors = await mind.services.embed([mind.memory[id_].text for id_ in ids])
        mind.memory.embed(ids, vectors)


def _find_least(mind: SimuverseMind) -> float:
    if mind.config.recall_above is not None:
        return mind.config.recall_above
    embedder = mind.services.embedder
    hashed = embedder is not None and embedder.name.startswith("hashed")
    return _LEAST_HASHED if hashed else _LEAST


def _format_time(mind: SimuverseMind, item: MemoryItem) -> str:
    """Format the time of a memory: "Tue 4 Apr 11:05", or before the first day."""
    time = mind.services.format_moment(item.at)
    return f"before {time}" if item.origin == "seed" and not item.at else time
