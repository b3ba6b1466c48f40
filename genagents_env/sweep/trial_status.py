"""How a trial stands, read from its run file without reading all of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from genagents_env.errors import DiskError, RecordError
from genagents_env.record import Degradation, RunMeta, RunReader
from genagents_env.record.lock import find_writer
from genagents_env.run.policies import find_policy_file, read_source, shorten_policy
from genagents_env.sweep.design.trials import Trial
from genagents_env.text import clean

TrialState: TypeAlias = Literal["due", "finished", "stopped", "damaged", "failed"]

_LIMIT = 500


@dataclass(frozen=True)
class TrialStatus:
    """How a trial stands.

    Attributes:
        trial: its name.
        state: due (there is nothing of it), finished, stopped (it can be resumed, or is running
            just now), damaged (its file cannot be used), failed (the last try ended in an error).
        status: of the run file, see `RunReader.status`; `running` while a process writes it.
        tick: the last in the file, -1 where there is none.
        problem: why it is damaged or failed.
        degraded: why a finished run is; empty where it is not.
    """

    trial: str
    state: TrialState
    status: str = ""
    tick: int = -1
    problem: str = ""
    degraded: str = ""


def read_status(trial: Trial, path: Path) -> TrialStatus:
    """Return how `trial` stands by its run file `path`, which need not be there.

    A file that cannot be opened (permissions, a lock, a failing disk) makes it a failed one:
    nothing says that the run in it is lost.
    """
    if _is_empty(path):
        return TrialStatus(trial.name, "due")
    writer = find_writer(path)
    try:
        with RunReader(path) as run:
            other = "" if writer else _find_difference(trial, run.meta)
            status, tick = run.status, run.last_tick
            degraded = describe_degraded(run.find_degradation()) if status == "finished" else ""
    except RecordError as error:
        if writer or find_writer(path):  # started a moment ago, or not yet whole
            return TrialStatus(trial.name, "stopped", "running")
        state: TrialState = "failed" if isinstance(error, DiskError) else "damaged"
        return TrialStatus(trial.name, state, problem=clean(str(error), _LIMIT))
    except OSError as error:
        return TrialStatus(trial.name, "failed", problem=clean(str(error), _LIMIT))
    if other:
        problem = clean(f"{path} is another run: {other}", _LIMIT)
        return TrialStatus(trial.name, "damaged", status, tick, problem)
    if status == "finished":
        return TrialStatus(trial.name, "finished", status, tick, degraded=degraded)
    return TrialStatus(trial.name, "stopped", status, tick)


def describe_degraded(found: Degradation) -> str:
    """Return why a run is degraded, in words; empty where it is not."""
    return clean("; ".join(found.describe()), _LIMIT)


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except FileNotFoundError:
        return True


def _find_difference(trial: Trial, meta: RunMeta) -> str:
    """Return in what the run of `meta` is not `trial`; empty where it is."""
    spec = trial.spec
    if meta.seed != spec.seed:
        return f"its seed is {meta.seed}, not {spec.seed}"
    wanted = {
        "start": spec.town.start,
        "hours": spec.town.hours,
        "seconds_per_tick": spec.town.seconds_per_tick,
    }
    for key, value in wanted.items():
        if meta.arguments.get(key) != value:
            return f"its {key} is {meta.arguments.get(key)}, not {value}"
    if meta.scenario != spec.town.scenario:
        return "its scenario is not the one of the experiment, or has changed"
    for agent in meta.names:
        recorded = meta.policies.get(agent, {})
        own = agent in spec.policy_for
        name = spec.policy_for[agent] if own else spec.policy.name
        config = {} if own else dict(spec.policy.config)
        if (
            shorten_policy(str(recorded.get("name"))) != shorten_policy(name)
            or recorded.get("config") != config
        ):
            return f"the policy of {agent} is {recorded.get('name')} with {recorded.get('config')}"
        before = meta.origins.get(str(recorded.get("name")))
        if before is not None and before.sha256 not in (None, _hash_policy(name)):
            return f"the file of the policy of {agent} was another ({before})"
    return ""


def _hash_policy(name: str) -> str | None:
    return None if find_policy_file(name) is None else read_source(name).sha256
