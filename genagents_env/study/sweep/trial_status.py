"""How the trials of a sweep stand: by its log, their run files and what is stored beside them."""

import errno
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from genagents_env.errors import DiskError, RecordError
from genagents_env.files import (
    find_inside,
    guard_files,
    open_to_add,
    open_to_read,
    read_lines,
    sync_folder,
)
from genagents_env.record import RunReader
from genagents_env.record.lock import find_writer
from genagents_env.record.rows import JSON, encode
from genagents_env.study.sweep.design.cells import Condition, Trial
from genagents_env.study.sweep.measured import MeasuredRun, read_measured
from genagents_env.text import clean

_log = logging.getLogger(__name__)
TrialState: TypeAlias = Literal["due", "finished", "stopped", "damaged", "failed"]

ENDED, JUDGED = "ended", "judges ended"  # events with what is spent in all
_LIMIT = 500


@dataclass(frozen=True)
class StudyRun:
    """One run of a study: what it is of, and how it stands.

    Attributes:
        name: of its trial; that of its file differs where a level has another label since.
        condition: of which it is a seed.
        seed: of the episode.
        identity: the hash of what defines it.
        file: its run file, which need not be there.
        state: due (there is nothing of it), finished, stopped (it can be resumed, or is running
            just now), damaged (its file cannot be used), failed (the last try ended in an error).
        status: of the run file, see `RunReader.status`; `running` while a process writes it.
        problem: why it is damaged or failed.
        measured: what is known of a finished run; None of any other.
        excluded: it is finished, but in no mean: it is degraded.
        earlier: it was run before its scenario, a policy or this package changed.
    """

    name: str
    condition: Condition
    seed: int
    identity: str
    file: Path
    state: TrialState
    status: str = ""
    problem: str = ""
    measured: MeasuredRun | None = None
    excluded: bool = False
    earlier: bool = False

    @property
    def counted(self) -> bool:
        """Whether it counts in means: only a finished run does that is not excluded."""
        return self.measured is not None and not self.excluded

    @property
    def degraded(self) -> str:
        """Why a finished run is, as far as that is known without reading it; empty otherwise."""
        return "" if self.measured is None else self.measured.degraded


@dataclass
class TrialHistory:
    """What the log says of a trial.

    Attributes:
        finished: it was noted as finished, and not set aside since.
        unjudged: not all its answers were judged.
        hash: the canonical one noted last, or None.
        failure: why its last try failed; None where it did not.
    """

    finished: bool = False
    unjudged: bool = False
    hash: str | None = None
    failure: str | None = None

    def add(self, line: Mapping[str, JSON]) -> None:
        """Take in the next line that is about this trial."""
        event = line.get("event")
        self.failure = None
        if event == "finished":
            self.finished = True
            self.unjudged = self.unjudged or bool(line.get("message"))
            self.hash = str(line["hash"]) if line.get("hash") else self.hash
        elif event == "judged":
            self.unjudged = False
        elif event == "set aside":
            self.finished = False
        elif event == "failed":
            self.failure = clean(str(line.get("message", "failed")))


def cut_suffix(name: str) -> str:
    """Return the part of a trial's name, or its file's stem, that is `Trial.suffix`."""
    return "-".join(name.rsplit("-", 2)[1:])


def read_status(trial: Trial, path: Path, history: TrialHistory | None = None) -> StudyRun:
    """Return how `trial` stands by its run file `path`, which need not be there.

    A file that cannot be opened (permissions, a lock, a failing disk) makes it a failed one:
    nothing says that the run in it is lost. So does a last try that failed, as `history` has it.
    """
    due = StudyRun(trial.name, trial.condition, trial.seed, trial.identity, path, "due")
    status = due if _is_empty(path) else _read_file(due, path)
    may_have_failed = status.state in ("due", "stopped") and status.status != "running"
    if history is None or history.failure is None or not may_have_failed:
        return status
    return replace(status, state="failed", problem=history.failure)


def check_noted(run: StudyRun, history: TrialHistory | None) -> StudyRun:
    """Return a run that was measured; damaged where it is not the one that finished."""
    found = run.measured
    if found is None:
        return run
    noted = history.hash if history is not None and history.finished else None
    if found.seed in (None, run.seed) and noted in (None, found.hash):
        return run
    why = f"{run.file} is another run than the one that finished: its hash is {found.hash[:12]}"
    return replace(run, state="damaged", problem=clean(why, _LIMIT), measured=None, earlier=False)


