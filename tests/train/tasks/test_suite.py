"""Every task: its solution beats chance from percepts alone, and is as good as the best can be."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from genagents_env.actions import Action
from genagents_env.policy import Context, Infos, Observations, Policy, Profile
from genagents_env.run.play import rollout
from genagents_env.train.tasks import HELD_OUT, TASKS, Task, TaskEnv
from tests.train.tasks.names import EVERY, SMALL

SEEDS = (*range(3), *HELD_OUT[:2])
# Chance is good at these in a few episodes of many.
MORE = dict.fromkeys(("find", "meet"), (*range(16), *HELD_OUT[:8]))
KNOWN = [name for name in SMALL if TASKS[name].find_optimum is not None]


class PerceptsAlone(Policy):
    """Hands a policy percepts and nothing else that the environment tells."""

    name = "percepts_alone"

    def __init__(self, inner: Policy) -> None:
        self.inner = inner

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        self.inner.reset(profiles, seed, context)

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        seen = {agent: {"percept": infos[agent]["percept"]} for agent in observations}
        return self.inner.act({agent: {} for agent in observations}, seen)


def make_env(task: Task, town: str | None = None) -> TaskEnv:
    return TaskEnv(task, town, actions="words")


def play(env: TaskEnv, policy: Any) -> list[dict[str, float]]:
    seeds = MORE.get(env.task.name, SEEDS)
    return [dict(rollout(env, policy, seed=seed).returns) for seed in seeds]


@cache
def play_solution(name: str) -> list[dict[str, float]]:
    task = TASKS[name]
    return play(make_env(task), PerceptsAlone(task.make_solution()))


def mean(returns: list[dict[str, float]]) -> list[float]:
    return [float(np.mean(list(one.values()))) for one in returns]


@pytest.mark.parametrize("name", EVERY)
def test_solution_beats_chance_within_bounds(name: str) -> None:
    task = TASKS[name]
    solved, random = play_solution(name), play(make_env(task), "random")
    gain = np.subtract(mean(solved), mean(random))
    assert gain.mean() - 3 * gain.std(ddof=1) / np.sqrt(len(gain)) > 0
    least, most = task.bounds
    earned = [value for one in (*solved, *random) for value in one.values()]
    assert least - 1e-9 <= min(earned)
    assert max(earned) <= most + 1e-9


@pytest.mark.parametrize("name", KNOWN)
def test_solution_is_as_good_as_the_best(name: str) -> None:
    task = TASKS[name]
    env, best = make_env(task), []
    assert task.find_optimum is not None
    for seed in MORE.get(name, SEEDS):
        env.reset(seed=seed)
        best.append(dict(task.find_optimum(env.town)))
    solved = mean(play_solution(name))
    assert list(best[0]) == env.possible_agents
    least = 0.9 if name == "meet" else 0.95  # there two could come towards each other
    assert np.mean(solved) >= least * np.mean(mean(best))
    assert np.all(np.array(solved) <= np.array(mean(best)) + 1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_layouts_of_training_are_never_held_out(name: str) -> None:
    task = TASKS[name]
    towns = [task.draw(seed).model_dump_json() for seed in (*range(4), *HELD_OUT[:4])]
    assert len(set(towns)) == len(towns)
    assert task.draw(128).model_dump_json() == towns[0]
