"""The log of a sweep: a line of JSON for every event of its trials."""

import errno
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from genagents_env.files import (
    find_inside,
    guard_files,
    open_to_add,
    open_to_read,
    read_lines,
    sync_folder,
)
from genagents_env.record.rows import JSON, encode
from genagents_env.text import clean


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


class SweepLog:
    """The log file of a sweep."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, **what: JSON) -> None:
        """Add a line, durably, in one write; `at` is now, in UTC.

        Args:
            what: JSON values. The sweep notes `event` and `trial`; the last event of a trial
                being `failed`, with a `message`, makes it a failed one.

        Raises:
            FileError: it cannot be written.
        """
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        with guard_files(self.path):
            size = _append(self.path, f"{encode({'at': at, **what})}\n".encode())
        if not size:
            sync_folder(self.path.parent)

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

    def read_spending(self) -> tuple[JSON, list[JSON]] | None:
        """Return what the last session spent, and each part since; None while one goes on."""
        ended: JSON = None
        since: dict[str, JSON] = {}
        is_open = False
        for line in self.read():
            if line.get("event") == "started":
                since, is_open = {}, True
            elif line.get("event") == "ended":
                ended, is_open = line.get("spent"), False
            elif line.get("event") in ("part", "part back"):
                since[str(line.get("id"))] = line.get("spent")
        return None if is_open else (ended, list(since.values()))

    def read_histories(self) -> dict[str, TrialHistory]:
        """Return what the lines say of each trial that they name."""
        histories: dict[str, TrialHistory] = {}
        for line in self.read():
            trial = line.get("trial")
            if isinstance(trial, str):
                histories.setdefault(trial, TrialHistory()).add(line)
        return histories


def _append(path: Path, line: bytes) -> int:
    """Add `line`, and return the size of the file before.

    A line that a killed process left half-written is ended first, so that it damages no other.
    """
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
    return size


def _parse_object(line: bytes) -> dict[str, JSON] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
