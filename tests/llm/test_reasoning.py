from dataclasses import replace

import pytest

from genagents_env.llm.budget import Budget, upper_bound
from genagents_env.llm.calls import CallKey, Completion, CompletionRequest, Message, prompt_hash
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.completions import is_reasoning_model, separate_thinking
from genagents_env.testing.fault_server import FaultServer, ThinkingPlace, reasoning
from tests.llm.asking import FakeTime, ask, client_of, endpoint_at, retry_on

_KEY = CallKey("Ada", 3, "act", 0)
JSON = '{"choice": "park"}'
PLACES: list[ThinkingPlace] = ["field", "content"]


def complete(text: str) -> Completion:
    return separate_thinking(Completion(text, "stop", 10, 100))


@pytest.mark.parametrize("place", PLACES)
def test_a_model_that_only_thinks_is_asked_again_with_more_room(place: ThinkingPlace) -> None:
    cassette = MemoryCassette()
    with FaultServer(always=reasoning(2000, place)) as server:
        client = client_of(
            endpoint_at(server.url, 5.0), cassette=cassette, retry=retry_on(time := FakeTime())
        )
        answer = ask(client)
        assert server.calls == 2
    assert (answer.fallback, answer.fault) == (False, None)
    assert time.slept == [0.0]
    (row,) = cassette.rows.values()
    assert (row.attempts, row.reasks) == (2, 0)
    assert row.unsaid_completion_tokens == 128
    assert 1900 < row.reasoning_tokens < row.completion_tokens
    assert client.budget.spent.tokens == row.completion_tokens + 128 + 2 * 10


def test_a_learned_thinking_allowance_serves_later_calls() -> None:
    with FaultServer(always=reasoning(2000)) as server:
        client = client_of(endpoint_at(server.url, 5.0))
        for number in range(3):
            assert not ask(client, replace(_KEY, number=number)).fallback
        assert server.calls == 4


@pytest.mark.parametrize(("length", "room"), [(2000, 2000), (10**6, 32_768)])
def test_with_room_given_or_the_most_there_is_one_attempt(length: int, room: int) -> None:
    with FaultServer(always=reasoning(length)) as server:
        answer = ask(client_of(endpoint_at(server.url, 5.0), thinking=room))
        assert server.calls == 1
    assert answer.fallback is (length > room)


def test_a_model_that_never_stops_thinking_ends_in_the_fallback_which_says_so() -> None:
    with FaultServer(always=reasoning(10**6)) as server:
        answer = ask(client_of(endpoint_at(server.url, 5.0), retry=retry_on(FakeTime())))
        assert server.calls == 4
    assert answer.fallback
    assert answer.fault is not None
    assert answer.fault.startswith("unavailable: the model was cut off at 16,512 tokens before")
    assert "--endpoint thinking=" in answer.fault


def test_thinking_is_reserved_in_the_budget_and_no_part_of_the_prompt() -> None:
    request = CompletionRequest((Message("user", "Where to?"),), max_tokens=100)
    roomy = replace(request, thinking_tokens=900)
    assert upper_bound(roomy, None).tokens == upper_bound(request, None).tokens + 900
    assert prompt_hash(roomy) == prompt_hash(request)
    budget = Budget(tokens=10_000)
    with FaultServer(always=reasoning(2000)) as server:
        assert not ask(client_of(endpoint_at(server.url, 5.0), budget=budget)).fallback
    assert budget.reserved.tokens == 0


@pytest.mark.parametrize(
    "text",
    [
        f"<think>\nThe park {{or the cafe}}?\n</think>\n\n{JSON}",
        f"  <thinking>Hm.</thinking>{JSON}",
        f"<think></think><think>Twice.</think>\n{JSON}",
        f"The template has opened it {{here}}.\n</think>\n\n{JSON}",
        f"[THINK]Hm.[/THINK]{JSON}",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{JSON}",
    ],
)
def test_blocks_of_thinking_are_taken_off(text: str) -> None:
    completion = complete(text)
    assert completion.text.strip() == JSON
    assert 0 < completion.reasoning_tokens < 100


@pytest.mark.parametrize("text", ["<think>Hm. {", "<|channel|>analysis<|message|>Hm. {"])
def test_an_unclosed_block_goes_to_the_end(text: str) -> None:
    assert complete(text).text == ""
    assert complete(text).reasoning_tokens == 100


@pytest.mark.parametrize(
    "text", [JSON, '{"why": "<think>no</think>"}', 'So:\n{"why": "a </think> b"}', "a < b [c]", ""]
)
def test_words_that_only_speak_of_thinking_stay(text: str) -> None:
    completion = complete(text)
    assert (completion.text, completion.reasoning_tokens) == (text, 0)


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        *((name, True) for name in ("o3", "openai/o4-mini", "gpt-5-nano", "gpt-oss-20b", "qwq")),
        *(
            (name, True)
            for name in ("qwen3:4b", "deepseek-r1:8b", "DeepSeek-R1", "magistral-small")
        ),
        *((name, False) for name in ("gpt-4o", "gpt-4o-mini", "llama-3.1-8b", "qwen2.5:7b", "any")),
    ],
)
def test_models_that_reason_are_known_by_their_names(name: str, reasons: bool) -> None:
    assert is_reasoning_model(name) is reasons
