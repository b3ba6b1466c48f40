import asyncio
import tracemalloc
from functools import cache

import pytest

from genagents_env.errors import ConfigError, LLMError, LLMRefused, ModelOutage
from genagents_env.llm.calls import CallKey, CompletionRequest, Message
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.endpoint import OpenAIEndpoint, find_served_model
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.testing.fault_server import (
    FAULTS,
    FaultServer,
    ServerFault,
    redirect,
    saying,
    too_many,
)
from tests.llm.asking import KEY, FakeTime, ask, ask_each, client_of, endpoint_at, retry_on

SLOW = ["silent", "drip"]
REFUSALS = ["401", "403", "404"]
TOLERATED = ["prose", "100k"]
BAD_WORDS = ["two_objects", "empty_object", "no_object", "cut"]
TRANSIENT = sorted(set(FAULTS) - {*SLOW, *REFUSALS, *TOLERATED, *BAD_WORDS, "400"})


@cache
def ask_thrice(fault: str = "", call: int = 0) -> tuple[list[str], int, int]:
    """Return the values of three calls, of which one meets a fault, the requests and retries."""
    with FaultServer({call: fault} if fault else {}) as server:
        client = client_of(endpoint_at(server.url, 5.0), retry=retry_on(FakeTime()))
        answers = ask_each(client, (CallKey("Ada", tick, "act", 0) for tick in range(3)))
        values = [answer.value.model_dump_json() for answer in answers]
        return values, server.calls, client.ledger.totals().retries


@pytest.mark.parametrize(
    ("fault", "call"), [(fault, 1 + at % 3) for at, fault in enumerate(TRANSIENT)]
)
def test_one_transient_fault_is_tried_again_and_changes_no_value(fault: str, call: int) -> None:
    assert ask_thrice(fault, call) == (ask_thrice()[0], 4, 1)


@pytest.mark.parametrize("fault", TRANSIENT)
def test_a_lasting_fault_ends_after_four_requests_in_the_declared_fallback(fault: str) -> None:
    cassette = MemoryCassette()
    with FaultServer(always=fault) as server:
        client = client_of(
            endpoint_at(server.url, 5.0), retry=retry_on(FakeTime()), cassette=cassette
        )
        answer = ask(client)
        assert server.calls == 4
    assert client.failed_in_a_row == 1
    assert answer.fallback
    assert answer.fault is not None
    assert answer.fault.startswith("unavailable")
    (row,) = cassette.rows.values()
    assert (row.outcome, row.attempts, row.fault) == ("fallback", 4, answer.fault)
    assert client.ledger.totals().fallbacks == 1
    assert client.ledger.totals().reasks == 0  # the model said nothing that could be corrected


@pytest.mark.parametrize("fault", SLOW)
def test_a_silent_or_dripping_server_is_left_at_the_wall_clock_deadline(fault: str) -> None:
    with FaultServer({1: fault}) as server:
        client = client_of(endpoint_at(server.url, 0.2), retry=retry_on(FakeTime()))
        answer = ask(client)
        assert server.calls == 2
    assert not answer.fallback


@pytest.mark.parametrize("always", [False, True])
@pytest.mark.parametrize("fault", BAD_WORDS)
def test_unusable_words_are_asked_again_once_and_then_end_in_the_fallback(
    fault: str, always: bool
) -> None:
    with FaultServer({1: fault}, always=fault if always else None) as server:
        client = client_of(endpoint_at(server.url, 5.0))
        answer = ask(client)
        assert server.calls == 2
    assert answer.fallback is always
    assert answer.fault is not None
    assert answer.fault.startswith("bad reply")
    totals = client.ledger.totals()
    assert (totals.reasks, totals.fallbacks) == (1, int(always))
    assert client.failed_in_a_row == 0


@pytest.mark.parametrize("fault", TOLERATED)
def test_prose_and_length_are_tolerated(fault: str) -> None:
    with FaultServer(always=fault) as server:
        client = client_of(endpoint_at(server.url, 5.0))
        answer = ask(client)
        assert server.calls == 1
    assert not answer.fallback
    assert len(answer.value.why) <= 1000
    assert client.ledger.totals().truncated == (fault == "100k")


@pytest.mark.parametrize("fault", REFUSALS)
def test_a_refusal_is_raised_and_not_tried_again(fault: str) -> None:
    with FaultServer(always=fault) as server:
        with pytest.raises(LLMRefused, match="OPENAI_API_KEY"):
            ask(client_of(endpoint_at(server.url)))
        assert server.calls == 1


def test_a_refused_prompt_falls_back_and_is_not_tried_again() -> None:
    with FaultServer(always="400") as server:
        answer = ask(client_of(endpoint_at(server.url)))
        assert server.calls == 1
    assert answer.fallback


def test_no_request_goes_to_another_host() -> None:
    with FaultServer() as other, FaultServer(always=redirect(other.url)) as server:
        with pytest.raises(LLMRefused, match="redirect"):
            ask(client_of(endpoint_at(server.url)))
        assert (server.calls, other.calls) == (1, 0)


def test_the_server_decides_how_long_to_wait() -> None:
    time = FakeTime()
    with FaultServer({1: too_many("3"), 2: too_many(milliseconds="250")}) as server:
        ask(client_of(endpoint_at(server.url), retry=retry_on(time)))
    assert 3.0 <= time.slept[0] <= 3.3
    assert 0.25 <= time.slept[1] <= 0.275


