import asyncio
import base64
import json
import logging
import pickle
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest

from genagents_env.errors import ConfigError, LLMError
from genagents_env.llm.calls import CallKey, CompletionRequest, Message
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.redact import Redactor
from genagents_env.testing.fault_server import FaultServer, saying
from tests.campaigns.key_canary import CHANNELS, WRITINGS, Hunt, ask_all, draw_key
from tests.llm.asking import FALLBACK, KEY, Choice, ask, client_of, endpoint_at


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


LONG = draw_key(1)


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_key_is_in_nothing_raised_or_stored_however_it_is_written_and_cut(channel: str) -> None:
    """All there is: the campaign `key_canary`."""
    words = [
        "z" * before + " " + write(LONG)
        for write in WRITINGS.values()
        for before in (0, 170, 195, 290)
    ]
    told = asyncio.run(ask_all(LONG, [CHANNELS[channel](each) for each in words]))
    assert "[hidden]" in told
    assert Hunt(LONG).find(told.encode()) is None


def test_that_a_key_was_hidden_in_a_completion_is_said() -> None:
    reply = json.dumps({"choice": "park", "rating": 3, "why": f"of {LONG}"})
    with FaultServer(always=saying(reply)) as server:
        answer = ask(client_of(OpenAIEndpoint(server.url, LONG, "m", attempt_deadline=5)))
    assert answer.value.why == "of [hidden]"
    assert answer.fault == "key hidden: 1 texts of the reply held one"


def test_a_key_in_a_prompt_is_asked_but_not_stored() -> None:
    cassette, key = MemoryCassette(), CallKey("Ada", 1, "act", 0)
    asked = (Message("user", f"Say {LONG}."),)
    with FaultServer() as server:
        client = client_of(OpenAIEndpoint(server.url, LONG, "m"), cassette=cassette)

        async def run() -> None:
            await client.ask(key, asked, Choice, fallback=FALLBACK)
            await client.ask(key, asked, Choice, fallback=FALLBACK)
            await client.aclose()

        asyncio.run(run())
        assert server.calls == 1  # the second is the same prompt: found by what was asked
        assert LONG.encode() in server.requests[0]
    assert cassette.rows[key].messages == (Message("user", "Say [hidden]."),)


@pytest.mark.parametrize("key", ["local", "lm-studio", "my-secret-town-key", "none"])
def test_a_word_that_serves_as_key_stays_in_what_people_say(key: str) -> None:
    words = f"the {key} of my secret town, key in hand"
    reply = json.dumps({"choice": "park", "rating": 3, "why": words})
    with FaultServer(always=saying(reply)) as server:
        answer = ask(client_of(OpenAIEndpoint(server.url, key, "m", attempt_deadline=5)))
    assert (answer.value.why, answer.fault) == (words, None)


def test_no_prose_is_taken_for_a_key() -> None:
    pages = Path(__file__).parents[2].joinpath("docs").glob("*.md")
    prose = " ".join(page.read_text() for page in sorted(pages))[:300_000]
    assert Redactor(LONG).redact_keys(prose) == prose


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
