"""What is earned by the portable menu without looking: by idling, and by the best fixed list.

    python -m benchmarks.blind                # what is missing; some minutes a task
    python -m benchmarks.blind errand meet    # of these tasks, anew

A list has up to four choices of the portable menu; its agent takes the first that is possible, else
idles, and reads no observation. 4,096 lists play in training towns, three quarters of them changed
from the best before; the best of all is scored once,
in 128 held-out towns. What comes near the solution by this, its menu gives away. The figures stand
in docs/learning/blind.json, and between `<!-- learning: blind -->` in docs/learning.md.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.markdown import make_rows
from genagents_env import town_v0
from genagents_env.train.tasks import HELD_OUT, LAYOUTS, TASKS, TRAINING, Task
from genagents_env.train.tasks.vector import make_vector

FILE = Path(__file__).resolve().parents[1] / "docs" / "learning" / "blind.json"
MENU = "portable"  # of the figures kept here; `benchmarks.plain` has those of the other
LISTS, LONGEST = 1024, 4  # of a generation; entries of a list
_GENERATIONS, _PARENTS = 4, 64
_LAYOUTS = 32  # training towns
_FIRST, _SECOND = 2, 4  # episodes of a generation, and of the best at the end
Lists = npt.NDArray[np.int64]


def list_tasks() -> list[str]:
    """Return the tasks of drawn towns."""
    return [name for name, task in TASKS.items() if task.town is None]


def draw_lists(choices: int, rng: np.random.Generator) -> Lists:
    """Return all lists of one choice, and pairs, shape (LISTS, LONGEST); 0 fills them up."""
    lists = np.zeros((LISTS, LONGEST), dtype=np.int64)
    lists[:, :2] = rng.integers(1, choices, (LISTS, 2))
    lists[: choices - 1, 0], lists[: choices - 1, 1] = np.arange(1, choices), 0
    return lists


def change_lists(parents: Lists, choices: int, rng: np.random.Generator) -> Lists:
    """Return lists that each differ from one of `parents` by an entry more, less or another."""
    lists = parents[rng.integers(len(parents), size=LISTS)]
    for row in lists:
        entries = [choice for choice in row.tolist() if choice]
        at, new = int(rng.integers(len(entries) + 1)), int(rng.integers(1, choices))
        if at < len(entries) and rng.random() < 0.5:
            entries[at : at + 1] = [new] if rng.random() < 0.7 else []
        else:
            entries.insert(at, new)
        row[:] = (entries + [0] * LONGEST)[:LONGEST]
    return lists


def choose(lists: Lists, masks: npt.NDArray[np.int8]) -> Lists:
    """Return the first possible choice of each slot's list, shapes (slots, LONGEST), (slots, N)."""
    possible = np.take_along_axis(masks, lists, axis=1) > 0
    chosen: Lists = np.take_along_axis(lists, possible.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.where(possible.any(axis=1), chosen, 0)


def play(vector: Any, lists: Lists, seed: int | Sequence[int]) -> npt.NDArray[np.float64]:
    """Return the mean return of an agent in one episode of each town, by the list of the town."""
    people = len(vector.agents)
    own = lists.repeat(people, axis=0)
    masks = vector.reset(seed=seed)[0]["action_mask"]
    total, first = np.zeros(len(own)), np.ones(len(own), dtype=np.bool_)
    while first.any():
        seen, rewards, ends, cuts, _ = vector.step(choose(own, masks))
        masks = seen["action_mask"]
        total[first] += rewards[first]
        first &= ~(ends | cuts)
    means: npt.NDArray[np.float64] = total.reshape(-1, people).mean(axis=1)
    return means


def find_best(task: Task, menu: str) -> list[int]:
    """Return the list that earns most in training towns."""
    vector = make_vector(task, _LAYOUTS, LISTS // _LAYOUTS, menu=menu)
    choices = int(vector.single_action_space.n)  # type: ignore[attr-defined]  # Discrete
    rng, seed = np.random.default_rng(0), TRAINING.start
    best, scores = draw_lists(choices, rng)[:0], np.zeros(0)
    lists = draw_lists(choices, rng)
    for _ in range(_GENERATIONS):
        earned = np.zeros(LISTS)
        for _ in range(_FIRST):
            order, seed = rng.permutation(LISTS), seed + LISTS
            earned[order] += play(vector, lists[order], seed) / _FIRST
        best, scores = np.concatenate([best, lists]), np.concatenate([scores, earned])
        top = np.argsort(-scores)[:_PARENTS]
        best, scores = best[top], scores[top]
        lists = change_lists(best, choices, rng)
    which, sums = np.arange(LISTS) % _PARENTS, np.zeros(_PARENTS)
    for _ in range(_SECOND):
        which, seed = rng.permutation(which), seed + LISTS
        sums += np.bincount(which, play(vector, best[which], seed), _PARENTS)
    found: list[int] = best[int(sums.argmax())].tolist()
    return [choice for choice in found if choice]


def score(task: Task, choices: Sequence[int], menu: str) -> float:
    """Return what an agent earns in held-out towns by a list, or by idling if it is empty."""
    held_out = list(HELD_OUT[:LAYOUTS])
    vector = make_vector(task, held_out, 1, menu=menu)
    row = [*choices, *[0] * (LONGEST - len(choices))]
    return round(float(play(vector, np.array([row] * LAYOUTS), held_out).mean()), 4)


def measure(task: Task) -> dict[str, Any]:
    """Return what idling and the best list earn in held-out towns, and what that list is."""
    best = find_best(task, MENU)
    return {"idle": score(task, (), MENU), "list": score(task, best, MENU), "choices": best}


def tabulate_blind(known: Mapping[str, Any], blind: Mapping[str, Any]) -> Iterator[str]:
    """Yield a row for each task: what is earned without looking, beside what looks."""
    head = ("task", "idle", "best list", "random", "PPO", "solution", "list, of the span")
    rows: list[tuple[str, ...]] = [(*head, "the list")]
    for task, found in blind.items():
        figures = known[task]
        chance, solution = (float(np.mean(figures[name])) for name in ("random", "solution"))
        ppo = float(np.mean([np.mean(seed["held_out"]) for seed in figures["ppo"].values()]))
        low = max(chance, found["idle"])
        part = max(0.0, found["list"] - low) / (solution - low)
        cells = (found["idle"], found["list"], chance, ppo, solution)
        choices = "; ".join(describe_choice(choice) for choice in found["choices"])
        rows.append((f"`{task}`", *(f"{cell:.3f}" for cell in cells), f"{part:.2f}", choices))
    return make_rows(*rows)


@cache
def describe_choice(choice: int) -> str:
    """Return a choice of the portable menu in words."""
    return town_v0.rl_env("errand", menu=MENU).describe_choice(choice)


def load_blind() -> dict[str, Any]:
    """Return what is known, in the order of the suite."""
    known = json.loads(FILE.read_text()) if FILE.is_file() else {}
    return {task: known[task] for task in list_tasks() if task in known}


def main() -> None:
    """Measure what is missing, or the tasks that are named; keep it after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", choices=[[], *list_tasks()])
    named = parser.parse_args().tasks
    for task in named or [task for task in list_tasks() if task not in load_blind()]:
        found = measure(TASKS[task])
        known = load_blind() | {task: found}
        FILE.write_text(json.dumps(known, indent=1) + "\n")
        print(task, found, flush=True)


if __name__ == "__main__":
    main()
