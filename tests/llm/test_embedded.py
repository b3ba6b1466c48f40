import asyncio
import os
from collections.abc import Iterator

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CallKey, CompletionRequest, Message, PromptRefused
from genagents_env.llm.client import ModelClient
from genagents_env.llm.embedded import EmbeddedEndpoint, fetch_model
from tests.llm.asking import ask_choice

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EmbeddedEndpoint]:
    strict = "CI" in os.environ  # there it must really run
    if not strict:
        pytest.importorskip("xllamacpp", reason="a model in this process needs the extra `local`")
    try:
        model = fetch_model(progress=False)
    except ConfigError as offline:
        if strict:
            raise
        pytest.skip(f"the model's weights cannot be fetched here: {offline}")
    with EmbeddedEndpoint(model, context=512, threads=1) as opened:
        yield opened


def test_a_real_model_answers_by_schema_and_alike_for_equal_seeds(
    endpoint: EmbeddedEndpoint, capfd: pytest.CaptureFixture[str]
) -> None:
    keys = [CallKey(name, 0, "act", 0) for name in ("Ada", "Ben", "Cleo", "Dan")]

    async def run() -> list[str]:
        client = ModelClient(endpoint, run_seed=5)
        answers = await asyncio.gather(*(ask_choice(client, key, max_tokens=100) for key in keys))
        assert client.ledger.totals().prompt_tokens > 40
        return [a.value.model_dump_json() for a in answers if not a.fallback]

    first = asyncio.run(run())
    assert len(first) >= 3
    assert len(set(first)) > 1
    assert asyncio.run(run()) == first
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""


def test_tokens_are_the_models_own(endpoint: EmbeddedEndpoint) -> None:
    assert endpoint.count_tokens("hello world") == 2
    assert endpoint.count_tokens("") == 0
    assert endpoint.count_tokens("\ud800") > 0


def test_a_prompt_longer_than_the_context_is_refused(endpoint: EmbeddedEndpoint) -> None:
    request = CompletionRequest((Message("user", "word " * 2000),))
    with pytest.raises(PromptRefused):
        asyncio.run(endpoint.complete(request))
