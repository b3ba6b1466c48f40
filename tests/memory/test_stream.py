import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import RecordError
from genagents_env.memory.stream import KINDS, MemoryStream

KIND = st.sampled_from(KINDS)
NUMBER = st.integers(-(10**6), 10**6)


@st.composite
def streams(draw: st.DrawFn) -> MemoryStream:
    """A stream of up to 20 memories, rated and touched here and there."""
    stream = MemoryStream()
    for id in range(draw(st.integers(0, 20))):
        stream.add(
            draw(KIND),
            draw(st.sampled_from(["tea", "a party", "Klaus reads", ""])),
            created=draw(NUMBER),
            importance=draw(st.floats(0, 20)),
            events=draw(st.lists(st.integers(0, 99), max_size=3)),
            evidence=draw(st.lists(st.integers(0, id - 1), max_size=3)) if id else [],
            about=draw(st.sampled_from([(), ("Maria", "drinks", "tea")])),
            place=draw(st.sampled_from(["", "cafe"])),
            start=draw(st.none() | NUMBER),
            duration=draw(st.none() | NUMBER),
            expires=draw(st.none() | NUMBER),
            cause="seed",
        )
        stream.touch([draw(st.integers(0, id))], draw(NUMBER))
    return stream


def make_stream(count: int) -> MemoryStream:
    stream = MemoryStream()
    for id in range(count):
        stream.add("event", f"event {id}", created=10 * id, events=[id])
    return stream


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "neither events, nor evidence, nor a cause"),
        ({"evidence": [2]}, "not in the stream"),
        ({"evidence": [-1]}, "not in the stream"),
        ({"cause": "seed", "importance": float("nan")}, "not a number"),
        ({"cause": "seed", "kind": "dream"}, "expected one of event, thought, chat, plan"),
    ],
)
def test_invalid_memories_are_refused(given: dict[str, Any], says: str) -> None:
    stream = make_stream(2)
    asked: dict[str, Any] = {"kind": "thought", "text": "?", "created": 0}
    with pytest.raises(ValueError, match=says):
        stream.add(**(asked | given))
    assert len(stream) == 2
    assert stream.find_unembedded() == [0, 1]


def test_an_access_is_never_set_back_and_importance_is_clipped() -> None:
    stream = make_stream(3)
    stream.touch([2, 0, 0], 15)
    assert stream.accessed.tolist() == [15, 10, 20]
    with pytest.raises(ValueError, match="read-only"):
        stream.accessed[0] = 0
    stream.rate(0, 99)
    stream.rate(1, -float("inf"))
    assert stream.importance.tolist() == [10, 1, 1]
    with pytest.raises(ValueError, match="not a number"):
        stream.rate(2, float("nan"))


def test_recent_gives_the_newest_that_are_alive() -> None:
    stream = make_stream(3)
    chat = stream.add("chat", "hello", created=30, events=[9], expires=100)
    assert stream.recent(2, now=99) == [chat, 2]
    assert stream.recent(2, now=100) == [2, 1]
    assert stream.recent(9, kinds=["chat"], now=99) == [chat]
    assert stream.recent(0, now=0) == []
    with pytest.raises(ValueError, match="dream"):
        stream.recent(1, kinds=["dream"], now=0)  # type: ignore[list-item]


_PRINT_COSINES = """
import sys
import numpy as np
from genagents_env.memory.columns import Matrix, compare, unit_rows
vectors = unit_rows(np.random.default_rng(0).standard_normal((300, 384)).astype(np.float32))
matrix = Matrix()
for _ in vectors:
    matrix.append()
matrix.set(np.arange(300), vectors)
sys.stdout.write(repr([matrix.dot(vectors).tobytes(), compare(vectors, vectors).tobytes()]))
"""


def test_cosines_are_the_same_on_every_kind_of_processor() -> None:
    def compute(kernel: str) -> bytes:
        env = {**os.environ, "OPENBLAS_CORETYPE": kernel}
        command = [sys.executable, "-c", _PRINT_COSINES]
        return subprocess.run(command, env=env, capture_output=True, check=True).stdout

    assert compute("Haswell") == compute("Nehalem")


