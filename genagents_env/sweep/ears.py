"""Signals that reach a worker while no run listens: kept, and passed on to the run that does."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from genagents_env.run.signals import handle_signals


class Ears:
    """Whether a worker was told to stop before its run could hear it."""

    def __init__(self) -> None:
        self.heard: int | None = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take the signals inside, as far as this thread can."""
        with handle_signals(self._hear):
            yield

    def pass_on(self) -> None:
        """Raise what was heard again, for the run that listens by now."""
        number, self.heard = self.heard, None
        if number is not None:
            signal.raise_signal(number)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.heard = self.heard or number
