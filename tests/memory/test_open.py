import asyncio

import pytest

from genagents_env.errors import ConfigError
from genagents_env.memory import local
from genagents_env.memory.embed import HashedSource
from genagents_env.memory.endpoint import EndpointSource
from genagents_env.memory.open import open_source
from tests.llm.asking import KEY


@pytest.fixture(autouse=True)
def _no_endpoint_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.parametrize(("name", "dim"), [("hashed", 256), ("hashed:1", 1)])
def test_hashed_ngrams_have_the_width_asked_for(name: str, dim: int) -> None:
    source = open_source(name)
    assert isinstance(source, HashedSource)
    assert source.name == f"hashed-{dim}"
    assert asyncio.run(source.embed(["tea"])).shape == (1, dim)
    asyncio.run(source.aclose())


WRONG = ["", "local:x", "endpoint", "endpoint:", "minilm", "hashed:", "hashed:0", "hashed:65537"]
WRONG += ["hashed:٣", "hashed:" + "9" * 5000]


@pytest.mark.parametrize("name", WRONG)
def test_other_names_are_refused_with_those_allowed(name: str) -> None:
    with pytest.raises(ConfigError, match=r"expected local, hashed, .* or endpoint:MODEL"):
        open_source(name)


@pytest.mark.parametrize("name", [None, "local"])
def test_the_local_model_is_the_default(name: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Opened:
        pass

    monkeypatch.setattr(local, "LocalSource", Opened)
    assert isinstance(open_source(name), Opened)


def test_an_endpoints_model_keeps_the_colons_of_its_name_and_a_key_alone_means_openai(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    source = open_source("endpoint:nomic-embed-text:v1.5")
    assert isinstance(source, EndpointSource)
    assert (source.name, source.base_url) == ("nomic-embed-text:v1.5", "https://api.openai.com/v1")
    assert KEY not in repr(source)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
    other = open_source("endpoint:any")
    assert isinstance(other, EndpointSource)
    assert other.base_url == "http://127.0.0.1:11434/v1"


def test_without_an_endpoint_the_variables_to_set_are_named() -> None:
    with pytest.raises(ConfigError, match=r"OPENAI_API_KEY.*--embedder local"):
        open_source("endpoint:text-embedding-3-small")
