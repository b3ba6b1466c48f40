from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.memory.columns import Floats
from genagents_env.memory.retrieval import (
    PRESETS,
    RetrievalWeights,
    retrieve,
    scores,
)
from genagents_env.memory.stream import KINDS, MemoryStream
from tests.memory.published_memories import compare

HOUR = 3600
ANYTHING = np.ones((1, 4), np.float32)
WEIGHTS = st.builds(
    RetrievalWeights,
    recency=st.sampled_from([0.0, 0.5, 1.0]),
    importance=st.sampled_from([0.0, 1.0, 2.0]),
    relevance=st.sampled_from([0.0, 1.0, 3.0]),
    decay=st.sampled_from([0.5, 0.99, 0.995, 1.0]),
    by=st.just("hours"),
    chats=st.booleans(),
) | st.builds(RetrievalWeights, by=st.just("rank"), inverted=st.booleans())


@st.composite
def cases(draw: st.DrawFn) -> tuple[MemoryStream, Floats, int]:
    """A stream with repetitions, expired and unembedded memories; queries; now."""
    random = np.random.default_rng(draw(st.integers(0, 999)))
    stream = MemoryStream()
    for id in range(draw(st.integers(1, 25))):
        stream.add(
            draw(st.sampled_from(KINDS)),
            draw(st.sampled_from([f"own {id}", "tea", "bread"])),
            created=draw(st.integers(0, 40)) * HOUR // 4,
            importance=draw(st.integers(1, 10)),
            expires=draw(st.sampled_from([None, None, 5 * HOUR, 20 * HOUR])),
            cause="seed",
        )
    known = [id for id in range(len(stream)) if draw(st.integers(0, 9))]
    stream.embed(known, random.standard_normal((len(known), 4)).astype(np.float32))
    queries = random.standard_normal((draw(st.integers(0, 3)), 4)).astype(np.float32)
    return stream, queries, 10 * HOUR


def of(count: int, **fields: Any) -> MemoryStream:
    """A stream of `count` alike and embedded memories; `fields` are lists, one value each."""
    stream = MemoryStream()
    for id in range(count):
        own: dict[str, Any] = {"created": 0, "cause": "seed", "kind": "event", "text": f"m{id}"}
        stream.add(**(own | {name: values[id] for name, values in fields.items()}))
    stream.embed(range(count), np.ones((count, 4), np.float32))
    return stream


def test_the_public_code_recalls_no_chats_and_no_idle_things() -> None:
    stream = of(4, kind=["event", "chat", "thought", "event"])
    stream.add("event", "the oven is idle", created=0, cause="seed")
    stream.embed([4], np.ones((1, 4), np.float32))
    weights = PRESETS["public_code"]
    assert sorted(retrieve(stream, ANYTHING, now=0, weights=weights)[0]) == [0, 2, 3]
    (row,) = scores(stream, ANYTHING, now=0, weights=weights)
    assert np.isfinite(row).tolist() == [True, False, True, True, False]
    assert sorted(retrieve(stream, ANYTHING, now=0)[0]) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("decay", [0.99, 0.995])
def test_the_public_codes_rankings_and_accesses_are_those_of_its_formula(decay: float) -> None:
    assert all(compare(queries=15, memories=300, decay=decay, seed=7))


def test_equal_scores_are_a_half_and_ties_go_by_id() -> None:
    stream = of(40)
    (row,) = scores(stream, ANYTHING, now=0)
    assert row.tolist() == [1.5] * 40
    assert retrieve(stream, ANYTHING, now=0, k=7) == [[0, 1, 2, 3, 4, 5, 6]]
    assert retrieve(stream, np.zeros((1, 4), np.float32), now=0, k=2) == [[0, 1]]


def test_where_nothing_may_be_recalled_there_is_nothing() -> None:
    assert retrieve(MemoryStream(), ANYTHING, now=0) == [[]]
    assert scores(MemoryStream(), ANYTHING, now=0).shape == (1, 0)
    assert retrieve(of(2), np.zeros((0, 4), np.float32), now=0) == []
    stream = of(1, expires=[100])
    stream.add("event", "no vector yet", created=0, cause="seed")
    assert retrieve(stream, ANYTHING, now=99) == [[0]]
    assert retrieve(stream, ANYTHING, now=100) == [[]]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"k": 0}, "k is 0"),
        ({"queries": np.ones((1, 5), np.float32)}, r"expected \(Q, 4\)"),
        ({"queries": np.ones(4, np.float32)}, r"expected \(Q, 4\)"),
        ({"queries": np.full((1, 4), np.nan, np.float32)}, "not finite"),
        ({"weights": {"recency": -1}}, "weight"),
        ({"weights": {"importance": float("nan")}}, "weight"),
        ({"weights": {"decay": 0}}, "decay"),
        ({"weights": {"decay": 1.1}}, "decay"),
        ({"weights": {"by": "days"}}, "recency"),
        ({"weights": {"inverted": True}}, "recency"),
    ],
)
def test_invalid_arguments_are_refused(given: dict[str, Any], says: str) -> None:
    asked: dict[str, Any] = {"queries": ANYTHING, "now": 0, **given}
    weights = asked.pop("weights", {})
    with pytest.raises(ValueError, match=says):
        retrieve(of(2), weights=RetrievalWeights(**weights), **asked)


