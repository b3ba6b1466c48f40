"""How far a sweep is: counted as results come in, and reported to `watch`."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genagents_env.llm.budget import Spend
from genagents_env.study.sweep.job import TrialResult
from genagents_env.study.sweep.ledger import TrialProgress

if TYPE_CHECKING:
    from genagents_env.study.sweep.design.trials import Trial

_PAUSE = 0.2  # seconds between two reports
_HOUR = 3600.0


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is.

    Attributes:
        total: trials.
        finished: of these, earlier sessions included; so are the next two.
        degraded: finished ones that are.
        stopped: by a budget, an outage or a signal; they can be resumed.
        failed: these need the user's attention.
        running: how far each trial under way is, by its name.
        calls: of models, in the whole sweep; so are tokens.
        tokens: read and written.
        dollars: None where no price is known.
        seconds: of wall clock in this session.
        hours_left: from the times of finished trials of the same condition; None as long as a
            condition that is due has none.
    """

    total: int
    finished: int
    degraded: int
    stopped: int
    failed: int
    running: Mapping[str, TrialProgress]
    calls: int
    tokens: int
    dollars: float | None
    seconds: float
    hours_left: float | None


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
        trials: Iterable["Trial"],
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

    def note_state(self, trial: str, state: str) -> None:
        """Note how a trial stands."""
        self._states[trial] = state

    def note_degraded(self, trial: str) -> None:
        """Note that a policy failed in a finished trial."""
        self._degraded.add(trial)

    def note_durations(self, trial: str, seconds: Iterable[float]) -> None:
        """Note what a trial took from its start to its end, each time that it ended."""
        for one in seconds:
            self._seconds.setdefault(self._conditions[trial], []).append(one)

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
        self.note_state(result.trial, result.state)
        if result.state == "finished":
            self.note_durations(result.trial, [result.seconds])
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
