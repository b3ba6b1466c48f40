"""One budget for all workers of a sweep: a small SQLite file that each reserves from.

What a call may cost is reserved before it is made, in a transaction, so that whichever process is
killed, the ledger says no less than was spent. A worker holds a lock file while it lives; what a
dead one had reserved counts as spent. Only processes of one machine open a ledger. A worker
elsewhere gets a part of the budget, which is spent here until it returns, and a ledger of its own.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from genagents_env.errors import BudgetExceeded, RecordError, RunLocked
from genagents_env.llm.budget import NO_LIMITS, Limits, SharedBudget, Spend, list_exceeded
from genagents_env.record.lock import RunLock, check_alone, check_beside
from genagents_env.record.rows import JSON
from genagents_env.run.spec import Progress

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spent (
  calls INT, tokens INT, dollars TEXT, seconds REAL, exhausted TEXT
);
CREATE TABLE IF NOT EXISTS workers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, trial TEXT, pid INT, calls INT, tokens INT, dollars TEXT,
  progress TEXT
);
CREATE TABLE IF NOT EXISTS adopted (id TEXT PRIMARY KEY);
"""
_PROGRESS, _SPEND = TypeAdapter(Progress), TypeAdapter(Spend)
_PATIENCE = 30.0  # seconds for another process to end its transaction
_PAUSE = 0.02  # between two looks of one who waits
_MAKING = 1.0  # for another process to make the file
_REAP = 1.0  # seconds of waiting after which workers are looked after
_REPORTS = 0.2  # seconds between two reports of a run's progress


