"""How far a sweep is, counted as results come in and reported to `watch`; and how it ended."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from genagents_env.llm.budget import Spend
from genagents_env.record.rows import JSON
from genagents_env.study.sweep.design.trials import Trial
from genagents_env.study.sweep.job import TrialResult
from genagents_env.study.sweep.ledger import TrialProgress, write_spend

_PAUSE = 0.2  # seconds between two reports
_HOUR = 3600.0


@dataclass(frozen=True)
class TrialCounts:
    """How many trials of a sweep stand how, earlier sessions included.

    Attributes:
        total: trials that were asked for.
        finished: of these; so are the others. The rest was not started.
        degraded: finished ones that are, see `Degradation.degraded`.
        stopped: by a budget, an outage or a signal; they can be resumed.
        failed: these need the user's attention, and are tried again by a resumed sweep.
    """

    total: int
    finished: int
    degraded: int
    stopped: int
    failed: int


@dataclass(frozen=True)
class SweepProgress(TrialCounts):
    """How far a sweep is.

    Attributes:
        running: how far each trial under way is, by its name.
        calls: of models, in the whole sweep; so are tokens.
        tokens: read and written.
        dollars: None where no price is known.
        seconds: of wall clock in this session.
        hours_left: from the times of finished trials of the same condition; None as long as a
            condition that is due has none.
    """

    running: Mapping[str, TrialProgress]
    calls: int
    tokens: int
    dollars: float | None
    seconds: float
    hours_left: float | None


@dataclass(frozen=True)
class SweepResult(TrialCounts):
    """How a sweep stands when it returns.

    Attributes:
        folder: of the sweep.
        problems: a line on everything that needs to be known.
        spent: by all of the sweep's sessions.
        exit_code: 0 all finished, 3 budget, 75 outage, 128 and the signal's number when
            interrupted, 1 some failed, 4 all finished but some are degraded.
        message: how it stands and what to do, on one line.
    """

    folder: Path
    problems: tuple[str, ...]
    spent: Spend
    exit_code: int
    message: str

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values, dollars as decimal text."""
        values = {"folder": str(self.folder), "problems": list(self.problems)}
        return {**asdict(self), **values, "spent": write_spend(self.spent)}


class ProgressTracker:
    """Keeps the count; called from two threads, it reports at most five times a second.

    Args:
        trials: the whole sweep.
        workers: at once.
        spent: gives what is spent by all.
        watch: called with how far the sweep is.
    """

    def __init__(
        self,
        trials: Iterable[Trial],
        workers: int,
        spent: Callable[[], Spend],
        watch: Callable[[SweepProgress], None] | None,
    ) -> None:
        self._conditions = {trial.name: trial.condition.name for trial in trials}
        self._workers, self._spent, self._watch = workers, spent, watch
        self._states: dict[str, str] = {}
        self._degraded: set[str] = set()
        self._running: dict[str, TrialProgress] = {}
        self._seconds: dict[str, list[float]] = {}
        self._priced = True
        self._lock = threading.Lock()
        self._began = self._reported_at = time.monotonic()

    def note_state(self, trial: str, state: str, *, degraded: bool = False) -> None:
        """Note how a trial stands, and whether it is finished but degraded."""
        self._states[trial] = state
        if degraded:
            self._degraded.add(trial)

    def note_duration(self, trial: str, seconds: float) -> None:
        """Note what a trial took from its start to its end."""
        self._seconds.setdefault(self._conditions[trial], []).append(seconds)

    def note_progress(self, trial: str, progress: TrialProgress) -> None:
        """Note how far a trial is."""
        with self._lock:
            self._running[trial] = progress
            self._priced = self._priced and progress.dollars is not None
        self._report()

    def note_result(self, result: TrialResult) -> None:
        """Note the end of a trial."""
        with self._lock:
            self._running.pop(result.trial, None)
        self.note_state(result.trial, result.state, degraded=bool(result.degraded))
        if result.state == "finished":
            self.note_duration(result.trial, result.seconds)
        self._report()

    def note_lost(self, trials: Iterable[str]) -> None:
        """Note that these trials are not under way any more."""
        with self._lock:
            for trial in trials:
                self._running.pop(trial, None)

    @property
    def progress(self) -> SweepProgress:
        """How it stands now."""
        spent, states = self._spent(), list(self._states.values())
        with self._lock:
            running = dict(self._running)
        return SweepProgress(
            total=len(self._conditions),
            finished=states.count("finished"),
            degraded=len(self._degraded),
            stopped=states.count("stopped"),
            failed=states.count("failed"),
            running=running,
            calls=spent.calls,
            tokens=spent.tokens,
            dollars=float(spent.dollars) if self._priced else None,
            seconds=time.monotonic() - self._began,
            hours_left=self._hours_left(running),
        )

    def _hours_left(self, running: Mapping[str, TrialProgress]) -> float | None:
        means = {name: sum(took) / len(took) for name, took in list(self._seconds.items())}
        left = 0.0
        for trial, condition in self._conditions.items():
            if self._states.get(trial) not in ("finished", "failed"):
                if condition not in means:
                    return None
                left += means[condition] * _compute_share_left(running.get(trial))
        return left / self._workers / _HOUR

    def _report(self) -> None:
        if self._watch is None:
            return
        with self._lock:
            now = time.monotonic()
            if now - self._reported_at < _PAUSE:
                return
            self._reported_at = now
        self._watch(self.progress)


def _compute_share_left(progress: TrialProgress | None) -> float:
    return 1.0 if progress is None else 1.0 - progress.tick / max(1, progress.horizon)


def format_message(progress: SweepProgress, why: str, folder: Path, *, halted: bool = False) -> str:
    """Return how a sweep stands and how to resume it, on one line.

    Args:
        progress: of the sweep.
        why: trials are left.
        folder: of the sweep.
        halted: the first seed was a reason to stop, which `--anyway` passes over.
    """
    if progress.finished == progress.total:
        return f"all {progress.total:,} trials are finished{format_degraded(progress.degraded)}"
    done = f"{progress.finished:,} of {progress.total:,} trials are finished"
    due = progress.total - progress.finished - progress.failed - progress.stopped
    others = {"failed": progress.failed, "stopped": progress.stopped, "not begun": due}
    parts = [f"{count:,} {state}" for state, count in others.items() if count]
    counts = ", ".join([f"{done}{format_degraded(progress.degraded)}", *parts])
    again = f"genagents sweep {folder}{' --anyway' if halted else ''}"
    return f"{counts}{': ' + why if why else ''}; go on with `{again}`"


def format_degraded(count: int) -> str:
    """Return how many of the finished are degraded, to stand behind their number."""
    return f", {count:,} of them degraded" if count else ""
