"""No task tells an agent what it cannot perceive, and the check sees it where one does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.testing import EnvContractError
from genagents_env.testing.leaks import check_leaks, disturb_minds
from genagents_env.train.tasks import TaskEnv, get_task
from tests.campaigns import leaks
from tests.train.tasks.names import LARGE, SMALL

Told = Callable[[TaskEnv], float]


class LeakyTask(TaskEnv):
    told: Told

    def step(self, actions: Any) -> Any:
        result = super().step(actions)
        for held in result[0].values():
            held["observation"][-1] = np.float32(np.sin(self.told(self)))
        return result


LEAKS: dict[str, Told] = {
    "goals": lambda env: float(env.parts.reward.board.object.sum()),
    "states": lambda env: float(sum(map(len, env.world.snapshot.object_states))),
    "whereabouts": lambda env: float(env.world.snapshot.arena.sum()),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_in_a_task_is_caught(leak: str) -> None:
    def make() -> TaskEnv:
        env = LeakyTask(get_task("errand"), actions="menu")
        env.told = LEAKS[leak]
        return env

    with pytest.raises(EnvContractError, match="notices what it cannot perceive"):
        check_leaks(make, seed=0)


@pytest.mark.parametrize(
    ("task", "seeds"),
    [
        *((task, 2) for task in SMALL),
        *(pytest.param(task, 6, marks=pytest.mark.slow) for task in SMALL),
        *(pytest.param(task, 4, marks=pytest.mark.slow) for task in LARGE),
    ],
)
def test_no_task_leaks(task: str, seeds: int) -> None:
    leaks.main(seeds=seeds, tasks=[task])


@pytest.mark.parametrize("task", SMALL)
def test_what_others_want_or_know_is_changed_in_every_task(task: str) -> None:
    env = town_v0.rl_env(task)
    env.reset(seed=0)
    assert disturb_minds(env, env.possible_agents[0])