@given(cases(), WEIGHTS)
def test_scores_are_those_of_the_formula(
    case: tuple[MemoryStream, Floats, int], weights: RetrievalWeights
) -> None:
    stream, queries, now = case
    found = scores(stream, queries, now=now, weights=weights)
    assert found.shape == (len(queries), len(stream))
    assert found.dtype == np.float32
    for query, row in zip(queries, found, strict=True):
        expected = by_the_book(stream, query, now, weights)
        assert {int(i) for i in np.flatnonzero(row > -np.inf)} == set(expected)
        for id, score in expected.items():
            assert row[id] == pytest.approx(score, abs=2e-4)


@given(cases(), WEIGHTS, st.integers(1, 30))
def test_the_best_are_retrieved_in_order(
    case: tuple[MemoryStream, Floats, int], weights: RetrievalWeights, k: int
) -> None:
    stream, queries, now = case
    before = stream.accessed.tolist()
    rows = scores(stream, queries, now=now, weights=weights)
    found = retrieve(stream, queries, now=now, k=k, weights=weights)
    for row, ids in zip(rows, found, strict=True):
        alive = [id for id in range(len(stream)) if row[id] > -np.inf]
        ordered = sorted((-float(row[id]), id) for id in alive)
        if weights.inverted:  # ordered in double precision, ties by rank: see the test above
            best = [-score for score, _ in ordered][:k]
            assert [row[id] for id in ids] == pytest.approx(best, abs=2e-4)
        else:
            assert ids == [id for _, id in ordered][:k]
    assert stream.accessed.tolist() == before


@pytest.mark.parametrize("k", [1, 30])
def test_the_best_of_thousands_are_those_of_a_full_sort(k: int) -> None:
    random, numbers = np.random.default_rng(2), np.random.default_rng(3).integers(0, 500, 2000)
    importance, created = (1 + numbers % 3).tolist(), (numbers % 2 * HOUR).tolist()  # many ties
    expires = [1 if number % 5 == 0 else None for number in numbers]
    stream = of(2000, importance=importance, created=created, expires=expires)
    stream.embed(range(2000), random.standard_normal((500, 4)).astype(np.float32)[numbers])
    queries = random.standard_normal((2, 4)).astype(np.float32)
    found = retrieve(stream, queries, now=9 * HOUR, k=k)
    for row, ids in zip(scores(stream, queries, now=9 * HOUR), found, strict=True):
        ordered = sorted((-float(s), id) for id, s in enumerate(row) if s > -np.inf)
        assert ids == [id for _, id in ordered][:k]


def by_the_book(
    stream: MemoryStream, query: Floats, now: int, weights: RetrievalWeights
) -> dict[int, float]:
    """The formula written out memory by memory, in Python's own numbers."""
    unembedded = stream.find_unembedded()
    alive = [m for m in stream if weights.chats or m.kind != "chat"]
    alive = [m for m in alive if m.expires is None or now < m.expires]
    alive = [m for m in alive if m.id not in unembedded]
    if weights.by == "hours":
        recency = {m.id: weights.decay ** ((now - m.accessed) / HOUR) for m in alive}
    else:
        order = sorted(alive, key=lambda m: (-m.accessed, -m.id))
        if weights.inverted:
            order = sorted(alive, key=lambda m: (m.accessed, m.kind != "event", -m.id))
        recency = {m.id: weights.decay**place for place, m in enumerate(order, 1)}
    importance = {m.id: m.importance for m in alive}
    likeness = stream.compute_similarity(query[None])[0]
    relevance = {m.id: float(likeness[m.id]) for m in alive}
    parts = [
        (weights.recency, scale(recency)),
        (weights.importance, scale(importance)),
        (weights.relevance, scale(relevance)),
    ]
    return {m.id: sum(weight * part[m.id] for weight, part in parts) for m in alive}


def scale(values: dict[int, float]) -> dict[int, float]:
    if not values:
        return {}
    least, most = min(values.values()), max(values.values())
    if least == most:
        return dict.fromkeys(values, 0.5)
    return {id: (value - least) / (most - least) for id, value in values.items()}
