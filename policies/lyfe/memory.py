"""Memory: Summarize-and-Forget. What is alike is merged, and what is new makes its like forgotten.

Sentences of the summary go to recent memory. When that is full, those that stand alone go to long
memory as they are, and one call merges each cluster. Either bank forgets what a new memory is much
like. What comes to mind is what is nearest, without regard to age or importance. Source: Lyfe
Agents (Kaiya et al. 2023), sections 3.4 and A.3; retrieval and constants, the public release.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import numpy as np
from pydantic import Field

from genagents_env.cognition.prompts import Section, describe_now
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Speech
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.memory.columns import Floats, compare
from genagents_env.memory.forgetting import ForgettingMemory, MemoryItem, Origin, link

from . import states
from .mind import Handlers, LyfeMind, SummarySentence

MERGE = "memory.merge"
_MERGED = "to merge"  # the section of a prompt
_MORE = 4  # times as many memories looked at as brought to mind, some of which say the same
_REFERS_BACK = re.compile(
    r"\b(?:he|him|his|she|her|hers|it|its|they|them|their|this|that|these|those|there)\b", re.I
)
_NAMES = re.compile(r"(?<=\w )(?!I\b)[A-Z\u00c0-\u00de]\w")  # behind another word
NewMemory = tuple[str, tuple[int, ...]]


class MergedMemory(ReplyModel):
    """One memory for several, in under 25 words (release)."""

    wire_name = "Merged"

    memory: Annotated[Speech, Field(min_length=1)]


async def remember(mind: LyfeMind, moment: Moment) -> list[Query]:
    """Remember what the summary says since it was written anew; call once a tick.

    Without a self-monitor it is the latest observations, as they are. Without Summarize-and-Forget
    everything goes to long memory at once.

    Returns:
        A query for each cluster to be merged. Its members are in no bank from now on until the
        reply comes, but in the data of the call.
    """
    fresh, origin = _take_fresh(mind)
    if not fresh:
        return []
    if not mind.config.saf_memory:
        await _add_to_long(mind, fresh, moment.now, origin)
        return []
    await _embed_new(mind)
    vectors = await mind.services.embed([text for text, _ in fresh])
    thoughts: list[Query] = []
    for row, sentence in enumerate(fresh):
        mind.recent.add([sentence], vectors[row : row + 1], moment.now, origin)
        if mind.recent.full:
            thoughts += await _empty_recent(mind)
    return thoughts


async def recall(
    mind: LyfeMind,
    query: str | None = None,
    k: int | None = None,
    shown: Sequence[str] = (),
) -> list[tuple[str, MemoryItem]]:
    """Return the memories that come to mind, with words for their times ("Mon 13 Feb 08:10").

    The nearest of long memory, best first, then the nearest of recent memory, as many of each as
    configured; of those that say much the same, only the nearest.

    Args:
        mind: whose.
        query: None or empty is what came to mind last, else the agent's goal, else its name.
        k: so many of long memory, and none of recent memory.
        shown: what stands in the prompt anyway, and need not come to mind.
    """
    await _embed_new(mind)
    vectors = await mind.services.embed([query or _make_query(mind), *shown])
    long, recent = mind.config.count_recalled(mind.services.prompts.small)
    if k is not None:
        long, recent = k, 0
    elif not mind.config.saf_memory:
        long, recent = long + recent, 0
    known = list(vectors[1:])
    memories = [
        *_find_unlike(mind.long, vectors[0], long, known, mind.config.alike_above),
        *_find_unlike(mind.recent, vectors[0], recent, known, mind.config.alike_above),
    ]
    return [(_format_time(mind, kept), kept) for kept in memories]


def _find_unlike(
    bank: ForgettingMemory, query: Floats, k: int, known: list[Floats], above: float
) -> list[MemoryItem]:
    """Return the `k` memories nearest to `query`, none much like another or like what is `known`.

    They are `known` from then on.
    """
    unlike: list[MemoryItem] = []
    for kept in bank.nearest(query, _MORE * k):
        (vector,) = bank.vectors([kept.id])
        alike = compare(vector[None], np.stack(known)) if known else np.zeros(0)
        if len(unlike) < k and (alike < above).all():
            unlike.append(kept)
            known.append(vector)
    return unlike


def _take_fresh(mind: LyfeMind) -> tuple[list[NewMemory], Origin]:
    """Take the sentences or observations to be remembered now."""
    if mind.config.self_monitor:
        summary = mind.summary
        if summary.updates == summary.stored:
            return [], "summary"
        summary.stored = summary.updates
        return _join_orphans(summary.parts), "summary"
    items = [item for item in mind.buffer if item not in mind.stored]
    mind.stored = list(mind.buffer)
    return [(item.format_text(), tuple(item.list_sources())) for item in items], "observed"


def _join_orphans(parts: Sequence[SummarySentence]) -> list[NewMemory]:
    """Return the sentences as memories; one that only refers back stays with the one before.

    "I believe him." means nothing by itself.
    """
    joined: list[NewMemory] = []
    for part in parts:
        text, events = part.text, tuple(part.events)
        if joined and _REFERS_BACK.search(text) and not _NAMES.search(text):
            before, earlier = joined.pop()
            text, events = f"{before} {text}", tuple(sorted({*earlier, *events}))
        joined.append((text, events))
    return joined


async def _empty_recent(mind: LyfeMind) -> list[Query]:
    """Empty recent memory: what stands alone goes to long memory, the rest waits to be merged."""
    members = list(mind.recent)
    vectors = mind.recent.vectors([kept.id for kept in members])
    groups = [[members[row] for row in rows] for rows in link(vectors, mind.config.cluster_above)]
    mind.recent.clear()
    await _keep(mind, [group[0] for group in groups if len(group) == 1])
    return [Query(MERGE, _to_data(group)) for group in groups if len(group) > 1]


async def _keep(mind: LyfeMind, memories: Sequence[MemoryItem]) -> None:
    """Put memories into long memory as they are."""
    for (at, origin), some in groupby(memories, key=lambda kept: (kept.at, kept.origin)):
        await _add_to_long(mind, [(kept.text, kept.events) for kept in some], at, origin)


async def _add_to_long(
    mind: LyfeMind, memories: Sequence[NewMemory], at: int, origin: Origin
) -> None:
    await _embed_new(mind)
    vectors = await mind.services.embed([text for text, _ in memories])
    mind.long.add(memories, vectors, at, origin)


async def _embed_new(mind: LyfeMind) -> None:
    """Embed what has no vector: what the agent knew before, and everything after a checkpoint."""
    banks = [(bank, ids) for bank in (mind.long, mind.recent) if (ids := bank.find_unembedded())]
    if not banks:
        return
    texts = [bank[id_].text for bank, ids in banks for id_ in ids]
    vectors = await mind.services.embed(texts)
    for bank, ids in banks:
        bank.embed(ids, vectors[: len(ids)])
        vectors = vectors[len(ids) :]


def _make_query(mind: LyfeMind) -> str:
    return (mind.work[-1].format_text() if mind.work else "") or mind.goal or mind.name


def _format_time(mind: LyfeMind, kept: MemoryItem) -> str:
    """Format the time of a memory: "Tue 4 Apr 11:05", or before the first day."""
    time = mind.services.format_moment(kept.at)
    return f"before {time}" if kept.origin == "seed" and not kept.at else time


def _to_data(members: Sequence[MemoryItem]) -> QueryData:
    return {
        "ids": [kept.id for kept in members],
        "texts": [kept.text for kept in members],
        "events": [list(kept.events) for kept in members],
        "at": [kept.at for kept in members],
        "origins": [kept.origin for kept in members],
    }


def _from_data(data: QueryData) -> list[MemoryItem]:
    columns = (data[name] for name in ("ids", "texts", "events", "at", "origins"))
    return [
        MemoryItem(id_, text, tuple(events), at, origin)
        for id_, text, events, at, origin in zip(*columns, strict=True)
    ]


async def _prepare(mind: LyfeMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for one memory; what finds no room in the prompt goes to long memory as it is."""
    members = _from_data(data)
    lines: list[JSONValue] = [["memory", _format_time(mind, kept), kept.text] for kept in members]
    sections = [
        describe_now(moment.percept.time, moment.percept.me.place),
        *states.describe_states(mind),
        Section(_MERGED, lines, keep="last"),
    ]
    shown = mind.fill("memory_merge", sections)
    count = shown.shown[_MERGED]
    merged = members[len(members) - count :] if count > 1 else []
    await _keep(mind, members[: len(members) - len(merged)])
    return mind.ask_filled(shown, _to_data(merged)) if merged else None


async def _apply(mind: LyfeMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    members = _from_data(reply.data)
    if reply.fallback:
        await _keep(mind, members)
        return ()
    events = sorted({event for kept in members for event in kept.events})
    latest = max(kept.at for kept in members)
    await _add_to_long(mind, [(reply.value.memory, tuple(events))], latest, "merged")
    return ()


HANDLERS: Handlers = {MERGE: handle(_prepare, _apply, MergedMemory(memory="-"), 300)}
