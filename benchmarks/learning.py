"""Measures what can be learned in each task: random, its solution, the optimum, PPO; with curves.

    python -m benchmarks.learning                  # what is missing, seed by seed
    python -m benchmarks.learning errand meet      # of these tasks
    python -m benchmarks.learning --again errand   # anew, whatever is known
    python -m benchmarks.learning --write          # nothing is trained; tables and pictures anew

Beside them stands what the shipped policy `learned` earns, in drawn towns and in those of TRANSFER,
which no training shows. Each task has a file `docs/learning/NAME.json` and a picture `NAME.png`. A
file is written after every seed, so a run that was stopped goes on where it was. One thread each;
several tasks may be measured by several processes. In a document a table stands between
`<!-- learning: NAME -->` and `<!-- /learning -->`; NAME is a task, `all`, `blind`, `transfer`,
`maskable`, or of the plain menu (`benchmarks.plain`) `plain`, `places`, `plain_TASK`, or of
unknown partners (`benchmarks.crossplay`) `crossplay` or `strengths`. What stands here is of the
portable menu.
"""

import argparse
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.blind import load_blind, tabulate_blind
from benchmarks.crossplay import load_crossplay, tabulate_crossplay, tabulate_strengths
from benchmarks.learning_tables import tabulate_all, tabulate_task, tabulate_transfer
from benchmarks.markdown import write_numbers
from benchmarks.maskable import load_maskable, tabulate_maskable
from benchmarks.plain import load_plain, tabulate_places, tabulate_plain, tabulate_plain_task
from genagents_env import town_v0
from genagents_env.policies.learned import LearnedPolicy
from genagents_env.policy import Policy
from genagents_env.run import rollout
from genagents_env.run.policies import load_policy
from genagents_env.train.tasks import HELD_OUT, TASKS, Task

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "learning"
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
SEEDS = range(5)
EPISODES = HELD_OUT[:40]  # of every comparison: towns that no training shows
# Agent-steps of a seed, where the usual number is more or less than it takes.
STEPS: Mapping[str, int] = {}
USUAL_STEPS = 300_000
TRANSFER: Mapping[str, str] = {"errand": "murder_mystery", "meet": "murder_mystery"}  # its towns
_BLOCK = re.compile(r"(<!-- learning: (\w+) -->\n)(.*?)(<!-- /learning -->)", re.DOTALL)


def find_file(task: str) -> Path:
    """Return where the figures of a task are kept."""
    return FOLDER / f"{task}.json"


def load_learning() -> dict[str, dict[str, Any]]:
    """Return what is known of each task, in the order of the suite."""
    files = {task: find_file(task) for task in TASKS}
    return {task: json.loads(file.read_text()) for task, file in files.items() if file.is_file()}


def play_policy(
    task: Task, make: Callable[[], Policy], seeds: Sequence[int], town: str | None = None
) -> list[list[float]]:
    """Return what each agent earns in each episode where one policy decides for all."""
    env = town_v0.rl_env(task, town, actions="words", menu="portable")
    return [_round(rollout(env, make(), seed).returns) for seed in seeds]


def play_random(task: Task, seeds: Sequence[int], town: str | None = None) -> list[list[float]]:
    """Return what each agent earns that draws every possible choice of the menu alike."""
    return play_policy(task, lambda: load_policy("random"), seeds, town)


def play_learned(task: Task, seeds: Sequence[int], town: str | None = None) -> list[list[float]]:
    """Return what each agent earns by the shipped weights."""
    return play_policy(task, LearnedPolicy, seeds, town)


def find_optimum(task: Task, seeds: Sequence[int]) -> list[list[float]] | None:
    """Return the optimum of each agent in each episode, where it is known."""
    if task.find_optimum is None:
        return None
    env, found = town_v0.rl_env(task), []
    for seed in seeds:
        env.reset(seed=seed)
        found.append(_round(task.find_optimum(env.town)))
    return found


def measure_baselines(task: Task, seeds: Sequence[int]) -> dict[str, Any]:
    """Return the figures that need no training, by episode and agent."""
    return {
        "random": play_random(task, seeds),
        "solution": play_policy(task, lambda: load_policy("solution"), seeds),
        "optimum": find_optimum(task, seeds),
    }


def measure_learned(task: Task, seeds: Sequence[int]) -> dict[str, Any]:
    """Return which weights are shipped, and what they earn here and in a shipped town."""
    found: dict[str, Any] = {
        "weights": LearnedPolicy().network.digest,
        "held_out": play_learned(task, seeds),
    }
    if task.name in TRANSFER:
        town = TRANSFER[task.name]
        found["town"] = {
            "name": town,
            "random": play_random(task, seeds, town),
            "solution": play_policy(task, lambda: load_policy("solution"), seeds, town),
            "learned": play_learned(task, seeds, town),
        }
    return found


