import asyncio
import base64
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from genagents_env.errors import (
    BudgetExceeded,
    ConfigError,
    LLMError,
    LLMRefused,
    LLMUnavailable,
)
from genagents_env.llm.budget import Budget, Spend
from genagents_env.llm.prices import find_price
from genagents_env.memory.columns import Floats
from genagents_env.memory.embed import HashedNgrams
from genagents_env.memory.endpoint import EndpointSource
from genagents_env.testing.fault_server import (
    FAULTS,
    FaultServer,
    ServerFault,
    embeddings,
    raw,
)
from tests.llm.asking import KEY, FakeTime, retry_on

BAD = ["malformed", "odd_usage", "deep", "bomb"]


def source_at(url: str, deadline: float = 5.0) -> EndpointSource:
    retries = retry_on(FakeTime())
    return EndpointSource(url, KEY, "any-model", retries=retries, attempt_deadline=deadline)


def embed_texts(source: EndpointSource, *texts: str) -> Floats:
    async def run() -> Floats:
        try:
            return await source.embed(texts)
        finally:
            await source.aclose()

    return asyncio.run(run())


def data(change: Callable[[list[dict[str, Any]]], Any]) -> ServerFault:
    """The good answer with its data changed."""

    def alter(good: bytes) -> bytes:
        answer = json.loads(good)
        return json.dumps(answer | {"data": change(answer["data"])}).encode()

    return ServerFault(alter=alter)


def vector(of: Any) -> ServerFault:
    return data(lambda rows: [row | {"embedding": of} for row in rows])


UNUSABLE = {
    "fewer": data(lambda rows: rows[:-1]),
    "none": data(lambda rows: None),
    "one number twice": data(lambda rows: [row | {"index": 0} for row in rows]),
    "wrong numbers": data(lambda rows: [row | {"index": row["index"] + 1} for row in rows]),
    "words": data(lambda rows: ["vector"] * len(rows)),
    "several widths": data(
        lambda rows: [row | {"embedding": [1.0] * (2 + row["index"])} for row in rows]
    ),
    "another width": vector([1.0] * 7),
    "zero": vector([0.0] * 16),
    "nan": vector([float("nan")] * 16),
    "huge": vector([10**400] * 16),
    "text in it": vector(["a"] * 16),
    "nested": vector([[1.0]] * 16),
    "empty base64": vector(""),
    "not base64": vector("%%%%"),
    "half a number": vector(base64.b64encode(b"123").decode()),
    "nan in base64": vector(base64.b64encode(b"\xff" * 64).decode()),
}


def test_vectors_come_in_the_order_of_the_texts_and_tokens_are_counted() -> None:
    texts = [f"text {k}" for k in range(40)] + [""]
    with FaultServer({2: data(lambda rows: rows[::-1])}) as server:  # numbered all the same
        source = source_at(server.url)
        rows = embed_texts(source, *texts)
        asked = [json.loads(body) for body in server.requests]
    expected = HashedNgrams(16)([text or " " for text in texts])
    np.testing.assert_allclose(rows, expected, atol=1e-6)
    assert source.tokens == 10 * len(texts)
    assert [len(one["input"]) for one in asked] == [1, 40]
    assert all(one["model"] == "any-model" for one in asked)
    assert (source.name, source.stored) == ("any-model", True)
    assert embed_texts(source_at(server.url)).shape == (0, 0)  # of no texts nobody is asked


def test_a_server_that_knows_no_base64_is_understood() -> None:
    def lists(good: bytes) -> bytes:
        rows = json.loads(good)["data"]
        numbers = [np.frombuffer(base64.b64decode(r["embedding"]), "<f4").tolist() for r in rows]
        return json.dumps(
            {"data": [{"index": k, "embedding": n} for k, n in enumerate(numbers)]}
        ).encode()

    with FaultServer(always=ServerFault(alter=lists)) as server:
        source = source_at(server.url)
        rows = embed_texts(source, "tea", "bread")
    np.testing.assert_allclose(rows, HashedNgrams(16)(["tea", "bread"]), atol=1e-6)
    assert source.tokens > 0  # it sent no usage, so they are counted here


