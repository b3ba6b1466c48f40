import asyncio
import base64
import json
import logging
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from genagents_env.errors import ConfigError, LLMError
from genagents_env.llm.calls import CallKey, CompletionRequest, Message
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.redact import Redactor
from genagents_env.testing.fault_server import FaultServer, ServerFault, saying
from tests.llm.asking import (
    FALLBACK,
    KEY,
    Choice,
    FakeTime,
    ask,
    client_of,
    endpoint_at,
    retry_on,
)


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


LONG = "sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7jKl0n"
WAYS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "in capitals": str.upper,
    "a part": lambda key: key[9:30],
    "cut off": lambda key: key[:20],
    "JSON escapes": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "percent signs": lambda key: "".join(f"%{ord(c):02X}" for c in key),
    "base64 of a header": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "hexadecimal": lambda key: key.encode().hex(),
    "lines": lambda key: "\n".join(key[k : k + 5] for k in range(0, len(key), 5)),
    "colours": lambda key: "\x1b[1m".join(key),
    "signs of no width": lambda key: "\u200b".join(key),
}


def shows(text: str, key: str = LONG) -> bool:
    """Return whether eight signs of the key in a row are in `text`, however it is written."""
    plain = "".join(c for c in text if c.isalnum())
    coded = base64.b64encode(f"Bearer {key}".encode()).decode()
    forms = [key[8:], key[8:].upper(), key[8:].encode().hex(), coded[20:]]
    forms += [WAYS[way](key[8:]) for way in ("JSON escapes", "percent signs")]
    return any(
        form[k : k + 8 * len(form) // len(key[8:])] in seen
        for form in forms
        for k in range(len(form) - 8)
        for seen in (text, plain)
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("before", [0, 170, 195, 290])
def test_a_key_in_an_error_is_hidden_wherever_the_error_is_cut(way: str, before: int) -> None:
    words = "z" * before + " " + WAYS[way](LONG)
    body = json.dumps({"error": {"message": words}}).encode()
    with FaultServer(always=ServerFault(status=401, body=body)) as server:
        endpoint = OpenAIEndpoint(server.url, LONG, "m", attempt_deadline=5)
        with pytest.raises(LLMError) as caught:
            ask(client_of(endpoint))
    assert "zzz"[:before] in str(caught.value)
    assert not shows(str(caught.value))


@pytest.mark.parametrize("way", WAYS)
def test_a_key_in_a_completion_is_not_stored_and_that_is_said(way: str) -> None:
    reply = json.dumps({"choice": "park", "rating": 3, "why": f"of {WAYS[way](LONG)}"})
    cassette = MemoryCassette()
    with FaultServer(always=saying(reply)) as server:
        endpoint = OpenAIEndpoint(server.url, LONG, "m", attempt_deadline=5)
        answer = ask(client_of(endpoint, cassette=cassette))
    assert answer.value.why.startswith("of [hidden]") or way == "base64 of a header"
    assert answer.fault == "key hidden: 1 texts of the reply held one"
    assert not shows(str(answer) + str(cassette.rows))


def test_a_key_in_words_of_no_use_is_not_stored() -> None:
    cassette = MemoryCassette()
    with FaultServer(always=saying(f'{{"{LONG}": "' + "\\u0073" + LONG[1:] + '"}')) as server:
        endpoint = OpenAIEndpoint(server.url, LONG, "m", attempt_deadline=5)
        assert ask(client_of(endpoint, cassette=cassette)).fallback
    assert "[hidden]" in str(cassette.rows)
    assert not shows(str(cassette.rows))


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
