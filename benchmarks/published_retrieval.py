"""Retrieval as the authors of Park et al. 2023 published it, written anew from its description.

What decides its cost is kept: every memory is an object of its own, its embedding a list of
floats that numpy converts for each product, and each part of the score a dictionary that is
scaled entry by entry. Their code also prints every candidate and asks for one embedding a query;
both are left out. So are embeddings of chats and of idle things, which are never compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

DECAY = 0.99  # of an agent that has none of its own
_WEIGHTS = {"recency": 0.5, "relevance": 3.0, "importance": 2.0}
_LEFT_OUT = "idle"


@dataclass
class Node:
    """One memory, held as the published code holds it; `accessed` changes as it is found."""

    id: int
    accessed: int
    importance: float
    embedding: list[float]
    kind: Literal["event", "thought", "chat"] = "event"
    text: str = ""


def retrieve(
    nodes: Sequence[Node], queries: Sequence[list[float]], k: int, decay: float = DECAY
) -> list[list[int]]:
    """Return the ids of the `k` best memories for each query, best first; nothing is accessed."""
    return [[node.id for node in _find_best(nodes, query, k, decay)] for query in queries]


def retrieve_in_turn(
    nodes: Sequence[Node],
    queries: Sequence[list[float]],
    k: int,
    decay: float = DECAY,
    *,
    now: int,
) -> list[list[int]]:
    """Return the same, where what a query found is accessed before the next one is asked."""
    found = []
    for query in queries:
        best = _find_best(nodes, query, k, decay)
        for node in best:
            node.accessed = now
        found.append([node.id for node in best])
    return found


def _find_best(nodes: Sequence[Node], query: list[float], k: int, decay: float) -> list[Node]:
    # Either sequence is kept newest first, events stand before thoughts, and sorting is stable.
    newest = [*reversed(nodes)]
    pool = [node for node in newest if node.kind == "event"]
    pool += [node for node in newest if node.kind == "thought"]
    pool = [node for node in pool if _LEFT_OUT not in node.text]
    if not pool:
        return []
    ordered = sorted(pool, key=lambda node: node.accessed)
    parts = {
        "recency": {node.id: decay**place for place, node in enumerate(ordered, 1)},
        "relevance": {node.id: _cosine(node.embedding, query) for node in ordered},
        "importance": {node.id: node.importance for node in ordered},
    }
    parts = {name: _scaled(part) for name, part in parts.items()}
    total = {
        node.id: sum(_WEIGHTS[name] * part[node.id] for name, part in parts.items())
        for node in ordered
    }
    return sorted(ordered, key=lambda node: total[node.id], reverse=True)[:k]


def _cosine(a: list[float], b: list[float]) -> float:
    return float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))


def _scaled(part: Mapping[int, float]) -> dict[int, float]:
    least, most = min(part.values()), max(part.values())
    if most == least:
        return dict.fromkeys(part, 0.5)
    return {id: (value - least) / (most - least) for id, value in part.items()}