class SharedLedger(SharedBudget):
    """The budget of a sweep, as one process uses it.

    Args:
        path: of the file; made where it is missing.
        limits: of all workers together, earlier sessions included.
        trial: what is reserved for; None watches alone.

    Raises:
        RecordError: the file is damaged, or cannot be opened.
    """

    def __init__(
        self,
        path: Path,
        limits: Limits = NO_LIMITS,
        trial: str | None = None,
    ) -> None:
        self.path, self.limits = path, limits
        self._turn: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reported_at = 0.0
        self._worker: int | None = None
        self._lock: RunLock | None = None
        self._file = self._open()
        if trial is None:
            return
        with self._write():  # enter this process, under a lock that ends with it
            row = self._file.execute(
                "INSERT INTO workers (trial, pid, calls, tokens, dollars) VALUES (?, ?, 0, 0, '0')",
                (trial, os.getpid()),
            )
            self._worker = int(row.lastrowid or 0)
            self._lock = RunLock(self._name_worker(self._worker))

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

    def list_running(self) -> dict[str, tuple[int, Progress | None]]:
        """Return of each trial under way its process, and how far it is once it has said so."""
        rows = self._file.execute("SELECT trial, pid, progress FROM workers").fetchall()
        return {
            trial: (pid, None if told is None else _PROGRESS.validate_json(told))
            for trial, pid, told in rows
        }

    async def admit(self, most: Spend) -> None:
        """Reserve `most`, once calls in flight leave room for it.

        Raises:
            BudgetExceeded: it does not fit in the total beside what is already spent.
            RecordError: the ledger cannot be written.
        """
        loop = asyncio.get_running_loop()
        if self._turn is None or self._loop is not loop:
            self._turn, self._loop = asyncio.Lock(), loop
        async with self._turn:  # one of this process waits for the others, the rest for it
            looked_at = time.monotonic()
            while not self._try(most):
                await asyncio.sleep(_PAUSE)
                if time.monotonic() - looked_at > _REAP:
                    self.reap()
                    looked_at = time.monotonic()

    def settle(self, most: Spend, used: Spend) -> None:
        """Release the reservation `most` and spend `used`."""
        with self._write():
            self._hold(Spend() - most)
            self._add(used)

    def report(self, progress: Progress) -> None:
        """Note how far the run is, at most five times a second."""
        if time.monotonic() - self._reported_at < _REPORTS:
            return
        self._reported_at, told = time.monotonic(), _PROGRESS.dump_json(progress).decode()
        with suppress(sqlite3.Error):
            self._file.execute("UPDATE workers SET progress = ? WHERE id = ?", (told, self._worker))

    def count_seconds(self, seconds: float) -> None:
        """Count seconds of wall clock."""
        with self._write():
            self._file.execute("UPDATE spent SET seconds = seconds + ?", (seconds,))

    def adopt(self, mark: str, used: Spend) -> None:
        """Count what was spent elsewhere under this mark, unless it is counted already."""
        with self._write():
            row = self._file.execute("INSERT OR IGNORE INTO adopted VALUES (?)", (mark,))
            if row.rowcount == 1:
                self._add(used)

    def take_part(self, parts: int) -> Limits:
        """Spend one of so many equal parts of what is left, for a worker on another machine.

        What it did not spend is given back; of one that does not return all is spent.
        """
        with self._write():
            part = part_budget(self.limits, self.spent + self._sum_reserved(), parts)
            self._add(bound_spend(part))
            return part

    def give_back(self, part: Limits, used: Spend) -> None:
        """Count what was used of a part in its place."""
        with self._write():
            self._add(used - bound_spend(part))

    def begin(self) -> None:
        """Begin a session: what dead workers held is spent, and its limits may be larger."""
        self.reap()
        with self._write():
            self._file.execute("UPDATE spent SET exhausted = NULL")

    def reap(self) -> None:
        """Count as spent what workers had reserved that are no more."""
        for (worker,) in self._file.execute("SELECT id FROM workers").fetchall():
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
        """Leave; what is still reserved counts as spent. Safe twice."""
        if self._worker is not None:
            with suppress(RecordError), self._write():
                self._forget(self._worker)
            self._worker = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        self._file.close()

    def _open(self) -> sqlite3.Connection:
        with suppress(FileNotFoundError):
            check_alone(self.path)
        self._check_beside()
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

    def _check_beside(self) -> None:
        """Do as `check_beside`; a process that makes the file has a journal for a moment."""
        until = time.monotonic() + _MAKING
        while True:
            try:
                return check_beside(self.path)
            except RecordError:
                if time.monotonic() > until:
                    raise
            time.sleep(_PAUSE)

    def _name_worker(self, worker: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{worker}")

    def _try(self, most: Spend) -> bool:
        """Reserve `most`, unless calls in flight may still need what it wants."""
        with self._write():
            self._refuse(self.spent + most)
            if list_exceeded(self.limits, self.spent + self._sum_reserved() + most):
                return False
            self._hold(most)
            return True

    def _refuse(self, total: Spend) -> None:
        """Raise BudgetExceeded, and note it, where `total` is too much or the time is up."""
        kinds = ["seconds"] if self.exhausted == "seconds" else list_exceeded(self.limits, total)
        if not kinds:
            return
        kind, seconds = kinds[0], self._ask("SELECT seconds FROM spent")[0]
        self._file.execute("UPDATE spent SET exhausted = ?", (kind,))
        limit = float(getattr(self.limits, kind))
        value = float({**asdict(total), "seconds": seconds}[kind])
        refusal = BudgetExceeded(kind, limit, value)
        # The advice of a run's own budget, an option of the command line, would not help here.
        refusal.args = (
            f"the sweep's budget is reached: {kind} would be {value:g} in all, limit {limit:g}; "
            "raise `total` in the experiment's [budget] to go on",
        )
        raise refusal

    def _sum_reserved(self, worker: int | None = None) -> Spend:
        """Return what one worker has reserved, or all."""
        query = "SELECT calls, tokens, dollars FROM workers WHERE id = ifnull(?, id)"
        rows = self._file.execute(query, (worker,)).fetchall()
        return sum((Spend(c, t, Decimal(d)) for c, t, d in rows), Spend())

    def _hold(self, more: Spend) -> None:
        held = self._sum_reserved(self._worker) + more
        self._file.execute(
            "UPDATE workers SET calls = ?, tokens = ?, dollars = ? WHERE id = ?",
            (held.calls, held.tokens, str(held.dollars), self._worker),
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

    def _ask(self, query: str, *values: object) -> Any:
        row = self._file.execute(query, values).fetchone()
        if row is None:
            raise RecordError(f"{self.path}: something is missing in it; begin the sweep again")
        return row

    @contextmanager
    def _write(self) -> Iterator[None]:
        """Do all that is inside, or nothing; other processes wait."""
        try:
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
        except sqlite3.Error as error:
            raise RecordError(
                f"{self.path}: what is spent cannot be written ({error}); make room, then resume"
            ) from None


def part_budget(limits: Limits, spent: Spend, parts: int) -> Limits:
    """Return an equal part of what is left of `limits`, for one of so many workers."""
    left = limits.subtract(spent)
    return replace(
        left,
        calls=left.calls and left.calls // parts,
        tokens=left.tokens and left.tokens // parts,
        dollars=left.dollars and left.dollars / parts,
    )


def bound_spend(limits: Limits) -> Spend:
    """Return the most that may be spent within limits, of what is limited by them."""
    return Spend(limits.calls or 0, limits.tokens or 0, limits.dollars or Decimal(0))


def write_spend(spend: Spend) -> dict[str, JSON]:
    """Return an amount as JSON values, dollars as decimal text."""
    found: dict[str, JSON] = _SPEND.dump_python(spend, mode="json")
    return found


def read_spend(given: JSON) -> Spend:
    """Return an amount from what `write_spend` gave; nothing where it is something else."""
    try:
        found = _SPEND.validate_python(given)
    except ValidationError:
        return Spend()
    is_amount = all(one >= 0 for one in (found.calls, found.tokens, found.dollars))
    return found if is_amount else Spend()
