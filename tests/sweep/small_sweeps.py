"""Small experiments for tests: their files, their folders, and their trials lived in place."""

from pathlib import Path

from genagents_env.record.rows import encode
from genagents_env.run import RunOptions, run
from genagents_env.sweep.design.experiment import Experiment, load_experiment
from genagents_env.sweep.design.trials import Trial, build_trials
from genagents_env.sweep.folder import SweepFolder

ARMS = ({"name": "scripted", "policy": "scripted"}, {"name": "nobody moves", "policy": "idle"})
OWN = """from genagents_env.policy import Policy

class Mine(Policy):
    name = "mine"

    def __init__(self, k: int = 1) -> None:
        self.k = k

    def act(self, observations, infos):
        return {}
"""


def write_experiment(folder: Path, **changes: object) -> Path:
    """Write the file of a small experiment on `tiny`; a change of None leaves a key out."""
    given = {"name": "small", "seeds": 2, "scenario": "tiny", "hours": 0.02, "arms": ARMS}
    lines = [f"{key} = {toml(v)}" for key, v in {**given, **changes}.items() if v is not None]
    path = folder / "small.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def toml(value: object) -> str:
    """Return a value in the words of TOML, on one line."""
    if isinstance(value, dict):
        inside = ", ".join(f"{encode(str(key))} = {toml(one)}" for key, one in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml(one) for one in value)}]"
    return encode(value)


def load(folder: Path, **changes: object) -> Experiment:
    """Return a small experiment."""
    return load_experiment(write_experiment(folder, **changes))


def trials(folder: Path, **changes: object) -> tuple[Trial, ...]:
    """Return the trials of a small experiment."""
    return build_trials(load(folder, **changes), folder)


def create_sweep(folder: Path, **changes: object) -> SweepFolder:
    """Return the folder of a small experiment, `out` inside `folder`."""
    return SweepFolder.create(folder / "out", write_experiment(folder, **changes))


def run_in(sweep: SweepFolder, trial: Trial) -> Path:
    """Live a trial to its end and return its file."""
    path = sweep.run_file(trial)
    run(
        trial.spec,
        path,
        RunOptions(trial.model, embedder=trial.embedder, interviews=trial.interviews),
    )
    return path