def _read_file(due: StudyRun, path: Path) -> StudyRun:
    measured = read_measured(path)
    if measured is not None and measured.is_of(path):
        return replace(due, state="finished", status="finished", measured=measured)
    writer = find_writer(path)
    try:
        with RunReader(path) as run:
            status = run.status
    except RecordError as error:
        if writer or find_writer(path):  # started a moment ago, or not yet whole
            return replace(due, state="stopped", status="running")
        state: TrialState = "failed" if isinstance(error, DiskError) else "damaged"
        return replace(due, state=state, problem=clean(str(error), _LIMIT))
    except OSError as error:
        return replace(due, state="failed", problem=clean(str(error), _LIMIT))
    return replace(due, state="finished" if status == "finished" else "stopped", status=status)


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except FileNotFoundError:
        return True


class SweepLog:
    """The log file of a sweep."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, **what: JSON) -> None:
        """Add a line, durably, in one write; `at` is now, in UTC.

        Args:
            what: JSON values, those that are None left out. The sweep notes `event` and `trial`;
                the last event of a trial being `failed`, with a `message`, makes it a failed one.

        Raises:
            FileError: it cannot be written.
        """
        line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), **what}
        text = encode({key: value for key, value in line.items() if value is not None})
        with guard_files(self.path):
            _append(self.path, f"{text}\n".encode())
        _log.info("sweep %s: %s", self.path.parent, text)

    def read(self) -> list[dict[str, JSON]]:
        """Return the lines, oldest first; what is torn or foreign is left out.

        Raises:
            FileError: it cannot be read, or a line is too long.
        """
        if not os.path.lexists(self.path):
            return []
        with open_to_read(find_inside(self.path.parent, self.path.name)) as file:
            lines = read_lines(self.path, file)
            return [found for line in lines if (found := _parse_object(line)) is not None]

    def read_parts(self) -> dict[str, JSON]:
        """Return by its mark what was spent of each part of the budget; all that did not return."""
        lines = (one for one in self.read() if one.get("event") in ("part", "part back"))
        return {str(line.get("id")): line.get("spent") for line in lines}

    def find_last_spent(self) -> JSON:
        """Return what had been spent in all when a session, or judges, last ended."""
        lines = (line for line in self.read() if line.get("event") in (ENDED, JUDGED))
        return next((line.get("spent") for line in reversed(list(lines))), None)

    def count_sessions(self) -> int:
        """Count the sessions that began to run something."""
        return sum(line.get("event") == "started" for line in self.read())

    def list_returned(self) -> list[str]:
        """Return the marks of parts of the budget that came back."""
        return [str(line.get("id")) for line in self.read() if line.get("event") == "part back"]

    def list_judged(self) -> list[JSON]:
        """Return what judges spent, each time that they were asked."""
        return [line.get("own") for line in self.read() if line.get("event") == JUDGED]

    def read_spending(self) -> tuple[JSON, list[JSON]] | None:
        """Return what the last session spent, and each part since; None while one goes on."""
        ended: JSON = None
        since: dict[str, JSON] = {}
        is_open = False
        for line in self.read():
            if line.get("event") == "started":
                since, is_open = {}, True
            elif line.get("event") in (ENDED, JUDGED):
                ended, is_open = line.get("spent"), is_open and line.get("event") == JUDGED
            elif line.get("event") in ("part", "part back"):
                since[str(line.get("id"))] = line.get("spent")
        return None if is_open else (ended, list(since.values()))

    def read_histories(self) -> dict[str, TrialHistory]:
        """Return what the lines say of each trial, by its `suffix`: levels get other names."""
        histories: dict[str, TrialHistory] = {}
        for line in self.read():
            trial = line.get("trial")
            if isinstance(trial, str):
                histories.setdefault(cut_suffix(trial), TrialHistory()).add(line)
        return histories


def _append(path: Path, line: bytes) -> None:
    """Add `line`; a torn one that a killed process left is ended first, so that it damages none."""
    descriptor = open_to_add(path, os.O_APPEND)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        content = b"\n" * torn + line
        if os.write(descriptor, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if not size:
        sync_folder(path.parent)


def _parse_object(line: bytes) -> dict[str, JSON] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
