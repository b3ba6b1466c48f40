import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from genagents_env.llm.budget import Budget
from genagents_env.llm.calls import CallKey, Completion, CompletionRequest
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.prices import FREE, Price, find_price, unpack_price
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.testing.fault_server import FaultServer, ServerFault, envelope
from tests.llm.asking import ask, client_of, endpoint_at

AT = datetime(2026, 11, 20, tzinfo=UTC)
PRICE = Price(Decimal("2"), Decimal("10"), Decimal("0.2"), Decimal("2.5"), "a list")


@pytest.mark.parametrize(
    ("model", "read", "written", "cached"),
    [
        ("gpt-4o", "2.5", "10", "1.25"),
        ("claude-haiku-4-5", "1", "5", "0.1"),
        ("gemini-2.5-flash", "0.3", "2.5", "0.03"),
    ],
)
def test_current_models_of_several_vendors_have_prices(
    model: str, read: str, written: str, cached: str
) -> None:
    price = find_price(model, at=AT)
    assert price is not None
    known = price.input_per_million, price.output_per_million, price.cached_per_million
    assert known == (Decimal(read), Decimal(written), Decimal(cached))
    assert price.source.startswith("genai-prices ")


def test_a_dated_name_has_the_price_of_its_family_and_others_have_none() -> None:
    assert find_price("gpt-4o-2024-11-20", at=AT) == find_price("gpt-4o", at=AT)
    assert find_price("gpt-5-mini-2031-01-31", at=AT) == find_price("gpt-5-mini", at=AT)
    assert find_price("claude-haiku-4-5-20991231", at=AT) == find_price("claude-haiku-4-5", at=AT)
    for name in ("gpt-4o-audio", "gpt-4o-mine", "local-model", "claude-99", ""):
        assert find_price(name, at=AT) is None


def test_the_address_says_whose_price_it_is_and_others_than_by_tokens_are_none() -> None:
    groq, model = "https://api.groq.com/openai/v1", "llama-3.3-70b-versatile"
    listed = find_price(model, groq, AT)
    assert listed is not None
    assert listed.source.endswith(" for groq")
    assert find_price(model, at=AT) is None  # nobody claims the name
    assert find_price("gpt-4o", "https://proxy.example/v1", AT) == find_price("gpt-4o", at=AT)
    assert find_price("gpt-4o", "https://api.anthropic.com/v1", AT) is None
    assert find_price("sonar-pro", "https://api.perplexity.ai", AT) is None  # by requests, too
    hours = {find_price("deepseek-v4-pro", at=AT.replace(hour=hour)) for hour in (0, 3, 8, 12, 20)}
    assert len(hours) == 1  # the highest of the day


def test_a_given_price_comes_before_the_list_and_this_machine_is_free() -> None:
    own = Price(Decimal(1), Decimal(2))
    url = "https://api.openai.com/v1"
    assert OpenAIEndpoint(url, "", "gpt-4o", price=own).price is own
    assert OpenAIEndpoint("http://localhost:1/v1", "", "gpt-4o").price is FREE
    listed = OpenAIEndpoint(url, "", "gpt-4o").price
    assert listed is not None
    assert listed.cached_per_million is not None


def test_costs_are_exact_and_bounded() -> None:
    assert PRICE.cost(100, 10) == Decimal("0.0003")
    assert PRICE.cost(100, 10, 40, 20) == Decimal("0.000238")
    assert PRICE.bound(100, 10) == Decimal("0.00035")  # all of it written to the cache
    assert Price(Decimal(2), Decimal(10)).cost(100, 10, 40, 20) == Decimal("0.0003")
    for price in (PRICE, FREE, Price(Decimal("2.50"), Decimal("10"))):
        again = unpack_price(price.pack())
        assert (again, again.source) == (price, price.source)


def cached_answer(
    words: str, asked: Mapping[str, Any], cached: object = 6, written: object = 3
) -> bytes:
    """Return a completion of 10 tokens read, some of them cached and written to the cache."""
    details = {"cached_tokens": cached, "cache_write_tokens": written}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": details}
    return json.dumps({**json.loads(envelope(words)), "usage": usage}).encode()


def test_cached_tokens_count_at_their_own_price_live_and_from_the_record() -> None:
    cassette, key = MemoryCassette(), CallKey("Ada", 3, "act", 0)
    budget = Budget(dollars=1)
    with FaultServer(always=ServerFault(answer=cached_answer)) as server:
        endpoint = endpoint_at(server.url)
        endpoint.price = PRICE
        live = client_of(endpoint, cassette=cassette, budget=budget)
        ask(live, key)
        replayed = client_of(endpoint, cassette=cassette)
        ask(replayed, key)
        assert server.calls == 1
    cost = (1 * 2 + 6 * Decimal("0.2") + 3 * Decimal("2.5") + 5 * 10) / Decimal(1_000_000)
    assert (cassette.rows[key].cached_tokens, cassette.rows[key].cache_write_tokens) == (6, 3)
    assert budget.spent.dollars == live.ledger.totals().dollars == cost
    assert live.ledger.rows() == replayed.ledger.rows()
    assert live.ledger.totals().cached_tokens == 6


@pytest.mark.parametrize("cached", [-1, "6", None, 11, 10**30, [6]])
def test_odd_counts_of_cached_tokens_are_at_most_what_was_read(cached: object) -> None:
    odd = partial(cached_answer, cached=cached, written=cached)
    cassette, key = MemoryCassette(), CallKey("Ada", 3, "act", 0)
    with FaultServer(always=ServerFault(answer=odd)) as server:
        ask(client_of(endpoint_at(server.url), cassette=cassette), key)
    row = cassette.rows[key]
    expected = 10 if isinstance(cached, int) and cached > 10 else 0
    assert (row.cached_tokens, row.cache_write_tokens) == (expected, 0)


class Caching(ScriptedEndpoint):
    """Says that it cached more than it can have read."""

    async def complete(self, request: CompletionRequest) -> Completion:
        text = (await super().complete(request)).text
        return Completion(text, "stop", 10**6, 1, cached_tokens=10**6)


def test_a_usage_that_is_clipped_keeps_its_cached_tokens_within_it() -> None:
    cassette, key, budget = MemoryCassette(), CallKey("Ada", 3, "act", 0), Budget(dollars=1)
    ask(client_of(Caching(price=PRICE), cassette=cassette, budget=budget), key)
    row = cassette.rows[key]
    assert budget.clipped == 1
    assert 0 < row.cached_tokens == row.prompt_tokens < 10**6
