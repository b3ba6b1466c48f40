import asyncio
from decimal import Decimal

import pytest

from genagents_env.errors import LLMUnavailable, ModelOutage
from genagents_env.llm.budget import Budget
from genagents_env.llm.calls import CallKey, CompletionRequest, Message
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.prices import Price
from genagents_env.llm.scripted import ScriptedEndpoint
from tests.llm.asking import FALLBACK, Choice, FakeTime, ask_each, client_of, retry_on

KEYS = ("sk-one-0123456789abcdef0123456789", "sk-two-fedcba9876543210fedcba9876")


class Keyed(ScriptedEndpoint):
    """Says every key that there is, and hides its own."""

    def __init__(self, key: str, model: str) -> None:
        super().__init__(lambda _: f'{{"choice": "cafe", "rating": 5, "why": "{KEYS}"}}', model)
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
        Keyed(KEYS[0], "own"), routes={"Ben": Keyed(KEYS[1], "bens")}, cassette=cassette
    )

    async def run() -> None:
        for agent in ("Ada", "Ben"):
            asked = [Message("user", " ".join(KEYS))]
            key = CallKey(agent, 0, "act", 0)
            value = (await client.ask(key, asked, Choice, fallback=FALLBACK)).value
            assert not any(secret in value.why for secret in KEYS)

    asyncio.run(run())
    for row in cassette.rows.values():
        assert not any(secret in f"{row.reply}{row.messages}" for secret in KEYS)


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
