"""What a sweep returns: how it stands, and its message."""

from dataclasses import dataclass
from pathlib import Path

from genagents_env.llm.budget import Spend
from genagents_env.record.rows import JSON
from genagents_env.study.sweep.progress import SweepProgress


@dataclass(frozen=True)
class SweepResult:
    """How a sweep stands when it returns.

    Attributes:
        folder: of the sweep.
        total: trials that were asked for.
        finished: of these; so are the next two. The rest was not started.
        stopped: can be resumed.
        failed: are tried again when the sweep is resumed.
        degraded: of the finished ones; see `Degradation.degraded`.
        problems: a line on everything that needs to be known.
        spent: by all of the sweep's sessions.
        exit_code: 0 all finished, 3 budget, 75 outage, 128 and the signal's number when
            interrupted, 1 some failed, 4 all finished but some are degraded.
        message: how it stands and what to do, on one line.
    """

    folder: Path
    total: int
    finished: int
    stopped: int
    failed: int
    degraded: int
    problems: tuple[str, ...]
    spent: Spend
    exit_code: int
    message: str

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values, dollars as decimal text."""
        spent = {"calls": self.spent.calls, "tokens": self.spent.tokens}
        return {
            "folder": str(self.folder),
            "total": self.total,
            "finished": self.finished,
            "stopped": self.stopped,
            "failed": self.failed,
            "degraded": self.degraded,
            "problems": list(self.problems),
            "spent": {**spent, "dollars": str(self.spent.dollars)},
            "exit_code": self.exit_code,
            "message": self.message,
        }


def format_message(progress: SweepProgress, why: str, folder: Path) -> str:
    """Return how a sweep stands and how to resume it, on one line; `why` trials are left."""
    if progress.finished == progress.total:
        return f"all {progress.total:,} trials are finished{format_degraded(progress.degraded)}"
    done = f"{progress.finished:,} of {progress.total:,} trials are finished"
    parts = [f"{done}{format_degraded(progress.degraded)}"]
    parts += [f"{progress.failed:,} failed"] if progress.failed else []
    parts += [f"{progress.stopped:,} stopped"] if progress.stopped else []
    due = progress.total - progress.finished - progress.failed - progress.stopped
    parts += [f"{due:,} not begun"] if due else []
    counts = ", ".join(parts)
    return f"{counts}{': ' + why if why else ''}; go on with `genagents sweep --resume {folder}`"


def format_degraded(count: int) -> str:
    """Return how many of the finished are degraded, to stand behind their number."""
    return f", {count:,} of them degraded" if count else ""
