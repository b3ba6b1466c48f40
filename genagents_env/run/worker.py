"""A thread of its own for a plain policy, so that one that hangs can be given up."""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[..., Any], tuple[Any, ...]]


class Worker:
    """Calls functions one after another in a daemon thread, which never keeps the process alive.

    While a call that was given up still runs, later ones wait behind it, and are given up too.
    """

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name=f"policy {name}", daemon=True).start()

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what `function` returns, or raise what it raises."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._jobs.put((loop, future, function, arguments))
        return await future

    def close(self) -> None:
        """End the thread once what it does is done."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            loop, future, function, arguments = job
            if future.cancelled():
                continue
            answer: Any = None
            failure: BaseException | None = None
            try:
                answer = function(*arguments)
            # Handed to the loop, which raises it where the call is awaited.
            except (Exception, SystemExit) as error:
                failure = error
            with suppress(RuntimeError):  # the loop is gone: nobody waits any more
                loop.call_soon_threadsafe(_settle, future, answer, failure)


def _settle(future: "asyncio.Future[Any]", answer: Any, failure: BaseException | None) -> None:
    if future.done():
        return
    if failure is None:
        future.set_result(answer)
    elif isinstance(failure, StopIteration):
        future.set_exception(RuntimeError("StopIteration"))  # a future refuses the original
    else:
        future.set_exception(failure)
