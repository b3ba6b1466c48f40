"""One budget for all workers of a sweep: a small SQLite file that each reserves from.

What a call may cost is reserved before it is made, in a transaction, so that whichever process is
killed, the ledger says no less than was spent. A worker holds a lock file while it lives; what a
dead one had reserved counts as spent. Only processes of one machine open a ledger; workers
elsewhere get a part of the budget, and a ledger of their own for it.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Self

from genagents_env.errors import BudgetExceeded, RecordError, RunLocked
from genagents_env.llm.budget import NO_LIMITS, Limits, SharedBudget, Spend, list_exceeded
from genagents_env.record.lock import RunLock, check_alone, check_beside
from genagents_env.record.rows import JSON
from genagents_env.run.spec import Progress
from genagents_env.study.sweep.design.fields import NO_RATE_LIMIT, RateLimit

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spent (
  calls INT, tokens INT, dollars TEXT, seconds REAL, exhausted TEXT
);
CREATE TABLE IF NOT EXISTS workers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, trial TEXT, pid INT, calls INT, tokens INT, dollars TEXT,
  tick INT, horizon INT, asked_calls INT, asked_tokens INT, asked_dollars REAL, asking INT
);
CREATE TABLE IF NOT EXISTS queue (id INTEGER PRIMARY KEY AUTOINCREMENT, worker INT);
CREATE TABLE IF NOT EXISTS adopted (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS rate (kind TEXT PRIMARY KEY, level REAL, at REAL);
"""
_PATIENCE = 30.0  # seconds for another process to end its transaction
_PAUSE = 0.02  # between two looks of one who waits
_REAP = 1.0  # seconds of waiting after which workers are looked after
_REPORTS = 0.2  # seconds between two reports of a run's progress
_ELSEWHERE = 0  # the process of a worker on another machine
_MINUTE = 60.0
_ROUNDING = 1e-6  # of float seconds times amounts


@dataclass(frozen=True, slots=True)
class TrialProgress:
    """How far a trial is; `dollars` is None where no price is known, `asking` in interviews."""

    tick: int
    horizon: int
    calls: int
    tokens: int
    dollars: float | None
    asking: bool


