"""Event loops for plain code, also where a loop already runs, as in a notebook."""

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")


class OwnLoop:
    """An event loop that runs only during `run`; unfinished tasks continue in the next call.

    It runs in a thread of its own if the calling thread already runs a loop. It is closed with its
    last reference, too.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._close_runner = weakref.finalize(self, _close, self._runner)
        self._pool: ThreadPoolExecutor | None = None
        self._task: asyncio.Task[object] | None = None
        self._begun = threading.Event()

    def run(self, coroutine: Coroutine[object, object, T]) -> T:
        """Run `coroutine` and return its result.

        A KeyboardInterrupt of the caller cancels it, waits for its end, and is raised.
        """
        if not is_loop_running():
            return self._runner.run(coroutine)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="event loop")
        self._begun.clear()
        result = self._pool.submit(self._runner.run, self._begin(coroutine))
        try:
            return result.result()
        except BaseException:
            if not result.done():
                self._cancel()
                wait([result])
            raise

    def close(self) -> None:
        """Cancel what is under way and close the loop; safe to call twice."""
        self._close_runner()
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    async def _begin(self, coroutine: Coroutine[object, object, T]) -> T:
        self._task = asyncio.current_task()
        self._begun.set()
        return await coroutine

    def _cancel(self) -> None:
        self._begun.wait()
        if self._task is not None:
            self._runner.get_loop().call_soon_threadsafe(self._task.cancel)


def _close(runner: asyncio.Runner) -> None:
    if not is_loop_running():
        runner.close()
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(runner.close).result()


def is_loop_running() -> bool:
    """Return True if an event loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def run_sync(coroutine: Coroutine[object, object, T]) -> T:
    """Run `coroutine` in a new loop, and return its result; see `OwnLoop.run`."""
    loop = OwnLoop()
    try:
        return loop.run(coroutine)
    finally:
        loop.close()
