"""Reads a run, also while it is written, for reports, transcripts and viewers."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from genagents_env.llm.calls import Message
from genagents_env.record import answers
from genagents_env.record.actions import find_changes, read_changes
from genagents_env.record.call_sums import CallSums
from genagents_env.record.calls import (
    add_cached,
    find_calls,
    find_responses,
    parse_messages,
    read_calls,
    read_responses,
)
from genagents_env.record.canonical import verify_chain
from genagents_env.record.cassette import SqliteCassette, SqliteEmbeddings
from genagents_env.record.checkpoint import Checkpoint, find_last_good
from genagents_env.record.connection import RunConnection, damage_error, guard_reading
from genagents_env.record.degradation import (
    Degradation,
    count_decisions,
    count_unusable,
    read_failures,
)
from genagents_env.record.event_data import read_event
from genagents_env.record.inputs import SqliteInputs
from genagents_env.record.lock import find_writer
from genagents_env.record.meta import (
    ORIGIN,
    POLICY_CHANGES,
    STOPPED,
    Origin,
    PolicyChange,
    RunMeta,
    decode_changes,
    decode_origin,
    load_meta,
    read_rows,
)
from genagents_env.record.notes import PromptCuts, count_cuts, read_notes
from genagents_env.record.rows import (
    CallRow,
    FaultRow,
    InterviewRow,
    JudgementRow,
    NoteRow,
    RememberedRow,
    ResponseRow,
)
from genagents_env.record.schema import open_file
from genagents_env.record.spending import (
    INTERVIEWED,
    JUDGED,
    Spending,
    SpendingNote,
    decode_later_spending,
)
from genagents_env.record.tables import (
    CALLS,
    DICTIONARIES,
    EMBEDDINGS,
    EVENTS,
    OF_TICKS,
    POLICY_ERRORS,
    TICKS,
)
from genagents_env.world.events import Event


@dataclass(frozen=True, slots=True)
class RecordLength:
    """How much a run file holds as of one moment.

    Attributes:
        last_tick: -1 before the first.
        events: of all ticks.
        calls: model calls.
        checksum: of the last tick, and through it of all before; empty where there is none.
    """

    last_tick: int
    events: int
    calls: int
    checksum: bytes


class RunReader(CallSums):
    """A read-only view of a run file; use it in a `with` block or close it.

    Args:
        path: of the file.
        known: the file was opened and checked before: opening is quick, and only the ticks and
            events that are read are checked, not all of them before the first.

    Attributes:
        path: of the file.
        meta: what the run is.
        cassette: its model calls, for `get`.
        embeddings: its vectors, for `get`.
        inputs: what people entered, for `get`.

    Raises:
        RecordError: the file is missing, foreign, damaged, or newer.
    """

    def __init__(self, path: str | Path, *, known: bool = False) -> None:
        self.path, self._known = Path(path), known
        self._connection = open_file(self.path, write=False, known=known)
        try:
            with guard_reading(self.path):
                self.meta: RunMeta = load_meta(self._connection)
            self._checked: set[str] = set()
            self._last_state: tuple[list[int], Checkpoint | None] | None = None
            self.cassette = SqliteCassette(self._connection)
            self.embeddings = SqliteEmbeddings(self._connection)
            self.inputs = SqliteInputs(self._connection)
        except BaseException:
            self._connection.close()
            raise

    @property
    def status(self) -> str:
        """One of running, killed, finished, paused, budget_exhausted, interrupted, failed.

        A run with the status running but without a writer was killed.
        """
        with guard_reading(self.path):
            status = json.loads(read_rows(self._connection)["status"])
        return "killed" if status == "running" and find_writer(self.path) is None else str(status)

    @property
    def stop_reason(self) -> str:
        """Why it stopped before its end, in words; empty where it did not, or that is not known."""
        if self.status in ("running", "killed", "finished"):
            return ""
        with guard_reading(self.path):
            return str(json.loads(self.find_note(STOPPED) or '""'))

    @property
    def spending(self) -> Spending | None:
        """The spending of the run; None where nothing is noted.

        Requests that were under way when its process was killed count as spent and lost.
        """
        with guard_reading(self.path):
            noted = SpendingNote(self._connection).read()
        if noted is None or find_writer(self.path) is not None:
            return noted
        return noted.count_lost()

    @property
    def later_spending(self) -> dict[str, Spending]:
        """The spending of later interviews and of judges, by activity, where there is any."""
        with guard_reading(self.path):
            notes = {"interviews": self.find_note(INTERVIEWED), "judging": self.find_note(JUDGED)}
            sums = {name: decode_later_spending(note).sum for name, note in notes.items()}
        return {name: spent for name, spent in sums.items() if spent.total.calls}

    @property
    def origin(self) -> Origin | None:
        """The run from which a fork comes; None where the run is no fork."""
        return decode_origin(self.find_note(ORIGIN))

    @property
    def policy_changes(self) -> tuple[PolicyChange, ...]:
        """The changes of policies when the run was resumed, oldest first."""
        try:
            return decode_changes(self.find_note(POLICY_CHANGES))
        except ValueError as error:
            raise damage_error(self.path, f"its note of changed policies: {error}") from None

    @property
    def last_tick(self) -> int:
        """The last tick in the file, -1 when there is none."""
        (tick,) = self._fetch_one("SELECT max(tick) FROM ticks")
        return -1 if tick is None else int(tick)

    def measure(self) -> RecordLength:
        """Measure how much the file holds now."""
        with guard_reading(self.path):
            (calls, _) = CALLS.find_sum(self._connection)
            (last_event,) = self._connection.execute("SELECT max(id) FROM events").fetchone()
            query = "SELECT tick, checksum FROM ticks ORDER BY tick DESC LIMIT 1"
            last_tick, checksum = self._connection.execute(query).fetchone() or (-1, b"")
        events = 0 if last_event is None else last_event + 1  # their ids have no gaps
        return RecordLength(last_tick, events, calls, checksum)

    def find_checksum(self, tick: int) -> bytes | None:
        """Return the checksum of a tick and of all before it; None where it is not recorded."""
        row = self._fetch_one("SELECT checksum FROM ticks WHERE tick = ?", tick)
        return None if row is None else bytes(row[0])

    def time(self, tick: int) -> datetime:
        """Return the town time at `tick`."""
        seconds = tick * self.meta.seconds_per_tick
        return datetime.fromisoformat(self.meta.start) + timedelta(seconds=seconds)

    def tick_at(self, time: datetime) -> int:
        """Return the first tick at or after the town time `time`, at least 0."""
        gone = (time - datetime.fromisoformat(self.meta.start)).total_seconds()
        return max(0, -int(-gone // self.meta.seconds_per_tick))

    def positions(self, tick: int) -> npt.NDArray[np.int16]:
        """Return the positions at `tick`: shape (N, 2), x and y, in the order of the names."""
        self._check_ticks(tick, tick)
        row = self._fetch_one("SELECT positions FROM ticks WHERE tick = ?", tick)
        if row is None:
            raise IndexError(f"{self.path} has no tick {tick}; its last is {self.last_tick}")
        return self._decode_positions(row[0])

    def ticks(
        self, first: int = 0, last: int | None = None
    ) -> Iterator[tuple[int, npt.NDArray[np.int16]]]:
        """Yield each of these ticks with its positions; None is to the end."""
        self._check_ticks(first, last)
        query = "SELECT tick, positions FROM ticks WHERE tick BETWEEN ? AND ? ORDER BY tick"
        until = 2**62 if last is None else last
        with guard_reading(self.path):
            for tick, blob in self._connection.execute(query, (first, until)):
                yield tick, self._decode_positions(blob)

    def events(
        self, first_tick: int = 0, last_tick: int | None = None, kind: str | None = None
    ) -> Iterator[Event]:
        """Yield the events of these ticks, ordered by id; None is to the end.

        `kind`: yield only events of this kind; None is all.
        """
        self._check_ticks(first_tick, last_tick)
        bound = self._fetch_one(
            "SELECT min(first_event), max(first_event + events) FROM ticks "
            "WHERE tick >= ? AND tick <= ? AND events > 0",
            first_tick,
            2**62 if last_tick is None else last_tick,
        )
        if bound is None or bound[0] is None:
            return
        query = "SELECT * FROM events WHERE id >= ? AND id < ? AND ifnull(kind = ?, 1) ORDER BY id"
        with guard_reading(self.path):
            for row in self._connection.execute(query, (*bound, kind)):
                yield read_event(*row)

    def event(self, id_: int) -> Event | None:
        """Return the event of this id, or None."""
        at = self._fetch_one("SELECT tick FROM events WHERE id = ?", id_)
        if at is None:
            self._check_ticks(0, -1)
            return None
        self._check_ticks(at[0], at[0])
        with guard_reading(self.path):
            row = self._connection.execute("SELECT * FROM events WHERE id = ?", (id_,)).fetchone()
            _, tick, kind, agent, data = row
            return read_event(id_, tick, kind, agent, data)

    def calls(self) -> Iterator[CallRow]:
        """Yield the model calls, ordered by agent, tick, purpose and number."""
        with guard_reading(self.path):
            responses = read_responses(self._connection)
            yield from add_cached(read_calls(self._connection), responses)

    def list_calls(self, first: int, last: int, agent: str | None = None) -> list[CallRow]:
        """Return an agent's or everybody's model calls of these ticks.

        They are ordered by tick, agent, purpose and number.
        """
        with guard_reading(self.path):
            calls = find_calls(self._connection, first, last, agent)
            between = "tick BETWEEN ? AND ?"
            responses = find_responses(self._connection, between, first, last)
            return list(add_cached(calls, responses))

    def actions(self) -> Iterator[tuple[int, dict[int, Any]]]:
        """Yield each tick whose actions are recorded, with the changed ones as JSON.

        They are keyed by the number of the agent; see `record.actions`.
        """
        with guard_reading(self.path):
            yield from read_changes(self._connection)

    def find_actions(self, first: int, last: int) -> Iterator[tuple[int, dict[int, Any]]]:
        """Yield the actions of these ticks, as `actions` does."""
        with guard_reading(self.path):
            yield from find_changes(self._connection, first, last)

    def read_responses(self) -> Iterator[ResponseRow]:
        """Yield the reports of endpoints with each call, ordered as `calls`."""
        with guard_reading(self.path):
            yield from read_responses(self._connection)

    def prompts(self) -> Iterator[tuple[CallRow, list[Message]]]:
        """Yield the model calls as `calls` does, each with its prompt."""
        with guard_reading(self.path):
            for row in read_calls(self._connection):
                yield row, parse_messages(self.path, row)

    def interviews(self) -> list[InterviewRow]:
        """Return every answer, ordered by tick, then as they were asked, repeat by repeat."""
        with guard_reading(self.path):
            return answers.read_interviews(self._connection)

    def memories(self) -> list[RememberedRow]:
        """Return every memory in which a fact of the scenario was found, ordered by tick."""
        with guard_reading(self.path):
            return answers.read_remembered(self._connection)

    def judgements(self) -> list[JudgementRow]:
        """Return every verdict on an answer, ordered by judge, check and tick."""
        with guard_reading(self.path):
            return answers.read_judgements(self._connection)

    def notes(self) -> list[NoteRow]:
        """Return every note of a mind, ordered by tick, then as they were written."""
        with guard_reading(self.path):
            return read_notes(self._connection)

    def policy_faults(self) -> list[FaultRow]:
        """Return every failure of a policy, in order."""
        with guard_reading(self.path):
            return [FaultRow(*row) for row in POLICY_ERRORS.read(self._connection)]

    def policy_fault_count(self) -> int:
        """Count the decisions in which a policy failed."""
        self._check_rows(POLICY_ERRORS)
        (count,) = self._fetch_one("SELECT count(*) FROM policy_errors WHERE kind != 'interview'")
        return int(count)

    def copy_rows(self, target: RunConnection, tick: int) -> None:
        """Write everything up to `tick` into another run file, within a transaction of it.

        All vectors go along; the head, and verdicts of judges, do not.

        Raises:
            RecordError: a row has changed.
        """
        with guard_reading(self.path):
            verify_chain(self._connection, tick)
            for name, columns in (("ticks", TICKS), ("events", EVENTS)):
                marks = ", ".join("?" * len(columns))
                query = f"SELECT * FROM {name} WHERE tick <= ?"  # noqa: S608 (constant text)
                rows = self._connection.execute(query, (tick,))
                target.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608
            for table in OF_TICKS:
                table.put(target, table.find(self._connection, "tick <= ?", tick))
            for table in (DICTIONARIES, EMBEDDINGS):
                table.put(target, table.read(self._connection))

    def find_degradation(self) -> Degradation:
        """Return the failed decisions and fallbacks so far."""
        with guard_reading(self.path):
            failures = tuple(read_failures(self._connection))
            unusable, asked = count_unusable(self._connection, self.meta.model)
            decisions = count_decisions(self._connection, max(0, self.last_tick))
        spent = self.sum_calls()
        return Degradation(
            failures,
            decisions,
            spent.fallbacks + unusable,
            spent.calls + asked,
            self.meta.max_fallbacks,
        )

    def find_prompt_cuts(self) -> PromptCuts:
        """Return the cuts of prompts so far."""
        (calls,) = self._fetch_one("SELECT count(*) FROM calls")
        return count_cuts(self.notes(), calls)

    def checkpoints(self) -> list[int]:
        """Return the ticks of the checkpoints in the file."""
        with guard_reading(self.path):
            rows = self._connection.execute("SELECT tick FROM checkpoints ORDER BY tick").fetchall()
        return [tick for (tick,) in rows]

    def checkpoint(self, tick: int) -> Checkpoint | None:
        """Return the last whole checkpoint at `tick` or before; None where there is none.

        Raises:
            RecordError: none of those is whole, or the ticks before it were changed.
        """
        with guard_reading(self.path):
            good = find_last_good(self._connection, tick)
        return None if good is None else good[0]

    def last_state(self) -> Checkpoint | None:
        """Return the last whole checkpoint, cached; do not change it.

        Raises:
            RecordError: as `checkpoint` does.
        """
        newest = self.checkpoints()[-1:]
        if self._last_state is None or self._last_state[0] != newest:
            self._last_state = newest, self.checkpoint(self.last_tick)
        return self._last_state[1]

    def list_embedded_texts(self) -> list[str]:
        """Return the texts whose vectors by the run's embedder are stored."""
        with guard_reading(self.path):
            query = "SELECT text FROM embeddings WHERE model = ? ORDER BY text"
            rows = self._connection.execute(query, (self.meta.embedder,)).fetchall()
        return [text for (text,) in rows]

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._connection.close()

    def __enter__(self) -> "RunReader":
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    def _fetch_one(self, query: str, *values: int) -> Any:
        with guard_reading(self.path):
            return self._connection.execute(query, values).fetchone()

    def _check_ticks(self, first: int = 0, last: int | None = None) -> None:
        """Check ticks and events before they are read: all of them, once.

        Of a known file only these ticks are checked.
        """
        if "ticks" not in self._checked:
            with guard_reading(self.path):
                self._connection.execute("BEGIN")  # one snapshot, even while it is written
                try:
                    if self._known:
                        verify_chain(self._connection, last, first=first)
                    else:
                        verify_chain(self._connection)
                finally:
                    self._connection.execute("COMMIT")
            if not self._known:
                self._checked.add("ticks")

    def _decode_positions(self, blob: bytes) -> npt.NDArray[np.int16]:
        if len(blob) != 4 * len(self.meta.names):
            raise damage_error(self.path, "a tick's positions have the wrong length")
        return np.frombuffer(blob, dtype="<i2").reshape(-1, 2)
