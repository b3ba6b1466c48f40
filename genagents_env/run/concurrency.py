"""Threads for plain code beside coroutines, and the errors of several tasks."""

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn, TypeAlias, TypeVar

from genagents_env.errors import GenagentsError

T = TypeVar("T")
_Future: TypeAlias = "asyncio.Future[object]"


async def cancel_others() -> None:
    """Cancel every other task of this loop, and wait for their ends."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def raise_first(several: BaseExceptionGroup[BaseException]) -> NoReturn:
    """Raise the first error meant for the run, or else the first of all."""
    first: BaseException = several.subgroup(GenagentsError) or several
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    raise first


def collect_results(outcomes: Sequence[T | BaseException]) -> list[T]:
    """Return the results of `asyncio.gather`, or raise the most serious exception among them.

    All are awaited before one is raised, so that every answer is stored.
    """
    failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    if failures:
        raise next((f for f in failures if isinstance(f, GenagentsError)), failures[0])
    return [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]


class Worker:
    """Calls functions one after another in a daemon thread, so that the process can end.

    While a call that timed out still runs, later calls wait for it, and time out too.
    """

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[tuple[_Future, Callable[[], object]] | None]
        self._jobs = queue.SimpleQueue()
        threading.Thread(target=self._run, name=f"policy {name}", daemon=True).start()

    async def call(self, function: Callable[..., object], *arguments: object) -> object:
        """Call `function` in the thread, and return its result or raise its error."""
        future: _Future = asyncio.get_running_loop().create_future()
        self._jobs.put((future, lambda: function(*arguments)))
        return await future

    def close(self) -> None:
        """End the thread after its present call."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            if future.cancelled():
                continue
            answer: object = None
            failure: BaseException | None = None
            try:
                answer = call()
            except StopIteration:
                failure = RuntimeError("StopIteration")  # a future refuses StopIteration
            # Raised where the call is awaited.
            except (Exception, SystemExit) as error:
                failure = error
            with suppress(RuntimeError):  # the loop is closed
                future.get_loop().call_soon_threadsafe(_settle, future, answer, failure)


def _settle(future: _Future, answer: object, failure: BaseException | None) -> None:
    if future.done():
        return
    if failure is None:
        future.set_result(answer)
    else:
        future.set_exception(failure)