def test_vectors_arrive_in_any_order_and_stay_in_their_places() -> None:
    stream = make_stream(399)
    stream.add("event", "event 3", created=0, events=[0])  # the same text has the same vector
    vectors = np.random.default_rng(0).standard_normal((400, 8)).astype(np.float32)
    vectors[399] = vectors[3]
    vectors[0, :2] = 3e38
    vectors[2] = np.float32(1e-44)  # hugest and tiniest become unit rows as well
    stream.embed([3, 1], vectors[[3, 1]])
    assert stream.find_unembedded() == [0, 2, *range(4, 399)]
    for id in range(400, 2000):
        stream.add("event", f"event {id}", created=0, events=[0])
    rest = [id for id in stream.find_unembedded() if id < 400]
    stream.embed(rest, vectors[rest])
    assert stream.find_unembedded() == [*range(400, 2000)]
    scaled = vectors.astype(np.float64)
    unit = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    for queries in (unit[:1], unit[:5]):
        likeness = stream.compute_similarity(queries)
        assert likeness.shape == (len(queries), 2000)
        np.testing.assert_allclose(likeness[:, :400], queries @ unit.T, atol=1e-6)
        assert not likeness[:, 400:].any()


@given(streams())
def test_every_thought_leads_back_to_its_sources(stream: MemoryStream) -> None:
    def walked(id: int) -> set[int]:
        return {id}.union(*(walked(e) for e in stream[id].evidence))

    for id in range(len(stream)):
        reached = [stream[i] for i in walked(id)]
        assert stream.sources([id]) == tuple(sorted({e for m in reached for e in m.events}))
        assert stream[id].depth == (
            1 + max((stream[e].depth for e in stream[id].evidence), default=0)
            if stream[id].kind == "thought"
            else 0
        )


def test_following_much_evidence_is_not_exponential() -> None:
    stream = make_stream(1)
    for id in range(1, 3000):  # also deeper than Python's stack
        stream.add("thought", f"t{id}", created=id, evidence=[id - 1, max(0, id - 2)])
    assert stream.sources([2999]) == (0,)
    assert stream[2999].depth == 2999


@given(streams())
def test_a_stream_survives_its_saving(stream: MemoryStream) -> None:
    saved = json.dumps(stream.state())
    other = make_stream(5)
    other.embed([0], np.ones((1, 4), np.float32))
    other.load_state(json.loads(saved))
    assert list(other) == list(stream)
    assert other.find_unembedded() == [*range(len(stream))]
    assert other.dim == 0
    assert json.dumps(other.state()) == saved
    for now in (-1000, 0, 1000):
        assert other.recent(9, now=now) == stream.recent(9, now=now)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": ["event", "dream"]},
        {"text": ["a"]},
        {"evidence": [[], [1]]},
        {"created": [0, None]},
        {"created": [0, 2**64]},
        {"events": [[], 3]},
        {"about": [[], [3]]},
        {"cause": ["", "seed"], "events": [[], []]},
        {"text": 3},
    ],
)
def test_a_damaged_state_is_refused_and_changes_nothing(change: dict[str, Any]) -> None:
    stream = make_stream(3)
    with pytest.raises(RecordError, match="damaged"):
        stream.load_state(make_stream(2).state() | change)
    with pytest.raises(RecordError, match="damaged"):
        stream.load_state({})
    assert len(stream) == 3


@pytest.mark.parametrize(
    "vectors",
    [
        *(np.ones(shape) for shape in ((1, 4), (2, 3), 4, (2, 0))),
        np.array([[1, 0, 0, 0], [0, 0, 0, 0]]),
    ],
)
def test_vectors_that_are_none_are_refused_and_leave_nothing(vectors: Any) -> None:
    stream = make_stream(3)
    stream.embed([0], np.ones((1, 4), np.float32))
    with pytest.raises(ValueError, match=r"vectors|embedding"):
        stream.embed([1, 2], vectors.astype(np.float32))
    assert stream.find_unembedded() == [1, 2]


@pytest.mark.parametrize("id", [-1, 3])
def test_ids_that_are_none_are_refused(id: int) -> None:
    stream = make_stream(3)
    for act in (
        lambda: stream[id],
        lambda: stream.rate(id, 5),
        lambda: stream.touch([0, id], 100),
        lambda: stream.embed([id], np.ones((1, 2), np.float32)),
        lambda: stream.sources([id]),
        lambda: stream.select([id]),
    ):
        with pytest.raises(IndexError, match=f"no memory {id}"):
            act()
    assert stream.accessed.tolist() == [0, 10, 20]
