"""What a worker is given to do, and what it returns: a `Job` and a `TrialResult`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from genagents_env.llm.budget import NO_LIMITS, Limits, Spend
from genagents_env.run import RunOptions, RunSpec
from genagents_env.study.sweep.measured import MeasuredRun

DAMAGED = "damaged"
_FAILED = ("failed", DAMAGED)


@dataclass(frozen=True)
class Job:
    """A trial, and how a worker is to run it.

    Attributes:
        trial: its name.
        spec: what is run, with its seed.
        path: of its run file, in the sweep's folder.
        ledger: of the sweep, or of this trial; None for one that lasts as long as the worker.
        options: of the run, but what only its worker has: the ledger, and who watches.
        total: of all workers together, or the part that is this worker's own.
        judge: let the run's own model judge its answers in the end.
        measures: names of those that are taken of the finished run.
        base: the folder from which measures that are files are found.
        is_dedicated: the process is a worker of this machine that does nothing but this.
    """

    trial: str
    spec: RunSpec
    path: Path
    ledger: Path | None
    options: RunOptions = RunOptions()  # noqa: RUF009 (frozen)
    total: Limits = NO_LIMITS
    judge: bool = True
    measures: tuple[str, ...] = ()
    base: Path = Path()
    is_dedicated: bool = False


@dataclass(frozen=True)
class TrialResult:
    """How a trial stands when its worker is done with it.

    Attributes:
        trial: its name.
        status: of the run file (finished, paused, budget_exhausted, interrupted), `failed`, or
            `damaged` for a file that has to be set aside before the trial is run again.
        tick: the last one of the run.
        message: one line; of a finished run why not all its answers are judged, mostly empty.
        seconds: of wall clock spent on it here.
        spent: meanwhile, by all who share its ledger.
        measured: what was measured of a finished run, as it is stored beside the file.
    """

    trial: str
    status: str
    tick: int = -1
    message: str = ""
    seconds: float = 0.0
    spent: Spend = Spend()  # noqa: RUF009 (frozen)
    measured: MeasuredRun | None = None

    @property
    def hash(self) -> str | None:
        """The canonical one of a finished run."""
        return None if self.measured is None else self.measured.hash

    @property
    def degraded(self) -> str:
        """Why a finished run is; empty where it is not."""
        return "" if self.measured is None else self.measured.degraded

    @property
    def state(self) -> Literal["finished", "stopped", "failed"]:
        """Stopped is resumable; failed needs the user's attention."""
        if self.status == "finished":
            return "finished"
        return "failed" if self.status in _FAILED else "stopped"
