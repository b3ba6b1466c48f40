"""Retrieval as the authors of Park et al. 2023 published it, written anew from its description.

What decides its cost is kept: every memory is an object of its own, its embedding a list of
floats that numpy converts for each product, and each part of the score a dictionary that is
scaled entry by entry. Their code also prints every candidate and asks for one embedding a query;
both are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

_DECAY = 0.995
_WEIGHTS = {"recency": 0.5, "relevance": 3.0, "importance": 2.0}


@dataclass
class Node:
    """One memory, held as the published code holds it."""

    id: int
    accessed: int
    importance: float
    embedding: list[float]


def retrieve(nodes: Sequence[Node], queries: Sequence[list[float]], k: int) -> list[list[int]]:
    """Return the ids of the `k` best memories for each query, best first."""
    return [_best(nodes, query, k) for query in queries]


def _best(nodes: Sequence[Node], query: list[float], k: int) -> list[int]:
    ordered = sorted(nodes, key=lambda node: node.accessed)
    parts = {
        "recency": {node.id: _DECAY**place for place, node in enumerate(ordered, 1)},
        "importance": {node.id: node.importance for node in ordered},
        "relevance": {node.id: _cosine(node.embedding, query) for node in ordered},
    }
    parts = {name: _scaled(part) for name, part in parts.items()}
    total = {
        node.id: sum(_WEIGHTS[name] * part[node.id] for name, part in parts.items())
        for node in ordered
    }
    return sorted(total, key=lambda id: total[id], reverse=True)[:k]


def _cosine(a: list[float], b: list[float]) -> float:
    return float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))


def _scaled(part: Mapping[int, float]) -> dict[int, float]:
    least, most = min(part.values()), max(part.values())
    if most == least:
        return dict.fromkeys(part, 0.5)
    return {id: (value - least) / (most - least) for id, value in part.items()}
