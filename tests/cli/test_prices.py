import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from genagents_env.record import RunReader
from genagents_env.testing.fault_server import FaultServer, ServerFault, envelope
from tests.cli.conftest import Run, Serve

PRICE = ("--endpoint", "price_in=2.50", "--endpoint", "price_out=10")
RUN = ("run", "tiny", "--policy", "reactive", "--model", "town-model", "--quiet")


def test_a_price_that_is_given_counts_in_budget_summary_and_file(
    genagents: Run, server: FaultServer
) -> None:
    assert genagents(*RUN, "--limit", "dollars=1")[0] == 2  # whose price is not known
    code, out, _ = genagents(*RUN, "--limit", "dollars=1", *PRICE)
    assert (code, "$0.000" in out) == (0, True)
    with RunReader("run.sqlite") as run:
        assert run.sum_calls().dollars == 9 * Decimal("0.000075")
    code, _, err = genagents(*RUN, "--out", "less.sqlite", "--limit", "dollars=0.001", *PRICE)
    assert (code, "dollars" in err) == (3, True)
    assert genagents("resume", "less.sqlite", "-q", "--limit", "none")[0] == 0  # at that price
    for name in ("run.sqlite", "less.sqlite"):
        with RunReader(name) as run:
            assert run.meta.price == ("2.50", "10")


def test_the_price_of_a_current_model_is_shown_with_its_source(
    genagents: Run, server: FaultServer
) -> None:
    listed = r"prices? of genai-prices [0-9.]+ of 20\d\d-\d\d-\d\d for anthropic"
    model = ("--model", "claude-sonnet-4.6", "--limit", "dollars=1")
    code, out, _ = genagents("run", "tiny", "--policy", "reactive", *model, "--quiet")
    assert (code, bool(re.search(listed, out))) == (0, True)
    with RunReader("run.sqlite") as run:
        assert run.meta.price is not None
        assert run.meta.price[:4] == ("3", "15", "0.3", "3.75")
        assert run.sum_calls().dollars == 9 * Decimal("0.000105")
    _, _, err = genagents(*RUN, "--out", "less.sqlite", "--limit", "dollars=1")
    assert re.search(r"'town-model' is not known to genai-prices .*--endpoint price_in", err)
    _, out, _ = genagents("doctor", *model[:2])
    assert re.search(listed, out)
    for price_as, said in (
        ((), r"\(prices of genai-prices .* for anthropic\)"),
        (("--price-as", "gpt-3.5-turbo"), r"as gpt-3.5-turbo by genai-prices [0-9.]+ of 20"),
    ):
        _, out, _ = genagents("report", "run.sqlite", *price_as)
        assert re.search(said, " ".join(out.split()))


def answer_from_cache(words: str, asked: Mapping[str, Any]) -> bytes:
    """Return a completion of 10 tokens read, of which 6 were cached and 3 written to the cache."""
    details = {"cached_tokens": 6, "cache_write_tokens": 3}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": details}
    return json.dumps({**json.loads(envelope(words)), "usage": usage}).encode()


def test_cached_tokens_count_at_their_price_also_after_a_resume(
    genagents: Run, server: FaultServer, serve: Serve
) -> None:
    asking = ("run", "tiny", "--policy", "reactive", "--model", "gpt-6-sol", "--quiet", "--out")
    cost = (1 * 2 + 6 * Decimal("0.2") + 3 * Decimal("2.5") + 5 * 10) / Decimal(1_000_000)
    serve(always=ServerFault(answer=answer_from_cache))
    code, out, _ = genagents(*asking, "whole.sqlite")
    assert (code, "90 tokens read (54 of them cached)" in out) == (0, True)
    assert genagents(*asking, "cut.sqlite", "--limit", "calls=5")[0] == 3
    assert genagents("resume", "cut.sqlite", "--quiet", "--limit", "calls=100")[0] == 0
    for name in ("whole.sqlite", "cut.sqlite"):
        with RunReader(name) as run:
            spending = run.spending
            assert run.sum_calls().dollars == 9 * cost
            assert {call.cached_tokens for call in run.calls()} == {6}
            assert spending is not None
            assert spending.spent.dollars == spending.spent.calls * cost


@pytest.fixture
def server(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> FaultServer:
    """Have the fault server cost something: a server on this machine is free."""
    monkeypatch.setattr("genagents_env.llm.endpoint.LOOPBACK", ())
    return serve()
