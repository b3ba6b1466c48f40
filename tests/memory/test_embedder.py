import asyncio
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import LLMBadReply, LLMUnavailable, RecordError
from genagents_env.memory import embedder as module
from genagents_env.memory.columns import Floats
from genagents_env.memory.embed import HashedNgrams, HashedSource
from genagents_env.memory.embedder import Embedder


class Shelf:
    """A store in memory that notes what it was asked for."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], bytes] = {}
        self.asked: list[list[str]] = []

    def get(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        self.asked.append(list(texts))
        return {t: self.rows[model, t] for t in texts if (model, t) in self.rows}

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        for text, vector in vectors.items():
            self.rows.setdefault((model, text), vector)


class Model:
    """Embeds by n-grams, after a turn of the loop, never twice quite alike; it counts."""

    name = "model"
    stored = True

    def __init__(self, dim: int = 16) -> None:
        self._ngrams = HashedNgrams(dim)
        self.batches: list[list[str]] = []
        self.closed = False
        self.failing: list[Exception] = []
        self.hold: asyncio.Event | None = None

    async def embed(self, texts: Sequence[str]) -> Floats:
        self.batches.append(list(texts))
        await (self.hold.wait() if self.hold else asyncio.sleep(0))
        if self.failing:
            raise self.failing.pop()
        noise = np.float32(1e-3 * len(self.batches))
        return np.asarray(self._ngrams(list(texts)) * np.float32(7) + noise, dtype=np.float32)

    async def aclose(self) -> None:
        self.closed = True


class Gives:
    name = "gives"
    stored = False

    def __init__(self, array: Floats) -> None:
        self.array = array

    async def embed(self, texts: Sequence[str]) -> Floats:
        return self.array

    async def aclose(self) -> None:
        pass


def embed_texts(embedder: Embedder, *texts: str) -> Floats:
    return asyncio.run(embedder.embed(texts))


def test_many_agents_asking_at_once_compute_a_text_once() -> None:
    model = Model()
    embedder = Embedder(model)

    async def run() -> list[Floats]:
        asked = (["tea", f"own {k}"] for k in range(20))
        return await asyncio.gather(*(embedder.embed(texts) for texts in asked))

    rows = asyncio.run(run())
    assert sorted(t for batch in model.batches for t in batch) == sorted(
        ["tea", *(f"own {k}" for k in range(20))]
    )
    assert all((row[0] == rows[0][0]).all() for row in rows)
    asked = len(model.batches)
    np.testing.assert_array_equal(embed_texts(embedder, "cake", "tea", "tea")[1:], rows[0][[0, 0]])
    assert model.batches[asked:] == [["cake"]]


@given(st.lists(st.text(max_size=20), min_size=1, max_size=8))
def test_a_resumed_run_reads_the_very_numbers_the_first_run_used(texts: list[str]) -> None:
    shelf = Shelf()
    used = embed_texts(Embedder(Model(), shelf), *texts, "half \ud83d")
    assert ("model", "half ?") in shelf.rows  # no lone surrogate is stored
    again = Model()
    read = embed_texts(Embedder(again, shelf), *texts, "half \ud83d", "and one that is new")
    assert read[:-1].tobytes() == used.tobytes()
    assert again.batches == [["and one that is new"]]
    assert embed_texts(Embedder(again, shelf), *texts).tobytes() == used[:-1].tobytes()
    assert len(again.batches) == 1
    assert all(len(vector) == 32 for vector in shelf.rows.values())


def test_an_error_reaches_all_who_wait_and_the_next_call_tries_again() -> None:
    model, shelf = Model(), Shelf()
    model.failing = [LLMUnavailable("no answer")]
    embedder = Embedder(model, shelf)

    async def run() -> list[Floats | BaseException]:
        calls = (embedder.embed(["tea"]) for _ in range(3))
        return await asyncio.gather(*calls, return_exceptions=True)

    assert [type(result) for result in asyncio.run(run())] == [LLMUnavailable] * 3
    assert shelf.rows == {}
    assert embed_texts(embedder, "tea").shape == (1, 16)
    assert len(model.batches) == 2


def test_a_caller_that_gives_up_leaves_the_others_their_vectors() -> None:
    model = Model()
    embedder = Embedder(model)

    async def run() -> Floats:
        model.hold = asyncio.Event()
        first = asyncio.create_task(embedder.embed(["tea"]))
        second = asyncio.create_task(embedder.embed(["tea"]))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        model.hold.set()
        return await second

    assert asyncio.run(run()).shape == (1, 16)
    assert model.batches == [["tea"]]


def test_a_loop_that_ends_in_the_middle_leaves_nothing_behind() -> None:
    model = Model()
    embedder = Embedder(model)

    async def abandoned() -> None:
        model.hold = asyncio.Event()
        asyncio.create_task(embedder.embed(["tea"]))  # noqa: RUF006 - it is to be lost
        await asyncio.sleep(0)

    asyncio.run(abandoned())
    model.hold = None
    assert embed_texts(embedder, "tea").shape == (1, 16)


def test_the_cache_is_bounded_and_eviction_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [f"text {k}" for k in range(50)]
    expected = embed_texts(Embedder(HashedSource(16)), *texts)
    monkeypatch.setattr(module, "MOST_CACHED", 4000)
    together, alone = Embedder(HashedSource(16)), Embedder(HashedSource(16))
    rows = np.concatenate([embed_texts(alone, text) for text in texts])
    np.testing.assert_array_equal(embed_texts(together, *texts), expected)
    np.testing.assert_array_equal(rows, expected)
    embed_texts(together, "text 45", "text 99")  # what was used last stays, not what came last
    assert list(together._cache)[-2:] == ["text 45", "text 99"]
    for embedder in (together, alone):
        size = sum(4 * len(t) + len(v) + 256 for t, v in embedder._cache.items())
        assert embedder._cached == size <= 4000


@pytest.mark.parametrize(
    "array",
    [np.ones((1, 4)), np.ones(2), np.ones((2, 0)), np.zeros((2, 4)), np.ones((2, 5))],
)
def test_vectors_that_are_none_or_of_another_width_are_a_bad_reply(array: Floats) -> None:
    source = Gives(np.ones((2, 4), np.float32))
    embedder = Embedder(source)
    embed_texts(embedder, "tea", "bread")
    source.array = array.astype(np.float32)
    with pytest.raises(LLMBadReply, match="embeddings of gives"):
        embed_texts(embedder, "cake", "jam")


@pytest.mark.parametrize(
    "vector",
    [b"\x00", b"\x00" * 32, np.full(16, np.nan, "<f2").tobytes(), b"\x01" * 8],
)
def test_a_damaged_vector_in_the_store_is_refused(vector: bytes) -> None:
    shelf = Shelf()
    embedder = Embedder(Model(), shelf)
    embed_texts(embedder, "tea")
    shelf.rows["model", "bread"] = vector
    with pytest.raises(RecordError, match="'bread' by model is damaged"):
        embed_texts(embedder, "bread")


def test_rows_are_unit_vectors_even_of_empty_and_odd_text() -> None:
    assert HashedNgrams(4)([]).shape == (0, 4)
    rows = HashedNgrams(64)(["", "a", "Maria is in the café.", "🙂", "x" * 5000])
    assert rows.dtype == np.float32
    assert rows.shape == (5, 64)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-6)


def test_the_embedding_of_a_text_is_fixed_for_good() -> None:
    row = HashedNgrams(8)(["tea in the kitchen"])[0]
    np.testing.assert_allclose(
        row,
        [0, 0.493197, -0.493197, 0.164399, -0.164399, -0.328798, -0.493197, -0.328798],
        atol=1e-6,
    )
