"""The log of a sweep: a line of JSON for every event of its trials."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from genagents_env.record.rows import JSON
from genagents_env.study.sweep.files import append_line, read_objects
from genagents_env.text import clean


@dataclass
class TrialHistory:
    """What the log says of a trial.

    Attributes:
        finished: it was noted as finished, and not set aside since.
        unjudged: not all its answers were judged.
        hash: the canonical one noted last, or None.
        seconds: what it took each time that it finished.
        failure: why its last try failed; None where it did not.
    """

    finished: bool = False
    unjudged: bool = False
    hash: str | None = None
    seconds: list[float] = field(default_factory=list)
    failure: str | None = None

    def add(self, line: Mapping[str, JSON]) -> None:
        """Take in the next line that is about this trial."""
        event, seconds = line.get("event"), line.get("seconds")
        self.failure = None
        if event == "finished":
            self.finished = True
            self.unjudged = self.unjudged or bool(line.get("unjudged"))
            self.hash = str(line["hash"]) if line.get("hash") else self.hash
            self.seconds += [seconds] if isinstance(seconds, float) else []
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
        """Add a line, durably; `at` is now, in UTC.

        Args:
            what: JSON values. The sweep notes `event` and `trial`; the last event of a trial
                being `failed`, with a `message`, makes it a failed one.
        """
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        append_line(self.path, {"at": at, **what})

    def read(self) -> list[dict[str, JSON]]:
        """Return the lines, oldest first; a torn line counts as none."""
        return read_objects(self.path)

    def read_histories(self) -> dict[str, TrialHistory]:
        """Return what the lines say of each trial that they name."""
        histories: dict[str, TrialHistory] = {}
        for line in self.read():
            trial = line.get("trial")
            if isinstance(trial, str):
                histories.setdefault(trial, TrialHistory()).add(line)
        return histories
