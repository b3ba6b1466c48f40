"""A worker's end of the line to its sweep: the account that its run's budgets ask."""

import asyncio
import itertools
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

from genagents_env.errors import BudgetExceeded, ConfigError, RecordError
from genagents_env.llm.account import Account
from genagents_env.llm.budget import Spend
from genagents_env.run.spec import Progress
from genagents_env.sweep.spending.wire import (
    Address,
    Moment,
    decode,
    encode,
    keep_open,
    moment_to_json,
    pack,
)

ABANDONED = 70  # exit code of a worker whose sweep is gone
_SECONDS_TO_CONNECT = 20.0
_SECONDS_TO_CLOSE = 5.0
_SECONDS_BETWEEN_MOMENTS = 0.2


@dataclass(slots=True)
class _Asked:
    """An ask that has no answer yet, and where the answer goes."""

    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[dict[str, Any]]"
    most: Spend
    given_up: bool = False
    answer: dict[str, Any] | None = None
    returned: bool = False


class Line(Account):
    """Asks a `Teller` before every call, and tells it how far the trial is.

    A thread reads the answers. When the connection ends before `close`, the sweep is dead and
    nobody counts any more: the process ends at once, with exit code 70, and its run goes on from
    the last checkpoint when the sweep is resumed.

    Args:
        address: of the teller.
        trial: the name of the trial.
        clock: monotonic seconds; a test gives its own.

    Raises:
        ConfigError: nobody answers at `address`, or not to this token.
    """

    def __init__(
        self, address: Address, trial: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.trial = trial
        self._clock, self._told_at = clock, float("-inf")
        self._untold: Moment | None = None
        self._numbers = itertools.count(1)
        self._asked: dict[int, _Asked] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._socket, self._answers = _connected(address, trial)
        self._reader = threading.Thread(target=self._read, name=f"line {trial}", daemon=True)
        self._reader.start()

    async def admit(self, most: Spend) -> None:
        """Have `most` set aside by the sweep, waiting as long as it lets this wait.

        Raises:
            BudgetExceeded: it does not fit in the sweep's total beside what is already spent.
            RecordError: the sweep cannot write down what is spent.
        """
        loop = asyncio.get_running_loop()
        asked = _Asked(loop, loop.create_future(), most)
        number = next(self._numbers)
        with self._lock:
            if self._closed:
                raise RuntimeError("this line is closed")
            self._asked[number] = asked
        self._send({"ask": number, "most": pack(most)})
        try:
            answer = await asked.future
        except BaseException:  # cancelled: nobody will settle it
            self._give_up(number, asked)
            raise
        if "refused" in answer:
            raise _refusal(*answer["refused"])
        if "fault" in answer:
            raise RecordError(answer["fault"])

    def settle(self, most: Spend, used: Spend) -> None:
        """Give back `most` and spend `used`; never waits for an answer."""
        self._send({"settle": pack(most), "used": pack(used)})

    def tell(self, progress: Progress) -> None:
        """Tell the sweep how far the run is, at most five times a second, and at the end."""
        now = self._clock()
        self._untold = Moment(
            self.trial,
            progress.tick,
            progress.horizon,
            progress.calls,
            progress.tokens,
            progress.dollars,
            progress.asking,
        )
        if now - self._told_at >= _SECONDS_BETWEEN_MOMENTS:
            self._told_at = now
            self._tell_last()

    def close(self) -> None:
        """Tell the last moment and end the connection; safe to call twice."""
        self._tell_last()
        with self._lock:
            if self._closed:
                return
            self._closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        self._reader.join(_SECONDS_TO_CLOSE)  # until the sweep has heard everything
        self._socket.close()

    def _tell_last(self) -> None:
        moment, self._untold = self._untold, None
        if moment is not None:
            self._send({"moment": moment_to_json(moment)})

    def _send(self, message: dict[str, Any]) -> None:
        with self._lock:
            if self._closed:
                return
            with suppress(OSError):  # the reader sees the end of the connection, too
                self._socket.sendall(encode(message))

    def _give_up(self, number: int, asked: _Asked) -> None:
        """Take an ask back; what is granted nevertheless is given back unused."""
        with self._lock:
            asked.given_up = True
            waiting = number in self._asked
        if waiting:
            self._send({"withdraw": number})
        elif asked.answer is not None:  # here, for the loop may end before it is delivered
            self._return(asked, asked.answer)

    def _read(self) -> None:
        with suppress(OSError, ValueError, KeyError):  # an answer nobody can read ends it, too
            while line := self._answers.readline():
                self._hear(decode(line))
        if not self._closed:
            os._exit(ABANDONED)
        for number in list(self._asked):
            self._hear({"id": number, "fault": "the line to the sweep was closed"})

    def _hear(self, answer: dict[str, Any]) -> None:
        with self._lock:
            asked = self._asked.pop(answer["id"])
            asked.answer = answer
        if asked.given_up:
            self._return(asked, answer)
            return
        try:
            asked.loop.call_soon_threadsafe(self._deliver, asked, answer)
        except RuntimeError:  # that loop was closed without ending its tasks: nobody waits
            self._return(asked, answer)

    def _deliver(self, asked: _Asked, answer: dict[str, Any]) -> None:
        if asked.given_up or asked.future.done():
            self._return(asked, answer)
        else:
            asked.future.set_result(answer)

    def _return(self, asked: _Asked, answer: dict[str, Any]) -> None:
        """Give back what was granted to nobody, once."""
        with self._lock:
            again, asked.returned = asked.returned, True
        if set(answer) == {"id"} and not again:
            self.settle(asked.most, Spend())


def _connected(address: Address, trial: str) -> tuple[socket.socket, BinaryIO]:
    """Return a connection whose other end has said welcome, and its answers."""
    where = f"no sweep answers at {address.host}:{address.port}"
    try:
        connection = socket.create_connection((address.host, address.port), _SECONDS_TO_CONNECT)
    except OSError as error:
        raise ConfigError(f"{where}: {error}") from None
    try:
        keep_open(connection)
        connection.sendall(encode({"token": address.token, "trial": trial, "pid": os.getpid()}))
        answers = connection.makefile("rb")
        welcome = answers.readline()
        connection.settimeout(None)
        if welcome != encode({"welcome": True}):
            raise OSError("it does not know this worker")
    except OSError as error:
        connection.close()
        raise ConfigError(f"{where}: {error}") from None
    return connection, answers


def _refusal(kind: str, limit: float, value: float) -> BudgetExceeded:
    refusal = BudgetExceeded(kind, limit, value)
    # The advice of a run's own budget, an option of the command line, would not help here.
    refusal.args = (
        f"the sweep's budget is reached: {kind} would be {value:g} in all, limit {limit:g}; "
        "raise `total` in the experiment's [budget] to go on",
    )
    return refusal