class SharedLedger(SharedBudget):
    """The budget of a sweep, as one process uses it.

    Args:
        path: of the file; made where it is missing.
        limits: of all workers together, earlier sessions included.
        rate: of all workers together: each kind is a bucket that fills evenly, holds at most one
            minute's amount, and is full at first.
        trial: what this process runs; None watches alone.
        clock: seconds since 1970, which all processes share.

    Raises:
        RecordError: the file is damaged, or cannot be opened.
    """

    def __init__(
        self,
        path: Path,
        limits: Limits = NO_LIMITS,
        rate: RateLimit = NO_RATE_LIMIT,
        trial: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path, self.limits, self.rate, self._clock = path, limits, rate, clock
        self._turn: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reported_at = 0.0
        self._unreported: Progress | None = None
        self._worker: int | None = None
        self._lock: RunLock | None = None
        self._file = self._open()
        if trial is not None:
            self._register(trial)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    @property
    def spent(self) -> Spend:
        """What is spent, in earlier sessions too, without what is only reserved."""
        calls, tokens, dollars = self._ask("SELECT calls, tokens, dollars FROM spent")
        return Spend(calls, tokens, Decimal(dollars))

    @property
    def exhausted(self) -> str | None:
        """The kind of limit that a call did not fit in, or None as long as all of them did."""
        seconds, kind = self._ask("SELECT seconds, exhausted FROM spent")
        if self.limits.seconds is not None and seconds >= self.limits.seconds:
            return "seconds"
        return None if kind is None else str(kind)

    def list_running(self) -> dict[str, tuple[int, TrialProgress | None]]:
        """Return of each trial under way its process, and how far it is once it has said so."""
        rows = self._file.execute(
            "SELECT trial, pid, tick, horizon, asked_calls, asked_tokens, asked_dollars, asking "
            "FROM workers WHERE pid != ?",
            (_ELSEWHERE,),
        ).fetchall()
        return {
            trial: (pid, None if tick is None else TrialProgress(tick, of, c, t, d, bool(asking)))
            for trial, pid, tick, of, c, t, d, asking in rows
        }

    async def admit(self, most: Spend) -> None:
        """Reserve `most`, after all who asked before; wait for the rate and for calls in flight.

        Raises:
            BudgetExceeded: it does not fit in the total beside what is already spent.
            RecordError: the ledger cannot be written.
        """
        loop = asyncio.get_running_loop()
        if self._turn is None or self._loop is not loop:
            self._turn, self._loop = asyncio.Lock(), loop
        async with self._turn:  # one of this process waits in the file, the rest for it
            with self._guard():
                ticket, wait = self._try(most, None)
            try:
                since = self._clock()
                while wait is not None:
                    await asyncio.sleep(min(wait, _PAUSE))
                    with self._guard():
                        if self._clock() - since > _REAP:
                            self.reap()
                            since = self._clock()
                        if self._is_first(ticket):
                            ticket, wait = self._try(most, ticket)
            except BaseException:  # refused, or cancelled: nobody will make the call
                with suppress(sqlite3.Error):
                    self._file.execute("DELETE FROM queue WHERE id = ?", (ticket,))
                raise

    def settle(self, most: Spend, used: Spend) -> None:
        """Release the reservation `most` and spend `used`, and correct the rate."""
        with self._guard(), self._write():
            self._hold(Spend() - most)
            self._add(used)
            self._take(used - most)

    def report(self, progress: Progress) -> None:
        """Note how far the run is, at most five times a second, and at the end."""
        self._unreported, now = progress, self._clock()
        if now - self._reported_at >= _REPORTS:
            self._reported_at = now
            self._report_last()

    def spend(self, used: Spend, seconds: float = 0.0) -> None:
        """Count what was spent elsewhere, and seconds of wall clock."""
        with self._guard(), self._write():
            self._add(used)
            self._file.execute("UPDATE spent SET seconds = seconds + ?", (seconds,))

    def adopt(self, mark: str, used: Spend) -> None:
        """Count what was spent elsewhere under this mark, unless it is counted already."""
        with self._guard(), self._write():
            row = self._file.execute("INSERT OR IGNORE INTO adopted VALUES (?)", (mark,))
            if row.rowcount == 1:
                self._add(used)

    def give_part(self, trial: str, parts: int) -> Limits:
        """Reserve an equal part of what is left for a worker on another machine."""
        with self._guard(), self._write():
            (given,) = self._ask("SELECT count(*) FROM workers WHERE pid = ?", _ELSEWHERE)
            taken = self.spent + self._sum_reserved()
            part = part_budget(self.limits, taken, max(1, parts - given))
            self._insert_worker(trial, _ELSEWHERE, bound_spend(part))
            return part

    def return_part(self, trial: str, used: Spend) -> None:
        """Release the part of a trial, and spend what it used of it."""
        with self._guard(), self._write():
            self._file.execute(
                "DELETE FROM workers WHERE trial = ? AND pid = ?", (trial, _ELSEWHERE)
            )
            self._add(used)

    def begin(self) -> None:
        """Begin a session: what dead workers held is spent, and its limits may be larger."""
        self.reap()
        self.lose_parts()
        with self._guard(), self._write():
            self._file.execute("UPDATE spent SET exhausted = NULL")

    def lose_parts(self) -> None:
        """Count all parts as spent that were given and did not return."""
        with self._guard(), self._write():
            query = "SELECT id FROM workers WHERE pid = ?"
            for (worker,) in self._file.execute(query, (_ELSEWHERE,)).fetchall():
                self._forget(worker)

    def reap(self) -> None:
        """Count as spent what workers of this machine had reserved that are no more."""
        query = "SELECT id FROM workers WHERE pid != ?"
        for (worker,) in self._file.execute(query, (_ELSEWHERE,)).fetchall():
            if worker == self._worker:
                continue
            try:
                lock = RunLock(self._name_worker(worker), patience=0.0)
            except RunLocked:
                continue
            with self._write():
                self._forget(worker)
            lock.release()

    def close(self) -> None:
        """Note the last progress and leave; what is still reserved counts as spent. Safe twice."""
        if self._worker is not None:
            self._report_last()
            with suppress(sqlite3.Error), self._write():
                self._forget(self._worker)
            self._worker = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        self._file.close()

    def _open(self) -> sqlite3.Connection:
        with suppress(FileNotFoundError):
            check_alone(self.path)
        check_beside(self.path)
        file = sqlite3.connect(
            self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing
            file.executescript(_SCHEMA)
            file.execute("BEGIN IMMEDIATE")
            if file.execute("SELECT count(*) FROM spent").fetchone() == (0,):
                file.execute("INSERT INTO spent VALUES (0, 0, '0', 0, NULL)")
            file.execute("COMMIT")
        except sqlite3.Error as error:
            file.close()
            raise RecordError(
                f"{self.path}: it does not say what was spent ({error}); restore it, or begin the "
                "sweep in another folder"
            ) from None
        return file

    def _register(self, trial: str) -> None:
        """Enter this process, under a lock that ends with it."""
        with self._guard(), self._write():
            self._worker = self._insert_worker(trial, os.getpid(), Spend())
            self._lock = RunLock(self._name_worker(self._worker))

    def _insert_worker(self, trial: str, pid: int, held: Spend) -> int:
        row = self._file.execute(
            "INSERT INTO workers (trial, pid, calls, tokens, dollars) VALUES (?, ?, ?, ?, ?)",
            (trial, pid, held.calls, held.tokens, str(held.dollars)),
        )
        return int(row.lastrowid or 0)

    def _name_worker(self, worker: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{worker}")

    def _try(self, most: Spend, ticket: int | None) -> tuple[int | None, float | None]:
        """Reserve `most` if it is its turn; else return a ticket, and how long to wait at least."""
        with self._write():
            if ticket is None and self._file.execute("SELECT 1 FROM queue LIMIT 1").fetchone():
                return self._enqueue(), _PAUSE
            reserved = self._sum_reserved()
            self._refuse(self.spent + most)
            wait = self._find_wait(most)
            if list_exceeded(self.limits, self.spent + reserved + most) or wait > 0:
                return (self._enqueue() if ticket is None else ticket), max(wait, _PAUSE)
            self._hold(most)
            self._take(most)
            self._file.execute("DELETE FROM queue WHERE id = ?", (ticket,))
            return None, None

    def _enqueue(self) -> int:
        row = self._file.execute("INSERT INTO queue (worker) VALUES (?)", (self._worker,))
        return int(row.lastrowid or 0)

    def _is_first(self, ticket: int | None) -> bool:
        return bool(self._ask("SELECT min(id) FROM queue")[0] == ticket)

    def _refuse(self, total: Spend) -> None:
        kinds = list_exceeded(self.limits, total)
        seconds = self._ask("SELECT seconds FROM spent")[0]
        if self.limits.seconds is not None and seconds >= self.limits.seconds:
            raise _make_refusal("seconds", self.limits.seconds, seconds)
        if kinds:
            self._file.execute("UPDATE spent SET exhausted = ?", (kinds[0],))
            limit, value = getattr(self.limits, kinds[0]), getattr(total, kinds[0])
            raise _make_refusal(kinds[0], float(limit), float(value))

    def _sum_reserved(self, worker: int | None = None) -> Spend:
        """Return what one worker has reserved, or all."""
        query = "SELECT calls, tokens, dollars FROM workers WHERE id = ifnull(?, id)"
        rows = self._file.execute(query, (worker,)).fetchall()
        return sum((Spend(c, t, Decimal(d)) for c, t, d in rows), Spend())

    def _hold(self, more: Spend) -> None:
        key = (self._worker,)
        row = self._ask("SELECT calls, tokens, dollars FROM workers WHERE id = ?", *key)
        held = Spend(row[0], row[1], Decimal(row[2])) + more
        if held.calls < 0 or held.tokens < 0 or held.dollars < 0:
            raise ValueError("more is settled than was reserved")
        self._file.execute(
            "UPDATE workers SET calls = ?, tokens = ?, dollars = ? WHERE id = ?",
            (held.calls, held.tokens, str(held.dollars), *key),
        )

    def _add(self, used: Spend) -> None:
        total = self.spent + used
        self._file.execute(
            "UPDATE spent SET calls = ?, tokens = ?, dollars = ?",
            (total.calls, total.tokens, str(total.dollars)),
        )

    def _forget(self, worker: int) -> None:
        self._add(self._sum_reserved(worker))
        self._file.execute("DELETE FROM workers WHERE id = ?", (worker,))
        self._file.execute("DELETE FROM queue WHERE worker = ?", (worker,))

    def _list_buckets(self, amount: Spend) -> list[tuple[str, int, int]]:
        """Return of each bucket its kind, its size, and what `amount` is in it."""
        buckets = (
            ("requests", self.rate.requests_per_minute, amount.calls),
            ("tokens", self.rate.tokens_per_minute, amount.tokens),
        )
        return [(kind, size, part) for kind, size, part in buckets if size is not None]

    def _find_wait(self, most: Spend) -> float:
        now, waits = self._clock(), [0.0]
        for kind, size, part in self._list_buckets(most):
            missing = min(part, size) - self._find_level(kind, size, now)
            waits.append(missing * _MINUTE / size if missing > _ROUNDING else 0.0)
        return max(waits)

    def _find_level(self, kind: str, size: int, now: float) -> float:
        row = self._file.execute("SELECT level, at FROM rate WHERE kind = ?", (kind,)).fetchone()
        level, at = row or (float(size), now)
        return min(float(size), level + max(0.0, now - at) * size / _MINUTE)

    def _take(self, amount: Spend) -> None:
        """Take `amount` from its buckets, below nought if need be; a negative one is given back."""
        now = self._clock()
        for kind, size, part in self._list_buckets(amount):
            level = min(float(size), self._find_level(kind, size, now) - part)
            self._file.execute("INSERT OR REPLACE INTO rate VALUES (?, ?, ?)", (kind, level, now))

    def _report_last(self) -> None:
        progress, self._unreported = self._unreported, None
        if progress is not None:
            with suppress(sqlite3.Error):
                self._file.execute(
                    "UPDATE workers SET tick = ?, horizon = ?, asked_calls = ?, asked_tokens = ?, "
                    "asked_dollars = ?, asking = ? WHERE id = ?",
                    (
                        *(progress.tick, progress.horizon, progress.calls, progress.tokens),
                        *(progress.dollars, progress.asking, self._worker),
                    ),
                )

    def _ask(self, query: str, *values: object) -> Any:
        row = self._file.execute(query, values).fetchone()
        if row is None:
            raise RecordError(f"{self.path}: something is missing in it; begin the sweep again")
        return row

    @contextmanager
    def _write(self) -> Iterator[None]:
        """Do all that is inside, or nothing; other processes wait."""
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BudgetExceeded:
            self._file.execute("COMMIT")  # that it is exhausted
            raise
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise RecordError(
                f"{self.path}: what is spent cannot be written ({error}); make room, then resume"
            ) from None


def part_budget(limits: Limits, spent: Spend, parts: int) -> Limits:
    """Return an equal part of what is left of `limits`, for one of so many workers."""
    left = limits.subtract(spent)
    return Limits(
        None if left.calls is None else left.calls // parts,
        None if left.tokens is None else left.tokens // parts,
        None if left.dollars is None else left.dollars / parts,
        left.seconds,
    )


def bound_spend(limits: Limits) -> Spend:
    """Return the most that may be spent within limits, of what is limited by them."""
    return Spend(limits.calls or 0, limits.tokens or 0, limits.dollars or Decimal(0))


def write_spend(spend: Spend) -> dict[str, JSON]:
    """Return an amount as JSON values, dollars as decimal text."""
    return {"calls": spend.calls, "tokens": spend.tokens, "dollars": str(spend.dollars)}


def read_spend(given: JSON) -> Spend:
    """Return an amount from what `write_spend` gave; nothing where it is something else."""
    try:
        return Spend(int(given["calls"]), int(given["tokens"]), Decimal(str(given["dollars"])))
    except (TypeError, KeyError, ValueError, InvalidOperation):
        return Spend()


def _make_refusal(kind: str, limit: float, value: float) -> BudgetExceeded:
    refusal = BudgetExceeded(kind, limit, value)
    # The advice of a run's own budget, an option of the command line, would not help here.
    refusal.args = (
        f"the sweep's budget is reached: {kind} would be {value:g} in all, limit {limit:g}; "
        "raise `total` in the experiment's [budget] to go on",
    )
    return refusal
