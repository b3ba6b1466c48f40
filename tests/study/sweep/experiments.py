"""Small experiments on disk, and what came of their sweeps."""

import json
from pathlib import Path

from genagents_env.record import canonical_hash
from genagents_env.study.sweep import SweepFolder
from tests.study.sweep.small_sweeps import toml

HEAD = """
name = "small"
seeds = {seeds}
scenario = "{scenario}"
model = "{model}"
embedder = "hashed"
{more}
"""


def create_sweep(
    path: Path,
    policies: dict[str, str],
    *,
    seeds: int = 2,
    scenario: str = "tiny",
    model: str = "scripted:neighbour",
    more: str = "",
) -> SweepFolder:
    """Return the folder `path/"out"` of an experiment: levels by name, each with its policy."""
    head = "".join(f"policy = {toml(own)}\n" for own in policies.values() if len(policies) == 1)
    text = head + HEAD.format(seeds=seeds, scenario=scenario, model=model, more=more)
    if len(policies) > 1:
        text += f"\n[factors]\npolicy = {toml(policies)}\n"
    path.mkdir(exist_ok=True)
    file = path / "experiment.toml"
    file.write_text(text)
    return SweepFolder.create(path / "out", file)


def town(path: Path, seeds: int, hours: float = 0.5) -> SweepFolder:
    """Return an experiment of runs that take about a second each, with talk and calls in them."""
    more = (
        f'hours = {hours}\nstart = "10:00"\n'
        'people = ["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"]\n'
    )
    policies = {"scripted": "scripted", "reactive": "reactive"}
    return create_sweep(path, policies, seeds=seeds, scenario="valentines_party", more=more)


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
