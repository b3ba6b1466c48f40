"""Running a coroutine to its end from plain code, in a notebook too."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


async def cancel_others() -> None:
    """Cancel every other task of this loop, and wait until all of them are gone."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what `coroutine` returns.

    Where a loop runs already in this thread, as in a notebook, it gets a thread of its own.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
