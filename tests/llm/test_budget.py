import asyncio
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.errors import BudgetExceeded, ConfigError
from genagents_env.llm.budget import Budget, SharedBudget, Spend, upper_bound
from genagents_env.llm.calls import CallKey, Completion, CompletionRequest, Message
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.prices import Price
from genagents_env.llm.scripted import ScriptedEndpoint, sample_schema
from genagents_env.rng import draw_index
from genagents_env.testing.fault_server import FaultServer
from tests.llm.asking import FakeTime, ask, ask_choice, client_of, endpoint_at, retry_on

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
        alone = client_of(Greedy(price=PRICE))
        ask(alone)
        next_one = budget.spent + alone.budget.spent
        assert next_one.calls > calls or next_one.tokens > tokens or next_one.dollars > dollars, (
            "it stopped before the budget was used up"
        )


def test_the_bound_holds_for_bytes_schema_and_messages() -> None:
    request = CompletionRequest((Message("user", "é" * 100),), {"a": "b" * 50}, max_tokens=70)
    bound = upper_bound(request, PRICE)
    assert bound.tokens > 200 + 50 + 70
    assert bound.dollars == PRICE.cost(bound.tokens - 70, 70)


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


class RecordingBudget(SharedBudget):
    """Writes down each call, and refuses or waits as configured."""

    def __init__(self, refuse: Callable[[Spend], bool] = lambda most: False) -> None:
        self.refuse = refuse
        self.log: list[str] = []
        self.held = Spend()
        self.spent = Spend()
        self.open = asyncio.Event()
        self.open.set()

    async def admit(self, most: Spend) -> None:
        self.log.append(f"admit {most.tokens}")
        await self.open.wait()
        if self.refuse(most):
            raise BudgetExceeded("tokens", 1, most.tokens)
        self.held += most

    def settle(self, most: Spend, used: Spend) -> None:
        self.log.append(f"settle {most.tokens} {used.tokens}")
        self.held -= most
        self.spent += used


def test_a_shared_budget_hears_of_every_attempt_before_and_after_and_of_no_replay() -> None:
    shared, cassette = RecordingBudget(), MemoryCassette()
    budget = Budget(shared=shared)
    with FaultServer({1: "503"}) as server:
        endpoint = endpoint_at(server.url, deadline=20)
        how = {"retry": retry_on(FakeTime()), "cassette": cassette}
        ask(client_of(endpoint, budget=budget, **how))
        again = client_of(endpoint, budget=Budget(shared=shared), **how)
        ask(again)
    assert [entry.split()[0] for entry in shared.log] == ["admit", "settle"] * 2
    assert again.budget.spent == shared.held == Spend()
    assert shared.spent == budget.spent
    assert shared.spent.calls == 2


def test_a_refusal_of_the_shared_budget_leaves_no_reservation() -> None:
    shared = RecordingBudget(lambda most: most.tokens == 70)
    budget = Budget(tokens=100, shared=shared)

    async def run() -> list[str]:
        order: list[str] = []

        async def spend(tokens: int) -> None:
            try:
                await budget.admit(Spend(1, tokens))
                order.append(f"{tokens} went")
            except BudgetExceeded:
                order.append(f"{tokens} was refused")

        with pytest.raises(BudgetExceeded, match="100"):  # its own limit comes first
            await budget.admit(Spend(1, 101))
        shared.open.clear()
        tasks = [asyncio.create_task(spend(tokens)) for tokens in (70, 60)]
        await asyncio.sleep(0)
        assert shared.log == ["admit 70"]  # 60 waits for what 70 has reserved here
        shared.open.set()
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == ["70 was refused", "60 went"]
    assert budget.reserved == Spend(1, 60)
    budget.settle(Spend(1, 60), Spend(1, 5))
    assert (budget.reserved, budget.spent) == (Spend(), Spend(1, 5))


def test_a_call_cancelled_while_the_shared_budget_lets_it_wait_leaves_nothing() -> None:
    shared = RecordingBudget()
    client = client_of(ScriptedEndpoint(), budget=Budget(tokens=10_000, shared=shared))

    async def run() -> None:
        shared.open.clear()
        task = asyncio.create_task(ask_choice(client, CallKey("Ada", 0, "act", 0)))
        while not shared.log:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert (client.budget.reserved, client.budget.spent) == (Spend(), Spend())
    assert shared.held == Spend()


def test_waiting_for_a_shared_budget_extends_the_deadline_of_a_call() -> None:
    time = FakeTime()

    def wait(most: Spend) -> bool:
        time.now += 1000  # longer than any call may last
        return False

    shared = RecordingBudget(wait)
    client = client_of(ScriptedEndpoint(), budget=Budget(shared=shared), retry=retry_on(time))
    assert not ask(client).fallback
    assert shared.held == Spend()
