"""SIGINT and SIGTERM: the first asks a run to stop at the next tick, the second stops it now.

A tick that waits for a model may last minutes, and after SIGTERM there is seldom that much time: a
tick that is not done after `GRACE` seconds is given up. Nothing is lost but calls under way.
"""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

GRACE = 5.0

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
Handler: TypeAlias = Callable[[int, FrameType | None], None]


@contextmanager
def handle_signals(handler: Handler) -> Iterator[None]:
    """Let `handler` take both signals inside.

    A thread other than the main one cannot take them, and need not.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Not `loop.add_signal_handler`: a tick that awaits nothing would not see the signal.
    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, signal.SIG_DFL if former is None else former)


class StopSignal:
    """Whether a run was asked to stop, and by which signal."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._task: asyncio.Task[object] | None = None
        self._grace: asyncio.TimerHandle | None = None

    @contextmanager
    def take(self) -> Iterator[None]:
        """Take the signals inside, as far as this thread can.

        It is the thread that calls: where a loop runs in it already, as in a notebook, the task
        runs in another one, which no signal reaches.
        """
        with handle_signals(self._receive):
            yield

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Let what `take` receives stop the task that runs inside; and what it has received."""
        self._task = asyncio.current_task()
        try:
            if self.signal is not None:
                self._start_grace()
            yield
        finally:
            self._task = None
            if self._grace is not None:
                self._grace.cancel()

    def _receive(self, number: int, frame: FrameType | None) -> None:
        first, self.signal = self.signal is None, self.signal or number
        task = self._task
        if task is not None:
            task.get_loop().call_soon_threadsafe(self._start_grace if first else task.cancel)

    def _start_grace(self) -> None:
        if self._task is not None:
            self._grace = self._task.get_loop().call_later(GRACE, self._task.cancel)


class DeferredSignals:
    """Whether this process was signalled to stop while no run listened: kept for the next run."""

    def __init__(self) -> None:
        self.signal: int | None = None

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Take the signals inside, as far as this thread can."""
        with handle_signals(self._receive):
            yield

    def raise_again(self) -> None:
        """Raise what was received again, for the run that listens by now."""
        number, self.signal = self.signal, None
        if number is not None:
            signal.raise_signal(number)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.signal = self.signal or number
