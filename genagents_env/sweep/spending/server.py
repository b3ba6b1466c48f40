"""The budget server: a sweep's total and rate limit, kept for workers in other processes.

`ReservationQueue` decides, without any waiting; `BudgetServer` is the thread that answers workers.
"""

import asyncio
import itertools
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from genagents_env.errors import BudgetExceeded, ConfigError
from genagents_env.llm.budget import Budget, Limits, Spend
from genagents_env.record.lock import RunLock
from genagents_env.sweep.design.experiment import RateLimit
from genagents_env.sweep.spending.journal import Journal
from genagents_env.sweep.spending.protocol import (
    REPLY,
    Address,
    ClientMessage,
    ReservationRequest,
    ServerReply,
    Settlement,
    TrialProgress,
    Withdrawal,
    WorkerConnection,
    encode,
)

Watch: TypeAlias = Callable[[str, TrialProgress], None]

_MINUTE = 60.0
_ROUNDING = 1e-6  # of float seconds times amounts
_FLUSH_SECONDS = 0.2


class TokenBucket:
    """So much a minute, as a bucket of tokens that fills evenly.

    It holds at most one minute's amount, and is full at first. A request for more than that waits
    for a full bucket and leaves it in debt. So over any time no more is taken beyond the rate than
    one minute's amount, or the largest request where that is more.

    Args:
        per_minute: the rate; None is no limit.
        clock: monotonic seconds.
        name: of the rate, for the error.

    Raises:
        ConfigError: the rate is below 1.
    """

    def __init__(self, per_minute: int | None, clock: Callable[[], float], name: str) -> None:
        if per_minute is not None and not per_minute >= 1:
            raise ConfigError(f"rate: {name} is {per_minute}, must be 1 or more")
        self.size = float("inf") if per_minute is None else float(per_minute)
        self._level, self._clock, self._filled_at = self.size, clock, clock()

    def wait(self, amount: int) -> float:
        """Return the seconds until `amount` may be taken, 0 when it may be now."""
        self._fill()
        missing = min(float(amount), self.size) - self._level
        return missing * _MINUTE / self.size if missing > _ROUNDING else 0.0

    def take(self, amount: int) -> None:
        """Take `amount`, whether it may be taken or not; below 0 it is given back."""
        self._fill()
        self._level = min(self.size, self._level - amount)

    def _fill(self) -> None:
        now = self._clock()
        passed = now - self._filled_at
        gained = passed * self.size / _MINUTE if passed > 0 else 0.0
        self._level, self._filled_at = min(self.size, self._level + gained), now


@dataclass(frozen=True, slots=True)
class Reservation:
    """What one worker wants reserved; `number` is the worker's own name for it."""

    worker: int
    number: int
    amount: Spend


@dataclass(frozen=True, slots=True)
class ReservationDecision:
    """The decision on a reservation: granted where `refusal` is None."""

    reservation: Reservation
    refusal: BudgetExceeded | None


