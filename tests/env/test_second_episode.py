"""A second episode of one environment is that of a new one."""

import numpy as np

from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.scenario import load_scenario

PEOPLE = ["Isabella Rodriguez", "Klaus Mueller"]


def _evening_in_the_cafe() -> TownEnv:
    scenario = load_scenario("valentines_party", people=PEOPLE, place="Hobbs Cafe")
    return town_v0.parallel_env(scenario, start="20:30", hours=4, seconds_per_tick=60)


def test_reset_ignores_the_hour_of_the_last_episode() -> None:
    env, new = _evening_in_the_cafe(), _evening_in_the_cafe()
    env.reset(seed=0)
    while env.agents:  # until half past midnight, when all shops are closed
        env.step({})
    first, again = new.reset(seed=5)[0], env.reset(seed=5)[0]
    assert [first[a]["text"] for a in PEOPLE] == [again[a]["text"] for a in PEOPLE]
    np.testing.assert_array_equal(env.state(), new.state())
    assert new.save_state()["world"] == env.save_state()["world"]
