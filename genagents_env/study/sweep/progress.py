"""How far a sweep is, counted as results come in; and how it ended."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from genagents_env.llm.budget import Spend
from genagents_env.record.rows import JSON
from genagents_env.run import Progress
from genagents_env.study.sweep.design.cells import Trial
from genagents_env.study.sweep.ledger import write_spend

_HOUR = 3600.0


@dataclass(frozen=True)
class TrialCounts:
    """How many trials of a sweep stand how, earlier sessions included.

    Attributes:
        total: trials that were asked for; those in none of the other counts were not started.
        finished: to their end.
        degraded: finished ones that are, see `Degradation.degraded`.
        stopped: by a budget, an outage or a signal; they can be resumed.
        failed: these need the user's attention, and are tried again by a resumed sweep.
    """

    total: int
    finished: int
    degraded: int
    stopped: int
    failed: int

    def describe(self) -> str:
        """Return the counts on one line."""
        degraded = format_degraded(self.degraded)
        if self.finished == self.total:
            return f"all {self.total:,} trials are finished{degraded}"
        due = self.total - self.finished - self.failed - self.stopped
        others = {"failed": self.failed, "stopped": self.stopped, "not begun": due}
        parts = [f"{count:,} {state}" for state, count in others.items() if count]
        done = f"{self.finished:,} of {self.total:,} trials are finished{degraded}"
        return ", ".join([done, *parts])


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

    running: Mapping[str, Progress]
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
    """Keeps the count of all trials of a sweep, and what those of each condition took."""

    def __init__(self, trials: Iterable[Trial], workers: int) -> None:
        self._conditions = {trial.name: trial.condition.name for trial in trials}
        self._workers = workers
        self._states: dict[str, str] = {}
        self._degraded: set[str] = set()
        self._seconds: dict[str, list[float]] = {}
        self._priced = True
        self._began = time.monotonic()

    def note(
        self, trial: str, state: str, *, degraded: bool = False, seconds: float | None = None
    ) -> None:
        """Note how a trial stands; of a finished one, whether it is degraded and what it took."""
        self._states[trial] = state
        self._degraded |= {trial} if degraded else set()
        if state == "finished" and seconds:
            self._seconds.setdefault(self._conditions[trial], []).append(seconds)

    def count(self, spent: Spend, running: Mapping[str, Progress] | None = None) -> SweepProgress:
        """Return how it stands now; trials are noted in another thread than some ask in."""
        states, running = list(self._states.values()), running or {}
        self._priced = self._priced and all(one.dollars is not None for one in running.values())
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

    def _hours_left(self, running: Mapping[str, Progress]) -> float | None:
        means = {name: fmean(seconds) for name, seconds in list(self._seconds.items())}
        left = 0.0
        for trial, condition in self._conditions.items():
            if self._states.get(trial) not in ("finished", "failed"):
                if condition not in means:
                    return None
                at = running.get(trial)
                left += means[condition] * (1 - at.tick / max(1, at.horizon) if at else 1)
        return left / self._workers / _HOUR


def format_degraded(count: int) -> str:
    """Return how many of the finished are degraded, to stand behind their number."""
    return f", {count:,} of them degraded" if count else ""
