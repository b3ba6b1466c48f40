"""What a worker is given to do, and what it returns: a `Job` and a `TrialResult`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from genagents_env.llm.open import ModelOptions
from genagents_env.run import Limits
from genagents_env.sweep.design.trials import Trial
from genagents_env.sweep.spending.protocol import Address

DAMAGED = "damaged"
_USUAL = ModelOptions()


@dataclass(frozen=True)
class Job:
    """A trial, and how a worker is to run it.

    Attributes:
        trial: what is run.
        path: of its run file, in the sweep's folder.
        address: of the sweep's budget server; None is no shared budget and no progress.
        limits: of this run.
        concurrency: model calls under way at once, at most; None is as many as the endpoint
            keeps up with.
        model_options: how models are asked.
        model_for: other models, by person or faculty.
        judge: let the run's own model judge its answers in the end.
        threads: for a model in this process.
        unfinished: the run file to resume, where it is not on this machine.
        collect: run in a temporary folder and send the run file back.
        strict: a run stops at the first error of a policy.
        max_fallbacks: see `RunOptions`.
        is_dedicated: the process is a worker of this machine that does nothing but this.
    """

    trial: Trial
    path: Path
    address: Address | None
    limits: Limits
    concurrency: int | None
    judge: bool
    threads: int
    unfinished: bytes | None = None
    collect: bool = False
    strict: bool = False
    max_fallbacks: float | None = None
    is_dedicated: bool = False
    model_options: ModelOptions = _USUAL
    model_for: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TrialResult:
    """How a trial stands when its worker is done with it.

    Attributes:
        trial: its name.
        state: stopped is resumable; failed needs the user's attention.
        status: of the run file (finished, paused, budget_exhausted, interrupted), `failed`, or
            `damaged` for a file that has to be set aside before the trial is run again.
        tick: the last one of the run.
        hash: the canonical one of a finished run.
        message: one line; of a finished run why not all its answers are judged, mostly empty.
        seconds: of wall clock spent on it here.
        degraded: why a finished run is; empty where it is not.
        file: the run file, where the job asked for it.
    """

    trial: str
    state: Literal["finished", "stopped", "failed"]
    status: str
    tick: int
    hash: str | None
    message: str
    seconds: float
    degraded: str = ""
    file: bytes | None = None