class ReservationQueue:
    """Decides reservations strictly in their order, so that none starves.

    The first in the queue waits for the rate, and for reservations of calls in flight if nothing
    else stands in its way; those behind it wait with it.

    Args:
        limits: of all workers together.
        rate: of all workers together.
        clock: monotonic seconds.

    Attributes:
        exhausted: the kind of limit that the last refusal was about, or None.
    """

    def __init__(
        self, limits: Limits, rate: RateLimit, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.budget = Budget(
            limits.calls, limits.tokens, limits.dollars, limits.seconds, clock=clock
        )
        self.exhausted: str | None = None
        self._requests = TokenBucket(rate.requests_per_minute, clock, "requests_per_minute")
        self._tokens = TokenBucket(rate.tokens_per_minute, clock, "tokens_per_minute")
        self._queue: deque[Reservation] = deque()
        self._reserved: dict[int, Spend] = {}

    @property
    def committed(self) -> Spend:
        """What is spent, and what calls in flight may still spend."""
        return self.budget.spent + self.budget.reserved

    def add(self, reservation: Reservation) -> None:
        """Put `reservation` at the end of the queue."""
        self._queue.append(reservation)

    def withdraw(self, worker: int, number: int) -> bool:
        """Take a reservation out of the queue; False if it does not wait there (any more)."""
        for one in self._queue:
            if (one.worker, one.number) == (worker, number):
                self._queue.remove(one)
                return True
        return False

    def settle(self, worker: int, reserved: Spend, used: Spend) -> None:
        """Release what the worker had reserved, spend `used`, and correct the rate.

        Raises:
            ValueError: the worker has not that much reserved.
        """
        left = self._reserved.get(worker, Spend()) - reserved
        if left.calls < 0 or left.tokens < 0 or left.dollars < 0:
            raise ValueError("more is settled than was reserved")
        self._reserved[worker] = left
        self.budget.settle(reserved, used)
        self._requests.take(used.calls - reserved.calls)
        self._tokens.take(used.tokens - reserved.tokens)

    def remove(self, worker: int) -> None:
        """Forget a worker; what it had reserved is spent, for nobody will say how much was."""
        self._queue = deque(one for one in self._queue if one.worker != worker)
        reserved = self._reserved.pop(worker, Spend())
        self.budget.settle(reserved, reserved)

    def decide(self) -> list[ReservationDecision]:
        """Return the decisions that can be made now, in order; what is granted is reserved."""
        decisions: list[ReservationDecision] = []
        while self._queue:
            first = self._queue[0]
            try:
                if not self.budget.fits(first.amount) or self._rate_wait(first.amount) > 0:
                    break
            except BudgetExceeded as refusal:
                self.exhausted = refusal.kind
                decisions.append(ReservationDecision(first, refusal))
            else:
                self._grant(first)
                decisions.append(ReservationDecision(first, None))
            self._queue.popleft()
        return decisions

    def wait(self) -> float | None:
        """Return the seconds after which the mere passing of time may allow a decision."""
        if not self._queue:
            return None
        waits = []
        if self.budget.seconds is not None:
            waits.append(max(0.0, self.budget.seconds - self.budget.elapsed))
        rate = self._rate_wait(self._queue[0].amount)
        if rate > 0:
            waits.append(rate)
        return min(waits, default=None)

    def _rate_wait(self, amount: Spend) -> float:
        return max(self._requests.wait(amount.calls), self._tokens.wait(amount.tokens))

    def _grant(self, reservation: Reservation) -> None:
        worker, amount = reservation.worker, reservation.amount
        self.budget.reserve(amount)
        self._reserved[worker] = self._reserved.get(worker, Spend()) + amount
        self._requests.take(amount.calls)
        self._tokens.take(amount.tokens)


class BudgetServer:
    """A thread of the sweep's process that workers ask before every call of a model.

    What it grants stands in the journal first, so that whichever process is killed, the journal
    says no less than was spent. What a killed worker had reserved counts as spent, and so does
    whatever is under way when this ends: end the workers first.

    Args:
        limits: of the whole sweep, what the journal says included; `seconds` is the wall clock of
            the sweep, its earlier sessions included.
        rate: requests and tokens a minute.
        journal: the file; made when missing, and locked while the server runs.
        host: to listen on; workers on other machines need an address that they can reach.
        watch: called in the server's thread with a trial and its progress; must not block or raise.
        clock: monotonic seconds; a test gives its own.

    Raises:
        ConfigError: a limit or a rate is not allowed, or (on entering) `host` cannot be used.
        RecordError: (on entering) the journal is damaged, or cannot be read.
        RunLocked: (on entering) another sweep writes the journal.
    """

    def __init__(
        self,
        limits: Limits,
        rate: RateLimit,
        journal: Path,
        *,
        host: str = "127.0.0.1",
        watch: Watch | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = ReservationQueue(limits, rate, clock)
        self._journal = Journal(journal)
        self._dispatcher = _Dispatcher(self._queue, self._journal, watch or (lambda *_: None))
        self._host, self._token = host, secrets.token_urlsafe(32)
        self._port: Future[int] = Future()
        self._stop: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=self._run, name="budget server", daemon=True)
        self._failure: BaseException | None = None
        self._lock: RunLock | None = None

    def __enter__(self) -> Self:
        self._lock = RunLock(self._journal.path)
        try:
            self._journal.restore(self._queue.budget)
            self._thread.start()
            self._port.result()
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
        self._stop()
        self._thread.join()
        if self._lock is not None:
            self._lock.release()
        if self._failure is not None and error is None:
            raise self._failure

    @property
    def address(self) -> Address:
        """Where the workers find it, and what they must know."""
        return Address(self._host, self._port.result(), self._token)

    @property
    def spent(self) -> Spend:
        """What is spent, in earlier sessions too, without what is only reserved."""
        return self._queue.budget.spent

    @property
    def exhausted(self) -> str | None:
        """The kind of limit that a call did not fit in, or None as long as all of them did."""
        budget = self._queue.budget
        if budget.seconds is not None and budget.elapsed >= budget.seconds:
            return "seconds"
        return self._queue.exhausted

    def workers(self) -> dict[str, int]:
        """Return the process id of each trial's worker that is connected now."""
        connections = list(self._dispatcher.connections.values())
        return {one.trial: one.pid for one in connections if one.trial is not None}

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # raised again in the sweep's own thread
            self._failure = error
            if not self._port.done():
                self._port.set_exception(error)

    async def _serve(self) -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        numbers = itertools.count(1)
        try:
            server = await loop.create_server(
                lambda: WorkerConnection(self._dispatcher, next(numbers), self._token),
                self._host,
                0,
            )
        except OSError as error:
            raise ConfigError(f"host {self._host!r} cannot be listened on: {error}") from None
        self._stop = lambda: loop.call_soon_threadsafe(stopped.set)
        self._port.set_result(server.sockets[0].getsockname()[1])
        try:
            await stopped.wait()
        finally:
            server.close()
            self._dispatcher.finish()


class _Dispatcher:
    """Joins queue, journal and connections; runs on the event loop of the server's thread.

    Args:
        queue: decides.
        journal: what is granted is written to it before the worker is answered.
        watch: called with the progress of trials.

    Attributes:
        connections: by number.
    """

    def __init__(self, queue: ReservationQueue, journal: Journal, watch: Watch) -> None:
        self.queue, self.journal, self._watch = queue, journal, watch
        self.connections: dict[int, WorkerConnection] = {}
        self._watch_failure: Exception | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._flush: asyncio.TimerHandle | None = None

    def connect(self, connection: WorkerConnection) -> None:
        """Register a new connection."""
        self.connections[connection.number] = connection

    def handle(self, connection: WorkerConnection, message: ClientMessage) -> None:
        """Do what a worker says, or raise ValueError."""
        worker = connection.number
        match message:
            case ReservationRequest(number, amount):
                self.queue.add(Reservation(worker, number, Spend(*amount)))
            case Settlement(reserved, used):
                self.queue.settle(worker, Spend(*reserved), Spend(*used))
            case Withdrawal(number):
                if self.queue.withdraw(worker, number):
                    connection.send(encode(REPLY, ServerReply(number, withdrawn=True)))
            case TrialProgress():
                self._report(connection.trial or "", message)

    def disconnect(self, connection: WorkerConnection) -> None:
        """Count as spent what a worker has not settled."""
        self.connections.pop(connection.number, None)
        self.queue.remove(connection.number)

    def dispatch(self) -> None:
        """Answer what can be answered now, and again when passing time may allow more."""
        while decisions := self.queue.decide():
            fault = self._write_journal()
            for decision in decisions:
                self._answer(decision, fault)
        self._set_timer()
        self._write_journal_soon()

    def finish(self) -> None:
        """Count what is still reserved as spent, and write the journal a last time."""
        for timer in (self._timer, self._flush):
            if timer is not None:
                timer.cancel()
        for connection in list(self.connections.values()):
            connection.close()
            self.disconnect(connection)
        self.journal.write(self.queue.committed, self.queue.budget.elapsed)
        self.journal.close()
        if self._watch_failure is not None:
            raise self._watch_failure

    def _report(self, trial: str, progress: TrialProgress) -> None:
        """Pass `progress` on; a watcher that raises is not called again, and raises in the end."""
        if self._watch_failure is not None:
            return
        try:
            self._watch(trial, progress)
        except Exception as failure:  # the workers' connections must not break for it
            self._watch_failure = failure

    def _write_journal(self) -> str | None:
        """Write what is committed where the journal says otherwise; return what prevented it."""
        committed = self.queue.committed
        try:
            if self.journal.written != committed:
                self.journal.write(committed, self.queue.budget.elapsed)
        except OSError as error:
            return f"{self.journal.path}: what is spent cannot be written ({error.strerror})"
        return None

    def _answer(self, decision: ReservationDecision, fault: str | None) -> None:
        reservation, refusal = decision.reservation, decision.refusal
        reply = ServerReply(reservation.number)
        if refusal is not None:
            reply = replace(reply, refused=(refusal.kind, refusal.limit, refusal.value))
        elif fault is not None:
            self.queue.settle(reservation.worker, reservation.amount, Spend())
            reply = replace(reply, fault=fault)
        self.connections[reservation.worker].send(encode(REPLY, reply))

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        wait = self.queue.wait()
        loop = asyncio.get_running_loop()
        self._timer = None if wait is None else loop.call_later(wait, self.dispatch)

    def _write_journal_soon(self) -> None:
        """Write the journal soon: until then it says too much, which a restart would take as spent.

        Where an endpoint billed more than the bound, it says too little, and cannot wait.
        """
        committed = self.queue.committed
        if not self.journal.covers(committed):
            self._write_journal()
        elif self._flush is None and self.journal.written != committed:
            self._flush = asyncio.get_running_loop().call_later(_FLUSH_SECONDS, self._flush_now)

    def _flush_now(self) -> None:
        self._flush = None
        self._write_journal()
