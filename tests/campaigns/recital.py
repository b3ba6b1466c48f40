"""Nothing is earned by reciting the words of a task's own sources to whoever is near.

In every task in which somebody has to be told something, all agents recite whatever its facts are
recognised by, of every layout, and walk to the nearest places, one after another. They read no
percept, and do not ask the portable menu for the places of their goals. The best of these scripts
earns no more than random choices and a tenth of what lies between them and the task's solution.
Run: `python -m tests.campaigns.recital` (five minutes).
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from statistics import mean
from typing import Any

import numpy as np

from genagents_env import town_v0
from genagents_env.actions import Idle, Talk
from genagents_env.run import rollout
from genagents_env.train.tasks import HELD_OUT, TASKS

TASKS_OF_WORDS = ("spread", "keep_secret", "invite", "culprit")
LONGEST = 480  # characters of an utterance
_PART = 0.1
Act = Callable[[int, int, Any], object]


def list_words(task: str) -> list[str]:
    """Return utterances that hold the statement of every fact of a hundred layouts of a task."""
    drawn = [TASKS[task].draw(layout) for layout in range(100)]
    said = dict.fromkeys(f.statement for town in drawn for f in town.facts)
    utterances = [""]
    for statement in said:
        if len(utterances[-1]) + len(statement) >= LONGEST:
            utterances.append("")
        utterances[-1] += f" {statement}"
    return utterances


def play(task: str, act: Act, seeds: Sequence[int]) -> float:
    """Return the mean return of an agent where all act by number, tick and mask alone."""
    env, returns = town_v0.rl_env(task, actions="words"), []
    for seed in seeds:
        env.reset(seed=seed)
        everybody = list(env.agents)
        total, tick = dict.fromkeys(everybody, 0.0), 0
        masks = None
        while env.agents:
            actions = {a: act(k, tick, masks and masks[a]) for k, a in enumerate(everybody)}
            _, rewards, _, _, infos = env.step(actions)
            masks = {a: infos[a]["action_mask"]["choice"] for a in infos}
            for agent, reward in rewards.items():
                total[agent] += reward
            tick += 1
        returns.append(mean(total.values()))
    return mean(returns)


def list_scripts(words: Sequence[str]) -> Iterator[tuple[str, Act]]:
    """Yield ways to recite: standing still, or walking to places one after another."""
    for every, place, stay in product((1, 2, 4), (None, 4, 6, 8), (10, 30)):

        def act(
            k: int,
            tick: int,
            mask: Any,
            every: int = every,
            place: int | None = place,
            stay: int = stay,
        ) -> object:
            if tick % every == 0 and (place is None or every > 1):
                return Talk(None, words[tick // every % len(words)])
            if place is None:
                return Idle()
            return {"choice": 1 + place + tick // stay % 4, "message": ""}

        yield f"speaks every {every}, place {place}, {stay} ticks", act


def draw_choice(rng: np.random.Generator) -> Act:

    def act(k: int, tick: int, mask: Any) -> object:
        choice = 0 if mask is None else int(rng.choice(np.flatnonzero(mask)))
        return {"choice": choice, "message": ""}

    return act


def judge(task: str, seeds: int) -> Mapping[str, float | str]:
    """Return what is earned by the best recital, by chance and by the solution."""
    own = HELD_OUT[:seeds]
    few = HELD_OUT[100 : 100 + max(2, seeds // 4)]
    scripts = dict(list_scripts(list_words(task)))
    best = max(scripts, key=lambda name: play(task, scripts[name], few))
    env = town_v0.rl_env(task, percepts=True, actions="words")
    solved = [
        mean(rollout(env, TASKS[task].make_solution(), seed=seed).returns.values()) for seed in own
    ]
    chance = play(task, draw_choice(np.random.default_rng(0)), own)
    return {
        "best": best,
        "recital": play(task, scripts[best], own),
        "random": chance,
        "solution": mean(solved),
    }


def main() -> int:
    """Try all tasks; return 1 if reciting pays in any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS_OF_WORDS))
    parser.add_argument("--seeds", type=int, default=24)
    args = parser.parse_args()
    failed = 0
    for task in args.tasks:
        found = judge(task, args.seeds)
        low, high = float(found["random"]), float(found["solution"])
        part = (float(found["recital"]) - low) / (high - low)
        failed += part > _PART
        print(
            f"{task}: {found['recital']:.3f} by reciting ({found['best']}), {low:.3f} by chance, "
            f"{high:.3f} by the solution: {part:.0%} of the span",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
