"""Unknown partners: policies that come with the package play among one another, in drawn towns.

    python -m benchmarks.crossplay                # what is missing; minutes
    python -m benchmarks.crossplay errand meet    # of these tasks, anew

One agent, the focal one, follows a policy, all others another, as in the scenarios of Melting Pot
(Leibo et al. 2021): the background comes with the package and does not learn. The focal agent is
another one from seed to seed. In the table of strengths two policies have met where they were
focal with the same seed and background; who earned more has won, equal returns are half a win each,
and the strengths are those of Bradley and Terry (1952). The figures stand in
docs/learning/crossplay.json, and between `<!-- learning: crossplay -->` in docs/learning.md.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.markdown import make_rows, write_numbers
from genagents_env import town_v0
from genagents_env.run import rollout
from genagents_env.train.tasks import HELD_OUT, TASKS, Task

FILE = Path(__file__).resolve().parents[1] / "docs" / "learning" / "crossplay.json"
POLICIES = ("idle", "random", "learned", "solution")
SEEDS = HELD_OUT[256:272]  # of episodes that no other table shows
_ROUNDS, _TIE = 200, 1e-9
Figures = dict[str, dict[str, dict[str, list[float]]]]  # by task, background and focal policy


def list_tasks() -> list[str]:
    """Return the tasks of drawn towns."""
    return [name for name, task in TASKS.items() if task.town is None]


def play(task: Task, focal: str, background: str) -> list[float]:
    """Return what the focal agent earns in the episode of each seed."""
    # The menu of `learned`; all others play by any.
    env = town_v0.rl_env(task, actions="words", percepts=True, menu="portable")
    earned = []
    for seed in SEEDS:
        agent = env.possible_agents[seed % task.people]
        policies = dict.fromkeys(env.possible_agents, background) | {agent: focal}
        earned.append(round(rollout(env, policies, seed).returns[agent], 4))
    return earned


def measure(task: Task) -> dict[str, dict[str, list[float]]]:
    """Return the returns of every policy among every other, by background and focal policy."""
    return {
        background: {focal: play(task, focal, background) for focal in POLICIES}
        for background in POLICIES
    }


def count_wins(known: Figures) -> npt.NDArray[np.float64]:
    """Return how often each policy earned more than each other in its place, shape (P, P)."""
    wins = np.zeros((len(POLICIES), len(POLICIES)))
    for backgrounds in known.values():
        for focal in backgrounds.values():
            for i, j in combinations(range(len(POLICIES)), 2):
                a, b = np.array(focal[POLICIES[i]]), np.array(focal[POLICIES[j]])
                ties = (np.abs(a - b) <= _TIE).sum() / 2
                wins[i, j] += (a > b + _TIE).sum() + ties
                wins[j, i] += (b > a + _TIE).sum() + ties
    return wins


def find_strengths(wins: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return strengths of Bradley and Terry, summing to 1, by Hunter's MM algorithm (2004).

    The chance that i beats j is strength i over the sum of both. Every policy has to have won.
    """
    games, strengths = wins + wins.T, np.full(len(wins), 1 / len(wins))
    for _ in range(_ROUNDS):
        pairs = games / (strengths[:, None] + strengths)
        np.fill_diagonal(pairs, 0.0)
        strengths = wins.sum(axis=1) / pairs.sum(axis=1)
        strengths /= strengths.sum()
    return strengths


def tabulate_crossplay(known: Figures) -> Iterator[str]:
    """Yield a row for each task and focal policy: its mean return by background."""
    rows = [("task", "focal", *(f"among `{name}`" for name in POLICIES))]
    for task, backgrounds in known.items():
        for focal in POLICIES:
            cells = [f"{np.mean(backgrounds[name][focal]):.2f}" for name in POLICIES]
            rows.append((f"`{task}`", f"`{focal}`", *cells))
    return make_rows(*rows)


def tabulate_strengths(known: Figures) -> Iterator[str]:
    """Yield a row for each policy, the strongest first."""
    wins = count_wins(known)
    strengths = find_strengths(wins)
    chance = strengths[POLICIES.index("random")]
    rows = [("policy", "strength", "beats `random` with the chance of", "comparisons won")]
    for i in np.argsort(-strengths).tolist():
        won = wins[i].sum() / (wins[i].sum() + wins[:, i].sum())
        beats = strengths[i] / (strengths[i] + chance)
        rows.append((f"`{POLICIES[i]}`", f"{strengths[i]:.3f}", f"{beats:.2f}", f"{won:.2f}"))
    return make_rows(*rows)


def load_crossplay() -> Figures:
    """Return what is known, in the order of the suite."""
    known: Mapping[str, Any] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    return {task: known[task] for task in list_tasks() if task in known}


def main() -> None:
    """Measure what is missing, or the tasks that are named; keep it after each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tasks", nargs="*", choices=[[], *list_tasks()])
    named = parser.parse_args().tasks
    for task in named or [task for task in list_tasks() if task not in load_crossplay()]:
        found = measure(TASKS[task])
        FILE.write_text(write_numbers(load_crossplay() | {task: found}))
        print(task, {who: round(float(np.mean(v)), 3) for who, v in found["solution"].items()})


if __name__ == "__main__":
    main()
