"""To wait for a shared budget or rate is no fault of the endpoint."""

from genagents_env.llm.budget import Budget, Spend
from genagents_env.llm.scripted import ScriptedEndpoint
from tests.llm.asking import FakeTime, ask, client_of, retry_on


class _Slow:
    """A shared budget for which one waits for longer than any call may last."""

    def __init__(self, time: FakeTime) -> None:
        self.time, self.open = time, 0

    async def admit(self, most: Spend) -> None:
        self.time.now += 1000
        self.open += 1

    def settle(self, most: Spend, used: Spend) -> None:
        self.open -= 1


def test_waiting_for_the_account_is_not_held_against_the_endpoint() -> None:
    time = FakeTime()
    shared = _Slow(time)
    client = client_of(ScriptedEndpoint(), budget=Budget(shared=shared), retry=retry_on(time))
    assert not ask(client).fallback
    assert shared.open == 0
