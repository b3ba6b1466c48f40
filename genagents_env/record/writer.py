"""Writes a run; each tick completely or not at all."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env.errors import DiskError, RecordError
from genagents_env.llm.budget import Spend
from genagents_env.observe.decode import Attempt
from genagents_env.record import answers
from genagents_env.record import checkpoint as checkpoints
from genagents_env.record import meta as heads
from genagents_env.record.actions import ActionWriter
from genagents_env.record.calls import (
    Outage,
    drop_answers_to_fallbacks,
    drop_calls,
    find_outage,
)
from genagents_env.record.canonical import FIRST, seal_ticks, tick_checksum
from genagents_env.record.cassette import OnPhase, SqliteCassette, SqliteEmbeddings
from genagents_env.record.checkpoint import Checkpoint
from genagents_env.record.connection import (
    RunConnection,
    Transaction,
    damage_error,
    guard,
    guard_reading,
)
from genagents_env.record.creation import create_file, creation_error, lock_file, remove_run
from genagents_env.record.inputs import SqliteInputs
from genagents_env.record.lock import RunLock
from genagents_env.record.meta import RunMeta
from genagents_env.record.notes import put_notes
from genagents_env.record.reader import RunReader
from genagents_env.record.rows import (
    FaultRow,
    InterviewRow,
    JudgementRow,
    NoteRow,
    RememberedRow,
    encode,
)
from genagents_env.record.schema import open_file
from genagents_env.record.spending import SPENDING, Spending, SpendingNote
from genagents_env.record.tables import (
    ACTIONS,
    CALLS,
    CHECKPOINTS,
    INTERVIEWS,
    JUDGEMENTS,
    NOTES,
    OPTIONAL,
    POLICY_ERRORS,
    REMEMBERED,
)
from genagents_env.world.events import Event

_ASKED = (INTERVIEWS, REMEMBERED, JUDGEMENTS)
_OF_INTERVIEWS = "tick > 0 AND (purpose = 'interview' OR purpose LIKE 'interview.%')"
_NOTHING = Spend()


class RunWriter:
    """The only writer of a run file; make it with `create` or `open`, and close it.

    Attributes:
        path: of the file.
        meta: what the run is.
        cassette: its model calls.
        embeddings: its vectors.
        inputs: what people entered.
        spending: the note of what the run has spent.
        tick: the last tick in the file, -1 before the first.
    """

    def __init__(
        self,
        path: Path,
        lock: RunLock,
        connection: RunConnection,
        meta: RunMeta,
        on_phase: OnPhase | None,
    ) -> None:
        self.path, self.meta, self.tick = path, meta, -1
        self.spending = SpendingNote(connection)
        self.cassette = SqliteCassette(connection, self.spending, on_phase)
        self.embeddings = SqliteEmbeddings(connection, self.spending)
        self.inputs = SqliteInputs(connection)
        self._lock, self._connection, self._on_phase = lock, connection, on_phase
        self._chain, self._actions = FIRST, ActionWriter(connection)

    @classmethod
    def create(
        cls,
        path: str | Path,
        meta: RunMeta,
        *,
        spent: Spend = _NOTHING,
        force: bool = False,
        on_phase: OnPhase | None = None,
    ) -> "RunWriter":
        """Begin a new run file.

        Args:
            path: where; its folder must exist.
            meta: what the run is.
            spent: before the file existed.
            force: replace an existing file.
            on_phase: called with (phase, tick) at `mid-write`, `boundary`, `checkpoint`,
                `after-call`, `mid-interview`, `interviewed`, `judged`: for tests that
                kill the process there.

        Raises:
            RecordError: the file exists and `force` is not given, or cannot be written.
            RunLocked: another process writes it.
        """
        path, rows = Path(path), meta.rows() | {"status": encode("running")}
        if spent != _NOTHING:
            rows[SPENDING] = encode(Spending(spent).as_json())
        lock = create_file(path, lambda file: heads.write_rows(file, rows), force=force)
        try:
            return cls(path, lock, open_file(path, write=True), meta, on_phase)
        except BaseException as error:
            remove_run(lock.path)
            lock.release()
            if isinstance(error, DiskError) and not path.exists():
                raise creation_error(path, error) from None
            raise

    @classmethod
    def lock(cls, path: str | Path) -> RunLock:
        """Lock an existing run file, for `open` to write it later.

        Raises:
            RecordError: it is missing or compressed, cannot be written, or has a second name.
            RunLocked: another process writes it.
        """
        return lock_file(Path(path))

    @classmethod
    def open(
        cls, path: str | Path, *, lock: RunLock | None = None, on_phase: OnPhase | None = None
    ) -> "RunWriter":
        """Open an existing run file; call `rewind` before writing ticks.

        Args:
            path: of the file.
            lock: on the file, released when it is closed; None takes one.
            on_phase: as for `create`.

        Raises:
            RecordError: it is missing, foreign, damaged or newer, or has a second name.
            RunLocked: another process writes it.
        """
        path = Path(path)
        lock = lock or cls.lock(path)
        try:
            connection = open_file(path, write=True, alone=not lock.was_left)
            try:
                with guard_reading(path):
                    meta = heads.load_meta(connection)
            except BaseException:
                connection.close()
                raise
            return cls(path, lock, connection, meta, on_phase)
        except BaseException:
            lock.release(keep=lock.was_left)
            raise

    def commit_tick(
        self,
        tick: int,
        positions: npt.NDArray[np.integer],
        events: Sequence[Event],
        faults: Sequence[FaultRow] = (),
        notes: Sequence[NoteRow] = (),
        attempt: Attempt | None = None,
    ) -> None:
        """Write a tick.

        Args:
            tick: one more than the last; 0 is the state after `reset`.
            positions: shape (N, 2), x and y in tiles, in the order of `meta.names`.
            events: of this tick, in the order of their ids.
            faults: of the policies in this tick.
            notes: of the minds in this tick.
            attempt: of everybody in this tick; None stores none.
        """
        if tick != self.tick + 1:
            raise RecordError(f"{self.path}: tick {tick} cannot follow tick {self.tick}")
        blob = positions.astype("<i2").tobytes()
        rows = [(e.id, e.tick, e.kind, e.agent, encode(e.data)) for e in events]
        chain = tick_checksum(self._chain, tick, blob, rows)
        with self._transaction():
            run = self._connection
            first = rows[0][0] if rows else 0
            run.execute(
                "INSERT INTO ticks VALUES (?, ?, ?, ?, ?)", (tick, blob, first, len(rows), chain)
            )
            run.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
            self._put_faults(faults)
            put_notes(run, notes)
            if attempt is not None:
                self._actions.put(tick, attempt)
            self._report_phase("mid-write", tick)
        self.tick, self._chain = tick, chain
        self._report_phase("boundary", tick)

    def commit_interviews(
        self,
        rows: Sequence[InterviewRow],
        faults: Sequence[FaultRow] = (),
        remembered: Sequence[RememberedRow] = (),
        notes: Sequence[NoteRow] = (),
    ) -> None:
        """Write the interviews at the last tick and the memories of facts, all or none.

        Args:
            rows: at most one for each agent, question and repeat.
            faults: of the policies that could not answer.
            remembered: at most one for each agent, fact and text.
            notes: of the minds during the interviews.
        """
        with self._transaction():
            answers.put_interviews(self._connection, rows)
            answers.put_remembered(self._connection, remembered)
            self._put_faults(faults)
            put_notes(self._connection, notes)
            self._report_phase("mid-interview", self.tick)
        self._report_phase("interviewed", self.tick)

    def commit_judgement(self, row: JudgementRow) -> None:
        """Write the verdict on an answer, durably; outside the canonical hash."""
        with self._transaction():
            answers.put_judgement(self._connection, row)
        self._report_phase("judged", row.tick)

    def checkpoint(self, state: Checkpoint) -> None:
        """Write the state after the last tick, and sync the file to the disk."""
        body = state.body(self._chain)
        with self._transaction():
            seal_ticks(self._connection)
            CHECKPOINTS.put(self._connection, [(state.tick, body)])
            CHECKPOINTS.delete(
                self._connection,
                "tick NOT IN (SELECT tick FROM checkpoints ORDER BY tick DESC LIMIT ?) "
                "AND tick <> ?",
                checkpoints.KEPT,
                self.meta.last_takeover,  # the policies of today cannot go on from before it
            )
            self.spending.write()
            self._actions.forget()
            self._report_phase("checkpoint", state.tick)
        with guard(self.path):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def adopt(self, parent: RunReader, tick: int, state: Checkpoint | None = None) -> None:
        """Take over the record of another run up to `tick`, into a file without ticks.

        Args:
            parent: the other run.
            tick: a recorded one.
            state: after `tick`, in place of its checkpoints, whose policies are others.

        Raises:
            RecordError: what is taken over has changed since it was written.
        """
        with self._transaction():
            parent.copy_rows(self._connection, tick)
            if state is not None:
                CHECKPOINTS.delete(self._connection, "tick >= 0")
                body = state.body(parent.find_checksum(tick) or FIRST)
                CHECKPOINTS.put(self._connection, [(tick, body)])
            seal_ticks(self._connection)

    def rewind(self) -> Checkpoint | None:
        """Go back to the last good checkpoint; drop all later rows but calls and people's entries.

        Returns:
            The checkpoint; None without any, so that the run begins again at its start.

        Raises:
            RecordError: no checkpoint is whole, or ticks before it or other rows have changed.
        """
        with guard_reading(self.path):
            for table in (CALLS, POLICY_ERRORS, NOTES, *OPTIONAL, *_ASKED):
                table.verify(self._connection)
            good = checkpoints.find_last_good(self._connection)
        state, self._chain = good if good is not None else (None, FIRST)
        if (-1 if state is None else state.tick) < self.meta.last_takeover:
            raise damage_error(self.path, "the state in which a policy took over is lost")
        self.tick = -1 if state is None else state.tick
        self._actions.forget()
        with self._transaction():
            for name in ("ticks", "events"):
                self._connection.execute(f"DELETE FROM {name} WHERE tick > ?", (self.tick,))  # noqa: S608
            for table in (ACTIONS, POLICY_ERRORS, NOTES, CHECKPOINTS, *_ASKED):
                table.delete(self._connection, "tick > ?", self.tick)
            seal_ticks(self._connection)
            heads.write_rows(self._connection, {"status": encode("running")})
        return state

    def withdraw_outage(self, tick: int) -> int:
        """Drop the fallbacks of an outage, so that a resumed run asks again.

        These are the fallbacks since the last answered call, some of them perhaps before `tick`, in
        which the outage was detected. Checkpoints that depend on them go too, and in a run of
        several models all later calls, which may rest on them.

        Returns:
            The first tick whose fallbacks were dropped.
        """
        outage = self.find_outage()
        first = tick if outage is None else min(outage.tick, tick)
        with self._transaction():
            if self.meta.model_for:
                drop_answers_to_fallbacks(self._connection, first)
            self.cassette.forget_fallbacks(first)
            # The start is no checkpoint: interviews are held there that rest on its calls.
            CHECKPOINTS.delete(self._connection, "tick > ?", first or -1)
        return first

    def find_outage(self) -> Outage | None:
        """Return the outage in which the run ends so far, or None."""
        with guard(self.path):
            return find_outage(self._connection)

    def was_answered(self) -> bool:
        """Return True if a model has ever answered a call of the run."""
        with guard(self.path):
            query = "SELECT EXISTS (SELECT 1 FROM calls WHERE outcome = 'reply')"
            (answered,) = self._connection.execute(query).fetchone()
        return bool(answered)

    def replace_meta(self, meta: RunMeta) -> None:
        """Write another head, as for another model."""
        with self._transaction():
            heads.write_rows(self._connection, meta.rows())
        self.meta = meta

    def extend_horizon(self, meta: RunMeta) -> None:
        """Write the head of a longer run, and drop the interviews at its old end.

        The memories of facts, the verdicts, and the calls and notes of these interviews go in the
        same transaction. Interviews before the start stay.
        """
        with self._transaction():
            heads.write_rows(self._connection, meta.rows() | {"status": encode("running")})
            for table in _ASKED:
                table.delete(self._connection, "tick > 0")
            # At its old end the episode was over: nobody can act from there.
            CHECKPOINTS.delete(self._connection, "tick >= ?", self.meta.horizon)
            drop_calls(self._connection, _OF_INTERVIEWS)
            NOTES.delete(self._connection, _OF_INTERVIEWS)
        self.meta = meta

    @property
    def status(self) -> str:
        """The last status set."""
        return str(json.loads(self.find_note("status") or '"unknown"'))

    def set_status(self, status: str, why: str = "") -> None:
        """Set the status of the run: running, finished, paused, budget_exhausted, interrupted.

        `why`: it stopped before its end, in words.
        """
        with self._transaction():
            seal_ticks(self._connection)
            rows = {"status": encode(status), heads.STOPPED: encode(why)}
            heads.write_rows(self._connection, rows)

    def note(self, key: str, value: str) -> None:
        """Store JSON text under `key` of the meta table, outside the canonical hash."""
        with self._transaction():
            heads.write_rows(self._connection, {key: value})

    def find_note(self, key: str) -> str | None:
        """Return the text that `note` stored under `key`, or None."""
        with guard(self.path):
            return heads.read_rows(self._connection).get(key)

    def keep_spending(self) -> None:
        """Note the spending now, outside the canonical hash."""
        with self._transaction():
            self.spending.write()

    @property
    def origin(self) -> heads.Origin | None:
        """The run from which a fork comes; None where the run is no fork."""
        return heads.decode_origin(self.find_note(heads.ORIGIN))

    @property
    def last_checkpoint(self) -> int:
        """The tick of the newest checkpoint, -1 when there is none."""
        with guard(self.path):
            (tick,) = self._connection.execute("SELECT max(tick) FROM checkpoints").fetchone()
        return -1 if tick is None else int(tick)

    def close(self) -> None:
        """Close the file and release its lock; safe to call twice.

        Unless another process reads it, it becomes one plain file, which can be copied alone and
        read from a folder that cannot be written.

        Raises:
            DiskError: the disk is full or failing, so that the log stays beside it.
        """
        folded = False
        try:
            folded = self._connection.fold()
        finally:
            self._connection.close()
            self._lock.release(keep=not folded)

    def discard(self) -> None:
        """Close the file and remove it, for a run that failed before its first tick."""
        in_place = self._connection.is_in_place
        self._connection.close()
        if in_place:
            remove_run(self._lock.path)
        self._lock.release()

    def __enter__(self) -> "RunWriter":
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            self.close()
            return
        with suppress(DiskError):  # the first error is the one to raise
            self.close()

    def _put_faults(self, faults: Sequence[FaultRow]) -> None:
        if faults:
            POLICY_ERRORS.put(self._connection, [astuple(fault) for fault in faults])

    def _transaction(self) -> Transaction:
        return Transaction(self._connection)

    def _report_phase(self, phase: str, tick: int) -> None:
        if self._on_phase is not None:
            self._on_phase(phase, tick)
