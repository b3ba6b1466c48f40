"""Small experiments for tests: their files, their folders, and their trials lived in place."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from genagents_env.record.rows import encode
from genagents_env.run import RunOptions, run
from genagents_env.study.sweep.design.cells import Cell, build_cells
from genagents_env.study.sweep.design.experiment import Experiment, load_experiment
from genagents_env.study.sweep.design.trials import Trial, build_trials
from genagents_env.study.sweep.folder import SweepFolder

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
    """Write the file of a small experiment on `tiny`; a change of None leaves a key out.

    `arms` are the levels of a factor of that name; a single one is no factor.
    """
    given: dict[str, Any] = {
        "name": "small",
        "seeds": 2,
        "scenario": "tiny",
        "hours": 0.02,
        "arms": ARMS,
    }
    given |= changes
    arms = given.pop("arms")
    if isinstance(arms, list | tuple) and len(arms) == 1:
        given = {**arms[0], **given}
    elif isinstance(arms, list | tuple):
        levels = {one["name"]: {k: v for k, v in one.items() if k != "name"} for one in arms}
        given["factors"] = {"arm": levels, **dict(given.get("factors") or {})}
    lines = [f"{key} = {toml(v)}" for key, v in given.items() if v is not None]
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


def cells(folder: Path, **changes: object) -> tuple[Cell, ...]:
    """Return the cells of a small experiment."""
    return build_cells(load(folder, **changes), folder)


def create_sweep(folder: Path, **changes: object) -> SweepFolder:
    """Return the folder of a small experiment, `out` inside `folder`."""
    return SweepFolder.create(folder / "out", write_experiment(folder, **changes))


def run_in(sweep: SweepFolder, trial: Trial) -> Path:
    """Live a trial to its end and return its file."""
    path = sweep.run_file(trial)
    cell = next(one for one in sweep.cells if one.condition == trial.condition)
    options = RunOptions(cell.model, embedder=cell.embedder, interviews=cell.interviews)
    run(replace(cell.spec, seed=trial.seed), path, options)
    return path
