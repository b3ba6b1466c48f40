"""Signals that reach a worker while no run listens: kept, and passed on to the run that does."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from genagents_env.run.signals import handle_signals


class DeferredSignals:
    """Whether a worker was told to stop before its run could hear it."""

    def __init__(self) -> None:
        self.signal: int | None = None

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Take the signals inside, as far as this thread can."""
        with handle_signals(self._receive):
            yield

    def raise_again(self) -> None:
        """Raise what was heard again, for the run that listens by now."""
        number, self.signal = self.signal, None
        if number is not None:
            signal.raise_signal(number)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.signal = self.signal or number
