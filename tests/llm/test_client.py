import asyncio
import gc
import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from genagents_env import llm
from genagents_env.errors import DivergenceError, LLMUnavailable, ModelOutage
from genagents_env.llm.budget import Budget
from genagents_env.llm.calls import CallKey, CompletionRequest, Message, prompt_hash
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.client import call_seed
from genagents_env.llm.event_loop import OwnLoop
from genagents_env.llm.prices import Price
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, always_invalid, sample_schema
from genagents_env.testing.fault_server import FaultServer
from tests.llm.asking import (
    FALLBACK,
    Choice,
    FakeTime,
    ask,
    ask_choice,
    ask_each,
    client_of,
    endpoint_at,
    retry_on,
)

KEYS = [CallKey(f"agent {at}", at // 5, "act", at % 2) for at in range(25)]


def shuffled(seed: int) -> tuple[str, str]:
    """Ask for KEYS, the calls completing in a random order; return values and ledger as JSON."""
    random = Random(seed)  # noqa: S311 - an order, not a secret
    waits = {call: random.randrange(30) for call in range(25)}
    order = list(KEYS)
    random.shuffle(order)

    async def delay(request: CompletionRequest) -> None:
        for _ in range(waits[len(endpoint.requests) - 1]):
            await asyncio.sleep(0)

    endpoint = ScriptedEndpoint(delay=delay)
    client = client_of(endpoint, max_in_flight=random.choice([1, 8, 25]))

    async def run() -> dict[str, str]:
        answers = await asyncio.gather(*(ask_choice(client, key) for key in order))
        return {str(k): a.value.model_dump_json() for k, a in zip(order, answers, strict=True)}

    values = asyncio.run(run())
    rows = [(row.agent, row.prompt_tokens, row.completion_tokens) for row in client.ledger.rows()]
    return json.dumps(values, sort_keys=True), str(rows)


def test_values_do_not_depend_on_the_order_in_which_calls_complete() -> None:
    assert len({shuffled(seed) for seed in range(40)}) == 1


@pytest.mark.parametrize("rule", [sample_schema, always_invalid])
def test_a_call_is_not_made_again_even_without_budget_nor_is_one_that_fell_back(
    rule: Rule,
) -> None:
    cassette = MemoryCassette()
    first = client_of(ScriptedEndpoint(rule), cassette=cassette)
    live = ask(first)
    assert (live.fallback, live.value == FALLBACK) == ((rule is always_invalid),) * 2
    endpoint = ScriptedEndpoint()
    second = client_of(endpoint, cassette=cassette)
    second.budget.tokens = 0
    assert ask(second) == live
    assert endpoint.requests == []
    assert (first.budget.spent.calls, second.budget.spent.calls) == (1 + live.fallback, 0)
    assert second.ledger.rows() == first.ledger.rows()


def test_another_prompt_or_seed_under_a_recorded_key_is_a_divergence() -> None:
    cassette = MemoryCassette()
    ask(client_of(ScriptedEndpoint(), cassette=cassette))
    with pytest.raises(DivergenceError):
        ask(client_of(ScriptedEndpoint(), cassette=cassette, run_seed=8))
    with pytest.raises(DivergenceError, match="act #0 of 'Ada' at tick 3"):
        ask(client_of(ScriptedEndpoint(), cassette=cassette), max_tokens=64)


def test_an_answer_is_stored_before_it_is_returned() -> None:
    class Broken(MemoryCassette):
        def put(self, key: CallKey, recorded: object) -> None:
            raise OSError("disk full")

    client = client_of(ScriptedEndpoint(), cassette=Broken())
    with pytest.raises(OSError, match="disk full"):
        ask(client)
    assert client.ledger.rows() == []


def test_the_reask_shows_words_fault_and_allowed_values() -> None:
    replies = iter(['{"choice": "beach", "rating": 1, "why": ""}', ""])
    endpoint = ScriptedEndpoint(lambda request: next(replies) or sample_schema(request))
    answer = ask(client_of(endpoint))
    first, second = endpoint.requests
    assert second.messages[: len(first.messages)] == first.messages
    said, corrected = second.messages[-2:]
    assert (said.role, "beach" in said.content) == ("assistant", True)
    assert corrected.role == "user"
    assert "'park' or 'cafe'" in corrected.content
    assert second.seed != first.seed
    assert (answer.fallback, answer.fault is not None) == (False, True)


def test_a_client_outlives_event_loops() -> None:
    with FaultServer() as server:
        client = client_of(endpoint_at(server.url, 5.0))
        for number in range(3):
            assert not asyncio.run(ask_choice(client, CallKey("Ada", number, "act", 0))).fallback


REQUEST = CompletionRequest((Message("user", "Hi \ud800 é"),), {"type": "object"}, "r", 10, 0.5, 3)


def test_equal_requests_hash_alike_also_in_later_versions_and_each_field_counts() -> None:
    assert prompt_hash(REQUEST) == prompt_hash(replace(REQUEST))
    changes: list[dict[str, Any]] = [
        {"messages": (Message("system", "Hi \ud800 é"),)},
        {"schema": None},
        {"schema_name": "s"},
        {"max_tokens": 11},
        {"temperature": 0.6},
        {"seed": 4},
    ]
    others = [replace(REQUEST, **change) for change in changes]
    assert len({prompt_hash(request) for request in [REQUEST, *others]}) == 7
    message, schema = (Message("user", "Hi"),), {"b": 1, "a": [None, 2.5]}
    published = CompletionRequest(message, schema, "r", 9, 0.7, 1)  # type: ignore[arg-type]
    assert prompt_hash(published).startswith("3ddbbc5cee4edc22")


def test_seeds_have_31_bits_and_depend_on_every_part_of_the_key() -> None:
    keys = [CallKey(a, t, p, n) for a in "ab" for t in (0, 1) for p in "xy" for n in (0, 1)]
    seeds = [call_seed(run, key) for key in keys for run in (1, 2)]
    assert len(set(seeds)) == 32
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_libraries_for_servers_are_imported_by_no_module_but_the_endpoint() -> None:
    folder = Path(llm.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "endpoint", "embedded"}
    names = [f"genagents_env.llm.{name}" for name in sorted(modules)] + ["genagents_env.run.models"]
    code = (
        f"import sys, {', '.join(names)}\n"
        "heavy = {'openai', 'httpx', 'httpx2', 'tiktoken', 'genai_prices'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_loop_that_nobody_closed_is_closed_with_its_last_reference() -> None:
    async def find_loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def forget() -> asyncio.AbstractEventLoop:
        own = OwnLoop()
        own.circle = own  # type: ignore[attr-defined]  # as a policy is held by what it made
        loop = own.run(find_loop())
        del own
        gc.collect()
        return loop

    async def forget_within_another() -> asyncio.AbstractEventLoop:
        return forget()

    assert forget().is_closed()
    assert asyncio.run(forget_within_another()).is_closed()


SECRETS = ("sk-one-0123456789abcdef0123456789", "sk-two-fedcba9876543210fedcba9876")


class Keyed(ScriptedEndpoint):
    """Says every key that there is, and hides its own."""

    def __init__(self, key: str, model: str) -> None:
        super().__init__(lambda _: f'{{"choice": "cafe", "rating": 5, "why": "{SECRETS}"}}', model)
        self.key = key

    def redact_keys(self, text: str) -> str:
        return text.replace(self.key, "[hidden]")


def test_a_person_comes_before_a_faculty_and_each_model_has_its_price() -> None:
    own, bens, talking = (
        ScriptedEndpoint(model=name, price=Price(Decimal(dollars), Decimal(0)))
        for name, dollars in (("own", 1), ("bens", 10), ("talking", 100))
    )
    cassette, budget = MemoryCassette(), Budget()
    routes = {"Ben": bens, "talk": talking}
    client = client_of(own, routes=routes, cassette=cassette, budget=budget)
    asked = (("Ada", "act"), ("Ada", "talk.reply"), ("Ada", "talkative"), ("Ben", "talk"))
    ask_each(client, (CallKey(agent, 0, purpose, 0) for agent, purpose in asked))
    models = {(key.agent, key.purpose): row.model for key, row in cassette.rows.items()}
    assert list(map(models.__getitem__, asked)) == ["own", "talking", "own", "bens"]
    per_call = {"own": 1, "bens": 10, "talking": 100}
    dollars = sum(per_call[row.model] * row.prompt_tokens for row in cassette.rows.values())
    assert budget.spent.dollars == Decimal(dollars) / 10**6
    assert client.ledger.totals().dollars == budget.spent.dollars


def test_replies_contain_no_key_of_another_model() -> None:
    cassette = MemoryCassette()
    client = client_of(
        Keyed(SECRETS[0], "own"),
        routes={"Ben": Keyed(SECRETS[1], "bens")},
        cassette=cassette,
    )

    async def run() -> None:
        for agent in ("Ada", "Ben"):
            asked = [Message("user", " ".join(SECRETS))]
            key = CallKey(agent, 0, "act", 0)
            value = (await client.ask(key, asked, Choice, fallback=FALLBACK)).value
            assert not any(secret in value.why for secret in SECRETS)

    asyncio.run(run())
    for row in cassette.rows.values():
        assert not any(secret in f"{row.reply}{row.messages}" for secret in SECRETS)


def test_a_model_that_is_down_is_an_outage_though_others_answer() -> None:
    def fail(_: CompletionRequest) -> str:
        raise LLMUnavailable("down")

    client = client_of(
        ScriptedEndpoint(),
        routes={"Ben": ScriptedEndpoint(fail, "bens")},
        retry=retry_on(FakeTime()),
    )
    keys = [CallKey(agent, tick, "act", 0) for tick in range(5) for agent in ("Ada", "Ben")]
    with pytest.raises(ModelOutage, match="5 model calls in a row"):
        ask_each(client, keys)
    assert client.failed_in_a_row == 5
