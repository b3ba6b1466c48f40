"""A worker's client of the sweep's budget server: the shared budget that its run reserves from."""

import asyncio
import itertools
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from genagents_env.errors import BudgetExceeded, ConfigError, RecordError
from genagents_env.llm.budget import SharedBudget, Spend
from genagents_env.run.spec import Progress
from genagents_env.sweep.spending.protocol import (
    INTRODUCTION,
    MESSAGE,
    REPLY,
    WELCOME,
    Address,
    ClientMessage,
    Introduction,
    ReservationRequest,
    ServerReply,
    Settlement,
    TrialProgress,
    Withdrawal,
    decode,
    encode,
    keep_alive,
    to_amount,
)

ABANDONED = 70  # exit code of a worker whose sweep has ended
_SECONDS_TO_CONNECT = 20.0
_SECONDS_TO_CLOSE = 5.0
_SECONDS_BETWEEN_REPORTS = 0.2


@dataclass(slots=True)
class _PendingRequest:
    """A request that has no reply yet, and where the reply goes."""

    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[ServerReply]"
    amount: Spend
    cancelled: bool = False
    reply: ServerReply | None = None
    released: bool = False


class BudgetClient(SharedBudget):
    """Asks a `BudgetServer` before every call, and reports to it how far the trial is.

    A thread reads the replies. When the connection ends before `close`, the sweep has ended and
    calls are no longer counted: the process ends at once, with exit code 70, and its run resumes
    from the last checkpoint when the sweep is resumed.

    Args:
        address: of the server.
        trial: the name of the trial.
        clock: monotonic seconds; a test gives its own.

    Raises:
        ConfigError: nobody answers at `address`, or not to this token.
    """

    def __init__(
        self, address: Address, trial: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.trial = trial
        self._clock, self._reported_at = clock, float("-inf")
        self._unreported: TrialProgress | None = None
        self._numbers = itertools.count(1)
        self._pending: dict[int, _PendingRequest] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._socket, self._replies = _connect(address, trial)
        name = f"budget client {trial}"
        self._reader = threading.Thread(target=self._read, name=name, daemon=True)
        self._reader.start()

    async def admit(self, most: Spend) -> None:
        """Have the server reserve `most`, waiting as long as the server delays the reply.

        Raises:
            BudgetExceeded: it does not fit in the sweep's total beside what is already spent.
            RecordError: the sweep cannot store what is spent.
        """
        loop = asyncio.get_running_loop()
        request = _PendingRequest(loop, loop.create_future(), most)
        number = next(self._numbers)
        with self._lock:
            if self._closed:
                raise RuntimeError("this budget client is closed")
            self._pending[number] = request
        self._send(ReservationRequest(number, to_amount(most)))
        try:
            reply = await request.future
        except BaseException:  # cancelled: nobody will settle it
            self._cancel(number, request)
            raise
        if reply.refused is not None:
            raise _make_refusal(*reply.refused)
        if reply.fault is not None:
            raise RecordError(reply.fault)

    def settle(self, most: Spend, used: Spend) -> None:
        """Release the reservation `most` and spend `used`; never waits for a reply."""
        self._send(Settlement(to_amount(most), to_amount(used)))

    def report(self, progress: Progress) -> None:
        """Report how far the run is, at most five times a second, and at the end."""
        now = self._clock()
        self._unreported = TrialProgress(
            progress.tick,
            progress.horizon,
            progress.calls,
            progress.tokens,
            progress.dollars,
            progress.asking,
        )
        if now - self._reported_at >= _SECONDS_BETWEEN_REPORTS:
            self._reported_at = now
            self._report_last()

    def close(self) -> None:
        """Report the last progress and end the connection; safe to call twice."""
        self._report_last()
        with self._lock:
            if self._closed:
                return
            self._closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        self._reader.join(_SECONDS_TO_CLOSE)  # until the server has read everything
        self._socket.close()
        if not self._reader.is_alive():  # a stream that is being read would wait for its reader
            self._replies.close()

    def _report_last(self) -> None:
        progress, self._unreported = self._unreported, None
        if progress is not None:
            self._send(progress)

    def _send(self, message: ClientMessage) -> None:
        with self._lock:
            if self._closed:
                return
            with suppress(OSError):  # the reader sees the end of the connection, too
                self._socket.sendall(encode(MESSAGE, message))

    def _cancel(self, number: int, request: _PendingRequest) -> None:
        """Withdraw a request; what is granted nevertheless is released unused."""
        with self._lock:
            request.cancelled = True
            waiting = number in self._pending
        if waiting:
            self._send(Withdrawal(number))
        elif request.reply is not None:  # here, for the loop may end before it is delivered
            self._release(request, request.reply)

    def _read(self) -> None:
        # A reply that cannot be read ends the connection, too.
        with suppress(OSError, ValueError, KeyError):
            while line := self._replies.readline():
                self._handle(decode(REPLY, line))
        if not self._closed:
            os._exit(ABANDONED)
        for number in list(self._pending):
            self._handle(ServerReply(number, fault="the line to the sweep was closed"))

    def _handle(self, reply: ServerReply) -> None:
        with self._lock:
            request = self._pending.pop(reply.number)
            request.reply = reply
        if request.cancelled:
            self._release(request, reply)
            return
        try:
            request.loop.call_soon_threadsafe(self._deliver, request, reply)
        except RuntimeError:  # that loop was closed without ending its tasks: nobody waits
            self._release(request, reply)

    def _deliver(self, request: _PendingRequest, reply: ServerReply) -> None:
        if request.cancelled or request.future.done():
            self._release(request, reply)
        else:
            request.future.set_result(reply)

    def _release(self, request: _PendingRequest, reply: ServerReply) -> None:
        """Settle what was granted to nobody, once."""
        with self._lock:
            again, request.released = request.released, True
        if reply.is_grant and not again:
            self.settle(request.amount, Spend())


def _connect(address: Address, trial: str) -> tuple[socket.socket, BinaryIO]:
    """Return a connection whose other end has said welcome, and the stream of its replies."""
    where = f"no sweep answers at {address.host}:{address.port}"
    try:
        connection = socket.create_connection((address.host, address.port), _SECONDS_TO_CONNECT)
    except OSError as error:
        raise ConfigError(f"{where}: {error}") from None
    replies = connection.makefile("rb")
    try:
        keep_alive(connection)
        introduction = Introduction(address.token, trial, os.getpid())
        connection.sendall(encode(INTRODUCTION, introduction))
        welcome = replies.readline()
        connection.settimeout(None)
        if welcome != WELCOME:
            raise OSError("it does not know this worker")
    except OSError as error:
        replies.close()
        connection.close()
        raise ConfigError(f"{where}: {error}") from None
    return connection, replies


def _make_refusal(kind: str, limit: float, value: float) -> BudgetExceeded:
    refusal = BudgetExceeded(kind, limit, value)
    # The advice of a run's own budget, an option of the command line, would not help here.
    refusal.args = (
        f"the sweep's budget is reached: {kind} would be {value:g} in all, limit {limit:g}; "
        "raise `total` in the experiment's [budget] to go on",
    )
    return refusal
