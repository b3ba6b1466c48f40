"""How a trial stands, read from its run file and what is stored beside it."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from genagents_env.errors import DiskError, RecordError
from genagents_env.record import RunMeta, RunReader
from genagents_env.record.lock import find_writer
from genagents_env.run import RunSpec
from genagents_env.run.policies import shorten_policy
from genagents_env.study.sweep.design.cells import Condition
from genagents_env.study.sweep.design.trials import Trial
from genagents_env.study.sweep.measured import MeasuredRun, read_measured
from genagents_env.text import clean

TrialState: TypeAlias = Literal["due", "finished", "stopped", "damaged", "failed"]

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


def read_status(trial: Trial, path: Path) -> StudyRun:
    """Return how `trial` stands by its run file `path`, which need not be there.

    A file that cannot be opened (permissions, a lock, a failing disk) makes it a failed one:
    nothing says that the run in it is lost.
    """
    due = StudyRun(trial.name, trial.condition, trial.seed, trial.identity, path, "due")
    if _is_empty(path):
        return due
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


def find_difference(spec: RunSpec, meta: RunMeta) -> str:
    """Return in what a recorded run is not of `spec`; empty where it is."""
    if meta.seed != spec.seed:
        return f"its seed is {meta.seed}, not {spec.seed}"
    town = spec.town
    for key in ("start", "hours", "seconds_per_tick"):
        if meta.arguments.get(key) != getattr(town, key):
            return f"its {key} is {meta.arguments.get(key)}, not {getattr(town, key)}"
    if meta.scenario != town.scenario:
        return "its scenario is not the one of the experiment, or has changed"
    for agent in meta.names:
        recorded = meta.policies.get(agent, {})
        own = agent in spec.policy_for
        name = spec.policy_for[agent] if own else spec.policy.name
        config = {} if own else dict(spec.policy.config)
        found = str(recorded.get("name")), recorded.get("config")
        if (shorten_policy(found[0]), found[1]) != (shorten_policy(name), config):
            return f"the policy of {agent} is {found[0]} with {found[1]}"
    return ""


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except FileNotFoundError:
        return True
