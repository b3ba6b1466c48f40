"""Small experiments for tests: their files and folders, their trials, and what came of them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from genagents_env.record import canonical_hash
from genagents_env.run import run
from genagents_env.scenario.toml_text import format_toml
from genagents_env.study.sweep.design.cells import Cell, Trial, build_cells, list_trials
from genagents_env.study.sweep.design.experiment import Experiment, load_experiment
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

TRAP = """
from pathlib import Path
import os, signal
from genagents_env.actions import Idle
from genagents_env.policy import Policy

class Trap(Policy):
    name = "trap"

    def __init__(self):
        mark = Path({mark!r})
        if mark.exists():
            {deed}

    def act(self, observations, infos):
        return {{agent: Idle() for agent in observations}}
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
    path = folder / "small.toml"
    text = format_toml({key: one for key, one in given.items() if one is not None})
    path.write_text(text, encoding="utf-8")
    return path


def write_trap(folder: Path, deed: str) -> None:
    """Write `trap.py:Trap`, which does `deed` as it is made while there is a file `mark`."""
    (folder / "trap.py").write_text(TRAP.format(mark=str(folder / "mark"), deed=deed))


def load(folder: Path, **changes: object) -> Experiment:
    """Return a small experiment."""
    return load_experiment(write_experiment(folder, **changes))


def trials(folder: Path, **changes: object) -> tuple[Trial, ...]:
    """Return the trials of a small experiment."""
    experiment = load(folder, **changes)
    conditions = [cell.condition for cell in build_cells(experiment, folder)]
    return list_trials(conditions, experiment.seeds)


def cells(folder: Path, **changes: object) -> tuple[Cell, ...]:
    """Return the cells of a small experiment."""
    return build_cells(load(folder, **changes), folder)


def create_sweep(folder: Path, **changes: object) -> SweepFolder:
    """Return the folder of a small experiment, `out` inside `folder`."""
    return SweepFolder.create(folder / "out", write_experiment(folder, **changes))


def compare_policies(folder: Path, policies: dict[str, str], **changes: object) -> SweepFolder:
    """Return the folder of an experiment on minds: levels by name, each with its policy."""
    given: dict[str, object] = {"model": "scripted:neighbour", "embedder": "hashed", "hours": None}
    if len(policies) > 1:
        given["factors"] = {"policy": policies}
    else:
        (given["policy"],) = policies.values()
    folder.mkdir(exist_ok=True)
    return create_sweep(folder, arms=None, **{**given, **changes})


def town(folder: Path, seeds: int, hours: float = 0.5) -> SweepFolder:
    """Return an experiment of runs that take about a second each, with talk and calls in them."""
    return compare_policies(
        folder,
        {"scripted": "scripted", "reactive": "reactive"},
        seeds=seeds,
        hours=hours,
        scenario="valentines_party",
        start="10:00",
        people=["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"],
    )


def run_in(sweep: SweepFolder, trial: Trial) -> Path:
    """Live a trial to its end and return its file."""
    path = sweep.run_file(trial)
    cell = next(one for one in sweep.cells if one.condition == trial.condition)
    run(replace(cell.spec, seed=trial.seed), path, cell.options)
    return path


def events(folder: SweepFolder, event: str) -> list[str]:
    """Return the trials of which the log says `event`, in its order."""
    return [str(line.get("trial")) for line in folder.log.read() if line.get("event") == event]


def hashes(folder: SweepFolder) -> dict[str, str]:
    """Return the canonical hash of every run file."""
    return {path.stem: canonical_hash(path) for path in sorted(folder.runs.glob("*.sqlite"))}


def whole(folder: SweepFolder) -> dict[str, str]:
    """Return the hashes of a folder in which every trial finished exactly once, as the log says."""
    names = sorted(trial.name for trial in folder.trials)
    assert sorted(events(folder, "finished")) == names, json.dumps(folder.log.read(), indent=1)
    assert [status.state for status in folder.read_statuses()] == ["finished"] * len(names)
    logged = {
        str(line["trial"]): line["hash"]
        for line in folder.log.read()
        if line["event"] == "finished"
    }
    found = hashes(folder)
    assert logged == found
    return found
