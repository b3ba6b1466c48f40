"""What the tests of the language-model layer share: a reply, a clock without waiting, a client."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import wraps
from typing import Any, Literal, ParamSpec

from pydantic import BaseModel, Field

from genagents_env.llm.calls import CallKey, Endpoint, Message
from genagents_env.llm.client import ModelAnswer, ModelClient
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.retries import RetryPolicy

P = ParamSpec("P")
KEY = "sk-CANARY-0123456789abcdef0123456789abcdef"


class Choice(BaseModel):
    """A small reply with an enumeration, a bounded number and a text."""

    choice: Literal["park", "cafe"]
    rating: int = Field(ge=1, le=10)
    why: str


FALLBACK = Choice(choice="park", rating=1, why="")


class FakeTime:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def in_a_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Make a test of a coroutine."""

    @wraps(test)
    def run(*args: P.args, **options: P.kwargs) -> None:
        async def wait() -> None:
            await test(*args, **options)

        asyncio.run(wait())

    return run


def retry_on(time: FakeTime, **options: Any) -> RetryPolicy:
    return RetryPolicy(clock=time.clock, sleep=time.sleep, **options)


def endpoint_at(url: str, deadline: float = 5.0) -> OpenAIEndpoint:
    return OpenAIEndpoint(url, KEY, "any-model", attempt_deadline=deadline)


def ask(client: ModelClient, key: CallKey | None = None, **options: Any) -> ModelAnswer[Choice]:
    """Ask once in a loop of its own and close the connections."""

    async def run() -> ModelAnswer[Choice]:
        try:
            return await ask_choice(client, key or CallKey("Ada", 3, "act", 0), **options)
        finally:
            await client.aclose()

    return asyncio.run(run())


async def ask_choice(client: ModelClient, key: CallKey, **options: Any) -> ModelAnswer[Choice]:
    messages = (Message("system", "You live in a town."), Message("user", "Where to?"))
    return await client.ask(key, messages, Choice, fallback=FALLBACK, **options)


def ask_each(client: ModelClient, keys: Iterable[CallKey]) -> list[ModelAnswer[Choice]]:
    """Ask one after another."""

    async def run() -> list[ModelAnswer[Choice]]:
        return [await ask_choice(client, key) for key in keys]

    return asyncio.run(run())


def client_of(endpoint: Endpoint, **options: Any) -> ModelClient:
    return ModelClient(endpoint, **{"run_seed": 7, **options})
