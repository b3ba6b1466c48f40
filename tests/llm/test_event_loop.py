"""Event loops of plain code are closed with the last reference to them."""

import asyncio
import gc

from genagents_env.llm.event_loop import OwnLoop


async def find_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def run_and_forget() -> asyncio.AbstractEventLoop:
    """Return the loop of an `OwnLoop` that only a circle still holds."""
    own = OwnLoop()
    own.circle = own  # type: ignore[attr-defined]  # as a policy is held by what it made
    return own.run(find_loop())


def test_a_loop_that_nobody_closed_is_closed_with_its_last_reference() -> None:
    async def forget() -> asyncio.AbstractEventLoop:
        return forget_at_once()

    def forget_at_once() -> asyncio.AbstractEventLoop:
        loop = run_and_forget()
        gc.collect()
        return loop

    assert forget_at_once().is_closed()
    assert asyncio.run(forget()).is_closed()  # within another loop too
