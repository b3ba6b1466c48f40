import asyncio
import base64
import logging
import pickle
import traceback
from urllib.parse import quote

import pytest

from genagents_env.errors import ConfigError, LLMError
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.redact import Redactor
from genagents_env.testing.fault_server import FaultServer, ServerFault
from tests.llm.asking import KEY, FakeTime, ask, client_of, endpoint_at, retry_on


def leaks(text: str) -> bool:
    return "CANARY" in text or base64.b64encode(KEY.encode()).decode()[:16] in text


@pytest.mark.parametrize("fault", ["400", "401", "403", "500", "html", "reset", "silent"])
def test_no_error_nor_log_holds_the_key(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with FaultServer(always=fault) as server, pytest.raises(LLMError) as caught:
        asyncio.run(endpoint_at(server.url, 0.1).complete(CompletionRequest(())))
    error = caught.value
    seen = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
    assert not leaks(seen)
    assert not leaks(caplog.text)
    assert error.__context__ is None


def test_no_answer_nor_record_holds_the_key() -> None:
    cassette = MemoryCassette()
    with FaultServer(always=ServerFault(status=500, echo_key=True)) as server:
        retry = retry_on(FakeTime(), attempts=1)
        answer = ask(client_of(endpoint_at(server.url), retry=retry, cassette=cassette))
    assert "[hidden]" in str(answer.fault)
    assert not leaks(str(answer) + str(cassette.rows))


def test_client_and_endpoint_show_no_key() -> None:
    endpoint = endpoint_at("http://127.0.0.1:9/v1")
    client = client_of(endpoint)
    for thing in (endpoint, client, client.budget, client.ledger, client.retry):
        assert not leaks(repr(thing) + str(thing))
    assert not leaks(repr(vars(endpoint)) + repr(vars(client)))
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(endpoint)


def test_every_way_to_write_a_secret_is_hidden() -> None:
    secret = 'sk-CANARY/+"=é'  # noqa: S105 - made up
    redact = Redactor(secret, "").redact
    forms = [secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode()]
    for form in forms:
        assert redact(f"got <{form}> here") == "got <[hidden]> here"
    assert redact("see https://ada:pa55@host/v1") == "see https://[hidden]@host/v1"
    assert redact("see https://host:80/v1 now") == "see https://host:80/v1 now"


def test_a_login_in_the_address_is_sent_but_never_shown() -> None:
    with FaultServer(always="401") as server:
        url = server.url.replace("://", "://ada:CANARY-pass@")
        endpoint = OpenAIEndpoint(url, "", "m", attempt_deadline=5)
        with pytest.raises(LLMError) as caught:
            ask(client_of(endpoint))
    assert "CANARY" not in repr(endpoint) + repr(vars(endpoint)) + str(caught.value)
    assert base64.b64encode(b"ada:CANARY-pass").decode() not in str(caught.value)


@pytest.mark.parametrize("url", ["", "host/v1", "file:///etc/passwd", "https://"])
def test_the_base_url_must_be_an_http_address(url: str) -> None:
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
        OpenAIEndpoint(url, KEY, "m")