def test_a_gzip_bomb_costs_little_memory() -> None:
    with FaultServer(always="bomb") as server:
        client = client_of(endpoint_at(server.url, 5.0), retry=retry_on(FakeTime(), attempts=2))
        ask(client)  # builds the bomb, outside the measurement
        tracemalloc.start()
        ask(client, CallKey("Ada", 4, "act", 0))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 20e6


@pytest.mark.parametrize("words", ["", "\u200b\x00 \n\t ", "<think>Where was I?</think>"])
def test_a_completion_without_words_is_a_failed_attempt(words: str) -> None:
    with FaultServer({1: saying(words)}) as server:
        client = client_of(endpoint_at(server.url), retry=retry_on(FakeTime()))
        answer = ask(client)
        assert (answer.fallback, answer.fault, server.calls) == (False, None, 2)
        assert client.budget.spent.calls == 2
    with FaultServer(always=saying(words)) as server:
        cassette = MemoryCassette()
        answer = ask(
            client_of(endpoint_at(server.url), retry=retry_on(FakeTime()), cassette=cassette)
        )
        assert (answer.fallback, server.calls) == (True, 4)
        (kept,) = cassette.rows.values()
        assert kept.is_unanswered
        assert (kept.attempts, kept.reasks, kept.prompt_tokens) == (4, 0, 40)


@pytest.mark.parametrize("words", [*BAD_WORDS, "null_content"])
def test_ten_calls_in_a_row_without_a_usable_reply_are_an_outage(words: str) -> None:
    good_once = {5: ServerFault()}
    with FaultServer(good_once, always=words) as server:
        client = client_of(
            endpoint_at(server.url),
            retry=retry_on(FakeTime(), attempts=1),
            outage_after=100,
            asked_once=["any-model"] if words == "cut" else (),
        )

        keys = [CallKey("Ada", number, "act", 0) for number in range(40)]
        if words == "cut":  # one that is to learn is asked on
            ask_each(client, keys)
            return
        with pytest.raises(ModelOutage, match="10 calls in a row to any-model") as raised:
            ask_each(client, keys)
    first = 3 if words in BAD_WORDS else 5  # each of these calls is two replies
    assert raised.value.since == first


def test_five_failed_calls_in_a_row_are_an_outage_and_can_be_forgotten() -> None:
    cassette = MemoryCassette()
    with FaultServer({3: "empty_object"}, always="503") as server:
        client = client_of(
            endpoint_at(server.url), retry=retry_on(FakeTime(), attempts=1), cassette=cassette
        )

        with pytest.raises(ModelOutage, match="5 model calls in a row"):
            ask_each(client, (CallKey("Ada", n // 2, "act", n) for n in range(20)))
    stored = sorted(key.number for key in cassette.rows)
    assert stored == [0, 1, 2, 3, 4, 5]  # the third was answered, if badly, so counting restarts
    answered = CallKey("Bob", 2, "act", 0)
    ask(client_of(ScriptedEndpoint(), cassette=cassette), answered)
    assert cassette.forget_fallbacks(from_tick=2) == 2
    assert sorted(key.tick for key in cassette.rows) == [0, 0, 1, 1, 2]
    assert answered in cassette.rows


@pytest.mark.parametrize("status", [401, 503])
def test_an_error_with_a_damaged_body_is_still_that_error(status: int) -> None:
    broken = ServerFault(status=status, headers={"Content-Encoding": "gzip"}, body=b"no gzip")
    with FaultServer(always=broken) as server:
        client = client_of(endpoint_at(server.url), retry=retry_on(FakeTime()))
        if status == 401:
            with pytest.raises(LLMRefused, match="status 401"):
                ask(client)
        else:
            assert "status 503" in (ask(client).fault or "")


def test_half_characters_in_a_prompt_are_replaced() -> None:
    with FaultServer() as server:
        request = CompletionRequest((Message("user", "half \ud800 a character"),))
        asyncio.run(endpoint_at(server.url).complete(request))
        assert b"half ? a character" in server.requests[0]


REQUEST = CompletionRequest((Message("user", "Where to?"),))


def fail(endpoint: OpenAIEndpoint) -> str:
    with pytest.raises(LLMError) as failed:
        asyncio.run(endpoint.complete(REQUEST))
    return str(failed.value)


def test_a_closed_port_is_named_with_what_to_do_without_login_and_query() -> None:
    endpoint = OpenAIEndpoint(f"http://ann:secret@127.0.0.1:9/v1?api_key={KEY}", KEY, "m")
    assert fail(endpoint) == "http://127.0.0.1:9/v1: connection refused; is the server running?"
    with pytest.raises(ConfigError, match=r"^http://127\.0\.0\.1:9/v1: .*--model"):
        find_served_model("http://ann:secret@127.0.0.1:9/v1", "")


@pytest.mark.parametrize("fault", ["silent", "reset", "500", "429", "400", "401", "404", "html"])
def test_every_error_of_an_endpoint_names_its_address(fault: str) -> None:
    with FaultServer(always=fault) as server:
        assert fail(endpoint_at(server.url, 0.2)).startswith(f"{server.url}: ")
