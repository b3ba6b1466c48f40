"""Retrieval by recency, importance and relevance, weighted as in Park et al. 2023.

Source: Park et al. 2023, "Generative Agents: Interactive Simulacra of Human Behavior", section
4.1. Each of the three is scaled to [0, 1] over the memories that may be recalled, weighted, and
summed. If all values of one are equal it is 0.5 for all, as in the paper's public code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, log2
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from genagents_env.memory.columns import Floats
from genagents_env.memory.stream import Ids, MemoryStream

_SECONDS_PER_HOUR = 3600.0
_NO_RANGE = 0.5


@dataclass(frozen=True, slots=True)
class RetrievalWeights:
    """The weights of the three scores, and the rule of recency.

    Attributes:
        recency: its weight; 0 leaves it out.
        importance: its weight; 0 leaves it out.
        relevance: its weight; 0 leaves it out.
        decay: recency is `decay` to the power of the age; in (0, 1].
        by: age is `hours` of game time since the last access, or the `rank` among all memories
            by last access, 1 for the latest.
        inverted: rank 1 is the memory with the earliest last access, so that memories not recalled
            for long count as recent. Only with `rank`.
        chats: whether conversations may be recalled.
        idle: whether texts with *idle* in them may be recalled.

    Raises:
        ValueError: a weight is negative or not finite, `decay` is out of range, or `inverted`
            is asked for by hours.
    """

    recency: float = 1.0
    importance: float = 1.0
    relevance: float = 1.0
    decay: float = 0.995
    by: Literal["hours", "rank"] = "hours"
    inverted: bool = False
    chats: bool = True
    idle: bool = True

    def __post_init__(self) -> None:
        for name in ("recency", "importance", "relevance"):
            weight = getattr(self, name)
            if not isfinite(weight) or weight < 0:
                raise ValueError(f"weight {name} is {weight}, expected a number of 0 or more")
        if not 0 < self.decay <= 1:
            raise ValueError(f"decay is {self.decay}, expected more than 0 and at most 1")
        if self.by not in ("hours", "rank"):
            raise ValueError(f"recency by {self.by!r}, expected 'hours' or 'rank'")
        if self.inverted and self.by != "rank":
            raise ValueError("only recency by rank can be inverted")


# `paper`: section 4.1: all weights 1, decay 0.995 per game hour since the last access.
# `public_code`: as joonspk-research/generative_agents at commit fe05a71 (retrieve.py, lines 142,
# 224-227, 244 and 267), for comparable results. Recency there is by rank, and inverted: the memory
# accessed longest ago scores highest. Chats and texts with the word "idle" are not recalled. The
# default decay is 0.99; each agent may have its own (0.995 for the 25 people of its town). The
# results of each query count as accessed: `retrieve_in_turn`.
PRESETS: Mapping[str, RetrievalWeights] = MappingProxyType(
    {
        "paper": RetrievalWeights(),
        "public_code": RetrievalWeights(
            recency=0.5,
            importance=2.0,
            relevance=3.0,
            decay=0.99,
            by="rank",
            inverted=True,
            chats=False,
            idle=False,
        ),
    }
)


def scores(
    stream: MemoryStream,
    queries: Floats,
    *,
    now: int,
    weights: RetrievalWeights = PRESETS["paper"],
) -> Floats:
    """Return the score of each memory for each query.

    Args:
        stream: N memories.
        queries: shape (Q, D), float32, any scale; D is the stream's.
        now: game second.
        weights: of the scores.

    Returns:
        Shape (Q, N), float32; -inf for memories that may not be recalled: expired at
        `now`, not yet embedded, or left out by `weights`.

    Raises:
        ValueError: queries have another shape or are not finite.
    """
    queries = _check_queries(queries, stream)
    ids = _find_candidates(stream, now, weights)
    if ids is None and len(stream):
        return _score(stream, queries, None, weights)
    result: Floats = np.full((len(queries), len(stream)), -np.inf, dtype=np.float32)
    if ids is not None and len(ids):
        result[:, ids] = _score(stream, queries, ids, weights)
    return result


def _find_candidates(stream: MemoryStream, now: int, weights: RetrievalWeights) -> Ids | None:
    """Return the ids that may be recalled, ascending; None when all may."""
    ids = stream.recallable(now, chats=weights.chats)
    if weights.idle:
        return ids
    ids = np.arange(len(stream), dtype=np.int64) if ids is None else ids
    return ids[~stream.idle[ids]]


def retrieve(
    stream: MemoryStream,
    queries: Floats,
    *,
    now: int,
    k: int = 30,
    weights: RetrievalWeights = PRESETS["paper"],
) -> list[list[int]]:
    """Return, for each query, the ids of the `k` memories most worth recalling.

    The stream does not change: the caller notes accesses with `stream.touch`.

    Args:
        stream: N memories.
        queries: shape (Q, D), float32, any scale; D is the stream's.
        now: game second.
        k: at most this many a query, at least 1.
        weights: of the scores.

    Returns:
        Q lists, best first; ties by id, the older first.

    Raises:
        ValueError: queries have another shape or are not finite, or k < 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}, expected at least 1")
    if weights.inverted:
        return _retrieve_as_published(stream, queries, now, k, weights)
    rows = scores(stream, queries, now=now, weights=weights)
    return [_best(row, k) for row in rows]


