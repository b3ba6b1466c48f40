"""Signals that reach a worker while no run listens: kept, and passed on to the run that does."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Ears:
    """Whether a worker was told to stop before its run could hear it."""

    def __init__(self) -> None:
        self.heard: int | None = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take the signals inside; a thread other than the main one cannot, and need not."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._hear) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def pass_on(self) -> None:
        """Raise what was heard again, for the run that listens by now."""
        number, self.heard = self.heard, None
        if number is not None:
            signal.raise_signal(number)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.heard = self.heard or number
