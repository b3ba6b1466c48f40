import asyncio

import pytest

from genagents_env.errors import ConfigError, LLMError
from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.endpoint import OpenAIEndpoint, find_served_model
from genagents_env.testing.fault_server import FaultServer
from tests.llm.asking import KEY, endpoint_at

REQUEST = CompletionRequest((Message("user", "Where to?"),))


def fail(endpoint: OpenAIEndpoint) -> str:
    with pytest.raises(LLMError) as failed:
        asyncio.run(endpoint.complete(REQUEST))
    return str(failed.value)


def test_a_closed_port_is_named_with_what_to_do() -> None:
    text = fail(endpoint_at("http://127.0.0.1:9/v1"))
    assert text == "http://127.0.0.1:9/v1: connection refused; is the server running?"


@pytest.mark.parametrize("fault", ["silent", "reset", "500", "429", "400", "401", "404", "html"])
def test_every_error_of_an_endpoint_names_its_address(fault: str) -> None:
    with FaultServer(always=fault) as server:
        assert fail(endpoint_at(server.url, 0.2)).startswith(f"{server.url}: ")


def test_an_address_is_shown_without_its_login_and_query() -> None:
    endpoint = OpenAIEndpoint(f"http://ann:secret@127.0.0.1:9/v1?api_key={KEY}", KEY, "m")
    text = fail(endpoint)
    assert text.startswith("http://127.0.0.1:9/v1: ")
    assert not any(word in text for word in ("secret", KEY, "api_key"))


def test_an_endpoint_that_lists_no_models_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^http://127\.0\.0\.1:9/v1: .*--model"):
        find_served_model("http://ann:secret@127.0.0.1:9/v1", "")
