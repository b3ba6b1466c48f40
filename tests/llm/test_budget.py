import asyncio
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.errors import BudgetExceeded, ConfigError
from genagents_env.llm.budget import Budget, Spend, upper_bound
from genagents_env.llm.calls import CallKey, Completion, CompletionRequest, Message
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.prices import Price
from genagents_env.llm.scripted import ScriptedEndpoint, sample_schema
from genagents_env.rng import draw_index
from tests.llm.asking import FakeTime, ask, ask_choice, client_of

PRICE = Price(Decimal("2.50"), Decimal("10"))


class Greedy(ScriptedEndpoint):
    """Uses every token it may, and more time the later a call comes."""

    async def complete(self, request: CompletionRequest) -> Completion:
        for _ in range(draw_index(request.seed, 5, "yields")):
            await asyncio.sleep(0)
        most = upper_bound(request, None).tokens - request.max_tokens
        return Completion(sample_schema(request), "stop", most, request.max_tokens)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    tokens=st.integers(0, 20_000),
    calls=st.integers(0, 40),
    dollars=st.decimals(0, "0.2", places=4),
    in_flight=st.integers(1, 25),
)
def test_25_agents_at_once_never_spend_more_than_the_budget(
    seed: int, tokens: int, calls: int, dollars: Decimal, in_flight: int
) -> None:
    budget = Budget(calls, tokens, dollars)
    endpoint = Greedy(price=PRICE)
    client = client_of(endpoint, run_seed=seed, budget=budget, max_in_flight=in_flight)

    async def run() -> list[object]:
        keys = [CallKey(f"agent {at}", 0, "act", 0) for at in range(25)]
        return await asyncio.gather(*(ask_choice(client, k) for k in keys), return_exceptions=True)

    outcomes = asyncio.run(run())
    answered = sum(not isinstance(outcome, Exception) for outcome in outcomes)
    assert budget.spent.calls == answered <= calls
    assert budget.spent.tokens <= tokens
    assert budget.spent.dollars <= dollars
    assert budget.reserved == Spend()
    if answered < 25:
        assert all(isinstance(o, BudgetExceeded) for o in outcomes if isinstance(o, Exception))
        next_one = budget.spent + cost_of_one()
        assert next_one.calls > calls or next_one.tokens > tokens or next_one.dollars > dollars, (
            "it stopped before the budget was used up"
        )


def cost_of_one() -> Spend:
    client = client_of(Greedy(price=PRICE))
    ask(client)
    return client.budget.spent


def test_the_bound_holds_for_bytes_schema_and_messages() -> None:
    request = CompletionRequest((Message("user", "é" * 100),), {"a": "b" * 50}, max_tokens=70)
    bound = upper_bound(request, PRICE)
    assert bound.tokens > 200 + 50 + 70
    assert bound.dollars == PRICE.cost(bound.tokens - 70, 70)


def test_calls_wait_for_reservations_and_not_for_ever() -> None:
    budget = Budget(tokens=100)

    async def run() -> list[str]:
        log: list[str] = []

        async def spend(name: str, most: int, used: int) -> None:
            try:
                await budget.admit(Spend(1, most))
            except BudgetExceeded:
                log.append(f"{name} refused")
                return
            await asyncio.sleep(0)
            budget.settle(Spend(1, most), Spend(1, used))
            log.append(name)

        await asyncio.gather(spend("a", 90, 10), spend("b", 80, 20), spend("c", 90, 90))
        return log

    assert asyncio.run(run()) == ["a", "b", "c refused"]
    assert budget.spent == Spend(2, 30)


def test_a_cancelled_call_gives_its_reservation_back() -> None:
    async def hang(request: CompletionRequest) -> None:
        await asyncio.sleep(60)

    client = client_of(ScriptedEndpoint(delay=hang), budget=Budget(tokens=10_000))

    async def run() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await ask_choice(client, CallKey("Ada", 0, "act", 0))

    asyncio.run(run())
    assert client.budget.reserved == Spend()
    assert client.budget.spent.tokens > 0  # the endpoint may have done the work


def test_the_budget_stops_a_call_before_it_is_made_and_stores_nothing() -> None:
    endpoint, cassette = ScriptedEndpoint(), MemoryCassette()
    client = client_of(endpoint, budget=Budget(tokens=50), cassette=cassette)
    with pytest.raises(BudgetExceeded) as caught:
        ask(client)
    assert (caught.value.kind, caught.value.limit) == ("tokens", 50)
    assert endpoint.requests == []
    assert cassette.rows == {}


def test_time_is_a_limit_too_and_counts_over_a_resume() -> None:
    time = FakeTime()
    budget = Budget(seconds=10, clock=time.clock)
    time.now = 6
    later = Budget(seconds=10, clock=time.clock)
    later.load_spending(budget.spent, budget.elapsed)
    later.reserve(Spend())
    time.now = 10
    with pytest.raises(BudgetExceeded, match="seconds"):
        later.reserve(Spend())


def test_dollars_need_a_price() -> None:
    with pytest.raises(ConfigError, match="price of model 'odd' is not known"):
        client_of(ScriptedEndpoint(model="odd", price=None), budget=Budget(dollars=1))
    client_of(ScriptedEndpoint(model="odd", price=None), budget=Budget(tokens=1))
    client_of(ScriptedEndpoint(), budget=Budget(dollars=1))


@pytest.mark.parametrize("limit", [-1, float("nan")])
def test_limits_are_not_negative(limit: float) -> None:
    with pytest.raises(ConfigError, match="0 or more"):
        Budget(seconds=limit)