def measure_seed(task: Task, seed: int) -> dict[str, Any]:
    """Train from a seed; return its budget, its curve, and what its policy earns."""
    # The extra `train` only where something is trained.
    import torch

    from examples.train_ppo import Config, Evaluation, train

    torch.set_num_threads(1)
    steps = STEPS.get(task.name, USUAL_STEPS)
    config = replace(Config(), tasks=task.name, total_steps=steps)
    done = train(config, seed)
    played = Evaluation(task.name, EPISODES, config).play(done.net)
    return {
        "config": {k: v for k, v in asdict(config).items() if k not in ("seeds", "out")},
        "steps": done.steps,
        "seconds": round(done.seconds),
        "curve": [[point.steps, round(point.mean, 4)] for point in done.curve[task.name]],
        "held_out": np.round(played, 4).tolist(),
    }


def measure_task(task: Task, seeds: Sequence[int], *, again: bool = False) -> None:
    """Measure what is missing of a task, and keep it after every seed."""
    file = find_file(task.name)
    known: dict[str, Any] = {}
    if file.is_file() and not again:
        known = json.loads(file.read_text())
    if "random" not in known:
        known |= measure_baselines(task, EPISODES)
        known["horizon"], known["people"] = task.horizon, task.people
        known["bounds"] = list(task.bounds)
        _write(file, known)
    if known.get("learned", {}).get("weights") != LearnedPolicy().network.digest:
        known["learned"] = measure_learned(task, EPISODES)
        _write(file, known)
    for seed in seeds:
        if str(seed) not in known.setdefault("ppo", {}):
            known["ppo"][str(seed)] = found = measure_seed(task, seed)
            _write(file, known)
            told = f"{found['curve'][-1][1]:.3f} an agent, {found['seconds']} CPU seconds"
            print(f"{task.name}, seed {seed}: {told}", flush=True)


def draw(file: Path, task: str, known: Mapping[str, Any], levels: Mapping[str, Any]) -> None:
    """Draw the curves of a task, and the levels they are compared with."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for kind, label, color in (("ppo", "PPO", "tab:blue"), ("team", "as a team", "tab:orange")):
        for k, found in enumerate(known.get(kind, {}).values()):
            steps, means = zip(*found["curve"], strict=True)
            axes.plot(steps, means, color=color, alpha=0.7, label=label if k == 0 else None)
    for name, color, style in (
        ("optimum", "black", "--"),
        ("solution", "tab:green", "-."),
        ("random", "0.5", ":"),
    ):
        if levels[name] is not None:
            level = float(np.mean(levels[name]))
            axes.axhline(level, color=color, linestyle=style, label=name)
    axes.set(xlabel="agent-steps", ylabel="return of an agent", title=task)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.savefig(file, dpi=90)
    plt.close(figure)


def fill_blocks(text: str, known: Mapping[str, Any]) -> str:
    """Return a document with its tables as the figures have them."""
    whole = {"all": tabulate_all, "transfer": tabulate_transfer}

    def fill(found: re.Match[str]) -> str:
        name = found[2]
        if name == "maskable":
            rows = tabulate_maskable(load_maskable())
        elif name == "blind":
            rows = tabulate_blind(known, load_blind())
        elif name == "crossplay":
            rows = tabulate_crossplay(load_crossplay())
        elif name == "strengths":
            rows = tabulate_strengths(load_crossplay())
        elif name == "plain":
            rows = tabulate_plain(load_plain())
        elif name.startswith("plain_"):
            task = name.removeprefix("plain_")
            rows = tabulate_plain_task(task, load_plain()[task])
        elif name == "places":
            rows = tabulate_places(load_plain())
        elif name in whole:
            rows = whole[name](known)
        else:
            rows = tabulate_task(known[name])
        return f"{found[1]}\n{chr(10).join(rows)}\n\n{found[4]}"

    return _BLOCK.sub(fill, text)


def find_blocks(text: str) -> list[str]:
    """Return the names of the tables of a document."""
    return [name for _, name, _, _ in _BLOCK.findall(text)]


def write_documents(known: Mapping[str, Any]) -> None:
    """Write every document whose tables are not as the figures have them."""
    for path in DOCUMENTS:
        text = path.read_text()
        if (filled := fill_blocks(text, known)) != text:
            path.write_text(filled)
            print("written", path.relative_to(ROOT))


def _round(earned: Mapping[str, float]) -> list[float]:
    return [round(value, 4) for value in earned.values()]


def _write(file: Path, known: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(write_numbers(known))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", choices=[[], *TASKS])
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="trained of each task")
    parser.add_argument("--again", action="store_true", help="whatever is known")
    parser.add_argument("--write", action="store_true", help="train nothing")
    options = parser.parse_args()
    # The first seed of every task before the second of any.
    for seed in [] if options.write else range(options.seeds):
        for name in options.tasks or TASKS:
            measure_task(TASKS[name], [seed], again=options.again and seed == 0)
    known = load_learning()
    for name, figures in known.items():
        draw(FOLDER / f"{name}.png", name, figures, figures)
    for name, figures in load_plain().items():
        levels = figures["places"]["held_out"] | {"optimum": figures["optimum"]}
        draw(FOLDER / "plain" / f"{name}.png", name, figures, levels)
    write_documents(known)
    # The pages of the tasks, which stand on the figures and on this.
    from benchmarks.task_pages import write_pages

    write_pages()


if __name__ == "__main__":
    main()
