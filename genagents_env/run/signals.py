"""SIGINT and SIGTERM: the first asks a run to stop at the next tick, the second stops it now.

A tick that waits for a model may last minutes, and after SIGTERM there is seldom that much time: a
tick that is not done after `GRACE` seconds is cancelled. Only calls under way are lost.
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
    """Handle both signals inside by `handler`; only the main thread can, others do nothing."""
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
        """Handle the signals inside, as far as this thread can.

        Call it in the main thread: in a notebook, where that already runs a loop, the task runs in
        another thread, which gets no signals.
        """
        with handle_signals(self._receive):
            yield

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Stop the task inside by signals that `take` receives or has received."""
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
    """Remembers a signal received while no run listened, for the next run."""

    def __init__(self) -> None:
        self.signal: int | None = None

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Handle the signals inside, as far as this thread can."""
        with handle_signals(self._receive):
            yield

    def raise_again(self) -> None:
        """Raise the remembered signal again, for the run that now listens."""
        number, self.signal = self.signal, None
        if number is not None:
            signal.raise_signal(number)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.signal = self.signal or number