def retrieve_in_turn(
    stream: MemoryStream,
    queries: Floats,
    *,
    now: int,
    k: int = 30,
    weights: RetrievalWeights = PRESETS["public_code"],
) -> list[list[int]]:
    """Retrieve query by query; the results of each count as accessed for the next.

    Arguments and result are those of `retrieve`.
    """
    results = []
    for query in _check_queries(queries, stream):
        results += retrieve(stream, query[None], now=now, k=k, weights=weights)
        stream.touch(results[-1], now)
    return results


def _retrieve_as_published(
    stream: MemoryStream,
    queries: Floats,
    now: int,
    k: int,
    weights: RetrievalWeights,
) -> list[list[int]]:
    """Return the best by float64 scores, in which neighbouring ranks still differ.

    The terms are added in the order of the public code, and ties go to the first in rank, as there.
    """
    queries = _check_queries(queries, stream)
    ids = _find_candidates(stream, now, weights)
    ids = np.arange(len(stream), dtype=np.int64) if ids is None else ids
    if not len(ids):
        return [[] for _ in queries]
    ranks = _ranks(stream, ids, stream.accessed[ids], inverted=True)
    recency = weights.recency * _spread(weights.decay ** ranks.astype(np.float64))
    importance = weights.importance * _spread(stream.importance[ids])
    results = []
    for row in stream.compute_similarity(queries):
        total = (recency + weights.relevance * _spread(row[ids])) + importance
        results.append([int(id) for id in ids[np.lexsort((ranks, -total))[:k]]])
    return results


def _spread(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale `values` to [0, 1]; all 0.5 if they are equal."""
    least, most = values.min(), values.max()
    if most == least:
        return np.full_like(values, _NO_RANGE)
    return np.asarray((values - least) / (most - least))


def _check_queries(queries: Floats, stream: MemoryStream) -> Floats:
    queries = np.ascontiguousarray(queries, dtype=np.float32)
    if queries.ndim != 2 or (stream.dim and queries.shape[1] != stream.dim):
        raise ValueError(f"queries have shape {queries.shape}, expected (Q, {stream.dim or 'D'})")
    if not np.isfinite(queries).all():
        raise ValueError("a query is not finite")
    return queries


def _score(
    stream: MemoryStream, queries: Floats, ids: Ids | None, weights: RetrievalWeights
) -> Floats:
    """Return the scores of `ids` (None: of all), shape (Q, len(ids)); at least one."""
    similarity = stream.compute_similarity(queries)
    importance = stream.importance
    if ids is not None:
        similarity, importance = similarity[:, ids], importance[ids]
    common = _scale(_recency(stream, ids, weights)) * np.float32(weights.recency)
    common += _scale(importance) * np.float32(weights.importance)
    result = _scale(similarity)
    result *= np.float32(weights.relevance)
    result += common
    return result


def _recency(
    stream: MemoryStream, ids: Ids | None, weights: RetrievalWeights
) -> npt.NDArray[np.float64]:
    """Return the recency of `ids` in float64, up to a factor that scaling cancels.

    In float64 even a second between two memories makes a difference.
    """
    accessed = stream.accessed if ids is None else stream.accessed[ids]
    if weights.by == "hours":
        # Hours before the latest access rather than before now: the factor between the two is the
        # same for all, and the recency of old memories does not underflow.
        age = (accessed.max() - accessed) * (1.0 / _SECONDS_PER_HOUR)
    else:
        age = _ranks(stream, ids, accessed, inverted=weights.inverted)
    return np.asarray(np.exp2(age * log2(weights.decay)))


def _ranks(stream: MemoryStream, ids: Ids | None, accessed: Ids, *, inverted: bool) -> Ids:
    """Return the rank of each memory by last access, from 1.

    Of equal accesses the newer memory comes first. The public code, whose order is the inverted
    one, has all events before all thoughts, newest first in each.
    """
    newest_first = -np.arange(len(accessed))
    if inverted:
        event = stream.of_kind("event")
        order = np.lexsort((newest_first, ~(event if ids is None else event[ids]), accessed))
    else:
        order = np.lexsort((newest_first, -accessed))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def _scale(values: npt.NDArray[np.floating]) -> Floats:
    """Scale `values` to [0, 1] along the last axis; all 0.5 if they are equal."""
    least = values.min(axis=-1, keepdims=True)
    span = values.max(axis=-1, keepdims=True) - least
    flat = span == 0
    scaled = values - least
    scaled /= np.where(flat, 1, span)
    if flat.any():
        scaled += np.where(flat, _NO_RANGE, 0)
    return np.asarray(scaled, dtype=np.float32)


def _best(row: Floats, k: int) -> list[int]:
    """Return the ids of the `k` highest finite scores, best first, ties by id."""
    ids = np.flatnonzero(row >= _floor(row, k))
    ids = ids[row[ids] > -np.inf]
    order = np.argsort(-row[ids], kind="stable")[:k]
    return [int(id) for id in ids[order]]


def _floor(row: Floats, k: int) -> float:
    """Return a score that at least `k` of `row` reach, and few more.

    It is the k-th highest of the maxima of 4 k stripes, in a tenth of the time of partitioning.
    """
    stripes = 4 * k
    length = len(row) // stripes
    if length < 2:
        return -np.inf
    maxima = row[: length * stripes].reshape(length, stripes).max(axis=0)
    return float(np.partition(maxima, stripes - k)[stripes - k])
