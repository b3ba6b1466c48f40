"""What the agent's sentences rest on: of the lines they were made of, those most like them.

A summary, a thought or an utterance is a reply of a model that names no sources. So each sentence
is held against what the prompt showed: the sentences of the summary before with the events of
theirs, what was heard, what was recalled. The rule is ours; paper and release keep no sources.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from genagents_env.memory.columns import compare
from genagents_env.memory.forgetting import MemoryItem

from .mind import LyfeMind, SummarySentence, WorkItem

Source: TypeAlias = tuple[str, Sequence[int]]  # words, and the events in the record behind them

_SENTENCES = 12  # of a summary at most
_END = re.compile(
    r"(?:(?<=[.!?\u2026\u0964\u1362])|(?<=[.!?\u2026][\"'\u201d\u2019)\]]))\s+"
    r"|(?<=[\u3002\uff01\uff1f])(?![\u3002\uff01\uff1f\u300d\u300f\u201d])"
    r"|(?<=[\u3002\uff01\uff1f][\u300d\u300f\u201d])"
)
# A full stop that ends no sentence: of a title, an initial, an hour.
_GOES_ON = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|[ap]\.m|[A-Z])\.$")
_WORD = re.compile(r"\w")
_LEAST = 0.3  # cosine below which a sentence rests on nothing that was heard
_NEARLY = 0.1  # by how much less alike than the most alike a ground may be to count too
_MOST = 8  # events of one sentence


def list_sources(
    mind: LyfeMind, items: Iterable[WorkItem], recalled: Iterable[tuple[str, MemoryItem]]
) -> list[Source]:
    """List the sources of a reply: summary, work memory, recalled memories."""
    return [
        *((part.text, part.events) for part in mind.summary.parts),
        *((item.format_text(), item.list_sources()) for item in items),
        *((kept.text, list(kept.events)) for _, kept in recalled),
    ]


async def find_events(mind: LyfeMind, text: str, made_of: Sequence[Source]) -> list[int]:
    """Return the events that a text as a whole rests on, ascending."""
    parts = await trace_sentences(mind, text, made_of)
    return sorted({event for part in parts for event in part.events})[-_MOST:]


async def trace_sentences(
    mind: LyfeMind, text: str, made_of: Sequence[Source]
) -> list[SummarySentence]:
    """Return the sentences of `text`, each with the events it rests on, ascending."""
    sentences = split_sentences(text)
    if not sentences:
        return []
    if not any(events for _, events in made_of):
        return [SummarySentence(sentence) for sentence in sentences]
    words = [words for words, _ in made_of]
    vectors = await mind.services.embed([*sentences, *words])
    likeness = compare(vectors[: len(sentences)], vectors[len(sentences) :])
    return [
        SummarySentence(sentence, _choose_events(made_of, row))
        for sentence, row in zip(sentences, likeness.tolist(), strict=True)
    ]


def _choose_events(made_of: Sequence[Source], alike: Iterable[float]) -> list[int]:
    ranked = sorted(zip(alike, range(len(made_of)), strict=True), key=lambda pair: -pair[0])
    floor = max(_LEAST, ranked[0][0] - _NEARLY)
    events = dict.fromkeys(
        event for cosine, at in ranked if cosine >= floor for event in made_of[at][1]
    )
    return sorted(list(events)[:_MOST])


def split_sentences(text: str) -> list[str]:
    """Return the sentences of `text`, at most 12: the last holds whatever there is more."""
    parts: list[str] = []
    for part in filter(_WORD.search, map(str.strip, _END.split(text))):
        if parts and _GOES_ON.search(parts[-1]):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    if len(parts) > _SENTENCES:
        parts[_SENTENCES - 1 :] = [" ".join(parts[_SENTENCES - 1 :])]
    return parts
