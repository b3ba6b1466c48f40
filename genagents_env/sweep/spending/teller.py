"""Keeps the sweep's total and rate for workers in other processes, on this machine or another."""

import asyncio
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Spend
from genagents_env.record.lock import RunLock
from genagents_env.run.model import Limits
from genagents_env.sweep.spending.desk import Desk
from genagents_env.sweep.spending.journal import Journal
from genagents_env.sweep.spending.till import Till
from genagents_env.sweep.spending.window import Windows
from genagents_env.sweep.spending.wire import Address, Moment

if TYPE_CHECKING:
    from genagents_env.sweep.design.experiment import Rate

__all__ = ["Address", "Moment", "Teller"]


class Teller:
    """A thread of the sweep's process that workers ask before every call of a model.

    What it grants stands in the journal first, so that after any death of any process the journal
    says no less than was spent. What a worker that died had set aside counts as spent, and so does
    whatever is under way when this ends: end the workers first.

    Args:
        limits: of the whole sweep, what the journal says included; `seconds` is the wall clock of
            the sweep, its earlier sittings included.
        rate: requests and tokens a minute.
        journal: the file; made when missing, and locked while this lives.
        host: to listen on; workers on other machines need an address that they can reach.
        watch: told how far trials are, in the thread of the teller; quick, and raises nothing.
        clock: monotonic seconds; a test gives its own.

    Raises:
        ConfigError: a limit or a rate is not allowed, or (on entering) `host` cannot be used.
        RecordError: (on entering) the journal is damaged, or cannot be read.
        RunLocked: (on entering) another sweep writes the journal.
    """

    def __init__(
        self,
        limits: Limits,
        rate: "Rate",
        journal: Path,
        *,
        host: str = "127.0.0.1",
        watch: Callable[[Moment], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._till = Till(limits, rate, clock)
        self._journal = Journal(journal)
        self._desk = Desk(self._till, self._journal, watch or (lambda moment: None))
        self._host, self._token = host, secrets.token_urlsafe(32)
        self._opened: Future[int] = Future()
        self._closing: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=self._live, name="teller", daemon=True)
        self._failure: BaseException | None = None
        self._lock: RunLock | None = None

    def __enter__(self) -> Self:
        self._lock = RunLock(self._journal.path)
        try:
            self._journal.restore(self._till.budget)
            self._thread.start()
            self._opened.result()
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing()
        self._thread.join()
        if self._lock is not None:
            self._lock.release()
        if self._failure is not None and error is None:
            raise self._failure

    @property
    def address(self) -> Address:
        """Where the workers find it, and what they must know."""
        return Address(self._host, self._opened.result(), self._token)

    @property
    def spent(self) -> Spend:
        """What is spent, in earlier sittings too, without what is only set aside."""
        return self._till.budget.spent

    @property
    def exhausted(self) -> str | None:
        """The kind of limit that a call did not fit in, or None as long as all of them did."""
        limit = self._till.budget.seconds
        if limit is not None and self._till.budget.elapsed >= limit:
            return "seconds"
        return self._till.exhausted

    def workers(self) -> dict[str, int]:
        """Return the process id of each trial's worker that is connected now."""
        windows = list(self._desk.windows.values())
        return {window.trial: window.pid for window in windows if window.trial is not None}

    def _live(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # raised again in the sweep's own thread
            self._failure = error
            if not self._opened.done():
                self._opened.set_exception(error)

    async def _serve(self) -> None:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        try:
            server = await loop.create_server(Windows(self._desk, self._token), self._host, 0)
        except OSError as error:
            raise ConfigError(f"host {self._host!r} cannot be listened on: {error}") from None
        self._closing = lambda: loop.call_soon_threadsafe(over.set)
        self._opened.set_result(server.sockets[0].getsockname()[1])
        try:
            await over.wait()
        finally:
            server.close()
            self._desk.finish()
