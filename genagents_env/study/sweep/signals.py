"""SIGINT and SIGTERM to a sweep: passed on to each worker once; late workers are killed."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType

from genagents_env.run.signals import GRACE, handle_signals

# Seconds for workers to end by themselves; then they are killed. A run gives its tick up after
# GRACE; the rest is for its checkpoint and its way here.
_PATIENCE = GRACE + 5.0
_PAUSE = 0.2


class SignalForwarder:
    """Whether a sweep was signalled to stop, and by which signal; the second one stops it now.

    Args:
        pids: the process of each trial under way. None where the workers
            cannot be signalled: the first signal is a KeyboardInterrupt then.
    """

    def __init__(self, pids: Callable[[], Mapping[str, int]] | None) -> None:
        self.signal: int | None = None
        self._pids = pids
        self._now, self._over = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Take the signals inside, as far as this thread can."""
        try:
            with handle_signals(self._receive):
                try:
                    yield
                finally:
                    self._over.set()
        finally:
            if self._thread is not None:
                self._thread.join()

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self.signal is not None:
            self._now.set()
            return
        self.signal = number
        if self._pids is None:
            raise KeyboardInterrupt
        self._thread = threading.Thread(
            target=self._forward, args=(self._pids,), name="signal forwarder", daemon=True
        )
        self._thread.start()

    def _forward(self, pids: Callable[[], Mapping[str, int]]) -> None:
        """Signal every worker, those too that connect only now; kill those that do not end."""
        signalled: set[int] = set()
        until = time.monotonic() + _PATIENCE
        while True:
            late = self._now.is_set() or time.monotonic() > until
            for pid in sorted(set(pids().values())):
                with suppress(ProcessLookupError):
                    if late:
                        os.kill(pid, signal.SIGKILL)
                    elif pid not in signalled:
                        os.kill(pid, signal.SIGTERM)
                signalled.add(pid)
            if self._over.wait(_PAUSE):
                return
