"""The shipped weights in towns that their training never showed: drawn ones and a shipped one."""

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.policy import Policy
from genagents_env.run import rollout
from genagents_env.train.tasks import HELD_OUT, get_task

SEEDS = HELD_OUT[:10]


def play(task: str, town: str | None, policy: Policy | str) -> float:
    env = town_v0.rl_env(task, town, actions="words", menu="portable")
    returns = [rollout(env, policy, seed).returns.values() for seed in SEEDS]
    return float(np.mean([earned for one in returns for earned in one]))


@pytest.mark.slow
@pytest.mark.parametrize("town", [None, "murder_mystery"])
@pytest.mark.parametrize("task", ["errand", "meet"])
def test_it_comes_within_a_tenth_of_the_scripted_solution(task: str, town: str | None) -> None:
    learned = play(task, town, "learned")
    assert learned > play(task, town, "random")
    assert learned >= 0.9 * play(task, town, get_task(task).make_solution())
