"""What the town's agents cannot perceive does not reach them, and check_env sees it if it does."""

from typing import Any

import numpy as np
import pytest

from genagents_env.env import TownEnv
from genagents_env.testing import EnvContractError, check_env
from genagents_env.testing.leaks import STRANGE_STATE, disturb_unseen


class Town(TownEnv):
    """The town, with a leak: everyone is told where everybody is."""

    def _observe(self, who: Any) -> Any:
        observations, infos = super()._observe(who)
        for held in observations.values():
            held["observation"][-1] = np.sin(self.world.snapshot.arena.sum())
        return observations, infos


@pytest.mark.parametrize("actions", ["words", "menu"])
def test_a_leak_of_what_is_out_of_sight_is_caught(actions: str) -> None:
    with pytest.raises(EnvContractError, match="notices what it cannot perceive"):
        check_env(lambda: Town("tiny", actions=actions), steps=20)


def test_the_disturbance_does_something() -> None:
    env = TownEnv("tiny")
    env.reset(seed=0)
    before = env.world.snapshot
    first, second = env.possible_agents
    assert disturb_unseen(env, first)
    env.step({})
    after = env.world.snapshot
    assert STRANGE_STATE in after.object_states
    assert before.arena[1] != after.arena[1]
    assert before.tile[0] == after.tile[0]
    assert second == env.world.names[1]
