import asyncio
from collections.abc import Callable

import pytest

from genagents_env.errors import BudgetExceeded
from genagents_env.llm.budget import Budget, SharedBudget, Spend
from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.testing.fault_server import FaultServer
from tests.llm.asking import FakeTime, ask, ask_choice, client_of, endpoint_at, retry_on


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


def test_a_shared_budget_hears_of_every_attempt_before_and_after() -> None:
    shared = RecordingBudget()
    budget = Budget(shared=shared)
    with FaultServer({1: "503"}) as server:
        endpoint = endpoint_at(server.url, deadline=20)
        ask(client_of(endpoint, budget=budget, retry=retry_on(FakeTime())))
    assert [entry.split()[0] for entry in shared.log] == ["admit", "settle"] * 2
    assert shared.held == Spend()
    assert shared.spent == budget.spent
    assert shared.spent.calls == 2


def test_a_replayed_call_asks_no_shared_budget() -> None:
    shared, cassette = RecordingBudget(), MemoryCassette()
    ask(client_of(ScriptedEndpoint(), budget=Budget(shared=shared), cassette=cassette))
    log, budget = list(shared.log), Budget(shared=shared)
    ask(client_of(ScriptedEndpoint(), budget=budget, cassette=cassette))
    assert budget.spent == Spend()
    assert shared.log == log


def test_the_own_limit_comes_first() -> None:
    shared = RecordingBudget()
    budget = Budget(tokens=10, shared=shared)
    with pytest.raises(BudgetExceeded) as caught:
        asyncio.run(budget.admit(Spend(1, 11)))
    assert caught.value.limit == 10
    assert shared.log == []


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


def test_fits_says_now_later_or_never() -> None:
    budget = Budget(tokens=100)
    budget.load_spending(Spend(1, 30), 0.0)
    budget.reserve(Spend(1, 50))
    assert budget.fits(Spend(1, 20))
    assert not budget.fits(Spend(1, 21))
    assert not budget.fits(Spend(1, 70))
    with pytest.raises(BudgetExceeded, match="101"):
        budget.fits(Spend(1, 71))


class SlowBudget:
    """A shared budget whose wait is longer than any call may last."""

    def __init__(self, time: FakeTime) -> None:
        self.time, self.open = time, 0

    async def admit(self, most: Spend) -> None:
        self.time.now += 1000
        self.open += 1

    def settle(self, most: Spend, used: Spend) -> None:
        self.open -= 1


def test_waiting_for_a_shared_budget_extends_the_deadline_of_a_call() -> None:
    time = FakeTime()
    shared = SlowBudget(time)
    client = client_of(ScriptedEndpoint(), budget=Budget(shared=shared), retry=retry_on(time))
    assert not ask(client).fallback
    assert shared.open == 0