@pytest.mark.parametrize(("width", "most"), [(16, 256), (8192, 20)])
def test_batches_keep_answers_within_what_is_read_of_one(width: int, most: int) -> None:
    def wide(good: bytes) -> bytes:
        count = len(json.loads(good)["data"])
        return embeddings([f"text {k}" for k in range(count)], "base64", width)

    with FaultServer(always=ServerFault(alter=wide)) as server:
        rows = embed_texts(source_at(server.url), *(f"text {k}" for k in range(600)))
        sizes = [len(json.loads(body)["input"]) for body in server.requests]
    assert rows.shape == (600, width)
    assert sum(sizes) == 600
    assert 1 < max(sizes) <= most


# How requests fail, and are made again, is that of completions: tests/llm/test_endpoint_faults.py.


@pytest.mark.parametrize("fault", [*BAD, *UNUSABLE])
def test_an_answer_without_vectors_is_tried_again(fault: str) -> None:
    bad = UNUSABLE.get(fault) or FAULTS[fault]
    with FaultServer({2: bad}) as server:  # 1 tells it how large an answer is
        rows = embed_texts(source_at(server.url), "tea", "bread", "cake")
        assert server.calls == 3
    np.testing.assert_allclose(rows, HashedNgrams(16)(["tea", "bread", "cake"]), atol=1e-6)


@pytest.mark.parametrize(
    ("fault", "error", "says", "calls"),
    [
        ("429", LLMUnavailable, r"embeddings of any-model: .*--embedder local", 4),
        ("silent", LLMUnavailable, "embeddings of any-model", 4),
        (UNUSABLE["zero"], LLMUnavailable, "embeddings of any-model", 4),
        (raw(b" " * (2 << 20)), LLMUnavailable, "larger than", 4),
        ("401", LLMRefused, "status 401", 1),
    ],
)
def test_a_lasting_fault_ends_in_an_error_that_names_the_model(
    fault: str | ServerFault, error: type[LLMError], says: str, calls: int
) -> None:
    with FaultServer(always=fault) as server:
        with pytest.raises(error, match=says):
            embed_texts(source_at(server.url, 1.0 if fault == "silent" else 5.0), "tea")
        assert server.calls == calls


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_no_error_shows_the_key(fault: str) -> None:
    with FaultServer(always=fault) as server:
        source = source_at(server.url, 0.5)
        assert KEY not in repr(source)
        try:
            embed_texts(source, "tea")
        except LLMError as error:
            seen: BaseException | None = error
            while seen is not None:
                assert KEY not in f"{seen} {seen!r}"
                seen = seen.__context__


def test_a_budget_pays_for_every_request_what_the_endpoint_read_and_allows_none_beyond() -> None:
    budget = Budget(tokens=60)
    model = "text-embedding-3-small"
    with FaultServer({2: "500"}) as server:
        source = EndpointSource(server.url, KEY, model, retries=retry_on(FakeTime()))
        source.price = find_price(model)
        source.bill(budget)
        embed_texts(source, "one", "two", "three")
        assert source.tokens == 30
        failed = budget.spent.tokens - 30  # what fails is taken to have been billed: bytes at most
        assert 0 < failed <= len("twothree") + 2 * 8  # and the marks around each text
        assert budget.spent.calls == server.calls == 3
        assert budget.spent.dollars == Decimal("0.02") * budget.spent.tokens / 1_000_000
        assert budget.reserved == Spend()
        with pytest.raises(BudgetExceeded):
            embed_texts(source, "more than the bytes that are left")
        assert server.calls == 3
    unpriced = EndpointSource("https://example.org/v1", KEY, "any-model")
    with pytest.raises(ConfigError, match="any-model"):
        unpriced.bill(Budget(dollars=Decimal(1)))
