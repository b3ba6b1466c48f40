"""Retrieve: what comes to mind for some questions, by recency, importance and relevance."""

from collections.abc import Sequence

from genagents_env.memory.retrieval import PRESETS, retrieve
from genagents_env.memory.stream import Kind, Memory

from .mind import SmallvilleMind

ALL: tuple[Kind, ...] = ("event", "thought", "chat", "plan")
TimedMemory = tuple[str, Memory]


async def recall(
    mind: SmallvilleMind,
    queries: Sequence[str],
    now: int,
    *,
    kinds: Sequence[Kind] = ALL,
    touch: bool = True,
) -> list[TimedMemory]:
    """Return the memories that `queries` bring up, the best of each first, none twice.

    Taken in turns: the best of every query, then the second best of every query, and so on. With
    retrieval switched off: the latest memories, whatever is asked.

    Args:
        mind: whose.
        queries: in words.
        now: game second.
        kinds: of memories.
        touch: recalling counts as access, which keeps a memory recent; an interview leaves none.

    Returns:
        Pairs of the words for when it was ("Mon 08:10") and the memory.
    """
    count = mind.config.recall
    if not mind.config.retrieval or mind.services.embedder is None:
        ids = mind.stream.recent(count, kinds=kinds, now=now)
    else:
        await embed_new(mind)
        vectors = await mind.services.embedder.embed(list(queries))
        weights = PRESETS[mind.config.retrieval_weights]
        found = retrieve(mind.stream, vectors, now=now, k=count, weights=weights, kinds=kinds)
        ids = _interleave(found)
    if touch:
        mind.stream.touch(ids, now)
    return add_times(mind, ids)


def add_times(mind: SmallvilleMind, ids: Sequence[int]) -> list[TimedMemory]:
    """Return memories with the words for when they were made."""
    memories = (mind.stream[id_] for id_ in ids)
    return [(_format_time(mind, memory), memory) for memory in memories]


def _format_time(mind: SmallvilleMind, memory: Memory) -> str:
    """Return when a memory was made; what the agent knew before the episode has no hour."""
    return (
        "before" if memory.cause == "seed" else f"{mind.services.to_time(memory.created):%a %H:%M}"
    )


async def embed_new(mind: SmallvilleMind) -> None:
    """Embed the memories that have no vector yet."""
    ids = mind.stream.find_unembedded()
    if ids and mind.services.embedder is not None:
        texts = [mind.stream[id_].text for id_ in ids]
        mind.stream.embed(ids, await mind.services.embedder.embed(texts))


def _interleave(found: Sequence[Sequence[int]]) -> list[int]:
    """Return the ids of several rankings, rank by rank, each once."""
    longest = max((len(ids) for ids in found), default=0)
    ranks = (ids[rank] for rank in range(longest) for ids in found if rank < len(ids))
    return list(dict.fromkeys(ranks))
