"""Every task: its solution beats chance from percepts alone, and is as good as the best can be."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.actions import Action
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.policy import Context, Infos, Observations, Policy, Profile
from genagents_env.run import rollout, rollouts
from genagents_env.run.policies import list_policies, load_policy
from genagents_env.train.language.towns import play_town
from genagents_env.train.tasks import HELD_OUT, TASKS, Task, TaskEnv, get_task
from genagents_env.train.tasks.task import read_baselines
from tests.campaigns import recital
from tests.train.tasks.canaries import POLICIES, load_canaries, repeat
from tests.train.tasks.names import EVERY, SMALL

SEEDS = (*range(3), *HELD_OUT[:2])
# Chance is good at these in a few episodes of many.
MORE = dict.fromkeys(("find", "meet"), (*range(10), *HELD_OUT[:4]))
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


CANARIES = load_canaries()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("task", EVERY)
def test_a_canary_earns_what_it_did(task: str, policy: str) -> None:
    """If it does not: `python -m tests.train.tasks.canaries TASK`, and say why."""
    canary = CANARIES[task][policy]
    assert repeat(task, canary["lived"]) == canary["returns"]


@pytest.mark.parametrize("task", CANARIES)
def test_a_cheat_earns_no_more_than_chance_or_idling(task: str) -> None:
    earned = {
        policy: float(np.mean(list(CANARIES[task][policy]["returns"].values())))
        for policy in POLICIES
    }
    low = max(earned["random"], earned["idle"])
    assert earned["cheat"] <= low + 0.1 * max(0.0, earned["solution"] - low) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("task", ["spread", "culprit"])
def test_reciting_earns_no_more_than_chance(task: str) -> None:
    found = recital.judge(task, 6)
    assert float(found["recital"]) < float(found["random"])
    assert float(found["random"]) < float(found["solution"])


HELD_OUT_SEEDS = HELD_OUT[:4]


@pytest.mark.parametrize("task", ["meet", "spread", "queue"])
def test_by_its_name_it_earns_what_the_task_promises(task: str) -> None:
    by_name = [
        one.rollout.returns
        for one in rollouts(lambda: town_v0.rl_env(task), "solution", HELD_OUT_SEEDS)
    ]
    env = town_v0.rl_env(task)
    seed = HELD_OUT_SEEDS[0]
    assert by_name[0] == rollout(env, get_task(task).make_solution(), seed).returns
    assert by_name[0] == play_town(task, "solution", seed)
    earned = np.mean([list(returns.values()) for returns in by_name])
    assert earned == pytest.approx(read_baselines()[task]["solution"], abs=0.1)
    scripted = rollout(env, "scripted", seed).returns
    assert np.mean(list(scripted.values())) < earned - 0.2


def test_a_town_without_a_task_has_none() -> None:
    assert "solution" not in list_policies()
    with pytest.raises(PolicyError, match="'solution': there is one in the episodes of a task"):
        rollout(town_v0.parallel_env(), load_policy("solution"))


def test_an_environment_in_place_of_a_function_is_refused() -> None:
    with pytest.raises(ConfigError, match="give a function that returns new ones"):
        rollouts(town_v0.rl_env("meet"), "solution")
