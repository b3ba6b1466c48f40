"""`solution` is the task's own policy by name, in episodes of tasks and nowhere else."""

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.run import rollout, rollouts
from genagents_env.run.policies import list_policies, load_policy
from genagents_env.train.language.towns import play_town
from genagents_env.train.tasks import HELD_OUT, get_task
from genagents_env.train.tasks.task import read_baselines

SEEDS = HELD_OUT[:4]


@pytest.mark.parametrize("task", ["meet", "spread", "queue"])
def test_by_its_name_it_earns_what_the_task_promises(task: str) -> None:
    by_name = [
        one.rollout.returns for one in rollouts(lambda: town_v0.rl_env(task), "solution", SEEDS)
    ]
    env = town_v0.rl_env(task)
    assert by_name == [rollout(env, get_task(task).make_solution(), seed).returns for seed in SEEDS]
    assert by_name == [play_town(task, "solution", seed) for seed in SEEDS]
    earned = np.mean([list(returns.values()) for returns in by_name])
    assert earned == pytest.approx(read_baselines()[task]["solution"], abs=0.1)
    scripted = rollout(env, "scripted", SEEDS[0]).returns
    assert np.mean(list(scripted.values())) < earned - 0.2


def test_it_goes_along_with_other_policies() -> None:
    env = town_v0.rl_env("meet")
    mixed = {agent: "solution" for agent in env.possible_agents} | {"resident_1": "random"}
    assert set(rollout(env, mixed, 0, max_ticks=5).returns) == set(env.possible_agents)


def test_a_town_without_a_task_has_none() -> None:
    assert "solution" not in list_policies()
    with pytest.raises(PolicyError, match="'solution': there is one in the episodes of a task"):
        rollout(town_v0.parallel_env(), load_policy("solution"))


def test_an_environment_in_place_of_a_function_is_refused() -> None:
    with pytest.raises(ConfigError, match="give a function that returns new ones"):
        rollouts(town_v0.rl_env("meet"), "solution")
