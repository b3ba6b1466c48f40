"""Fixtures of the faculties' tests."""

import pytest

from genagents_env import town_v0
from genagents_env.percept import Percept
from genagents_env.run.policies import load_policy


@pytest.fixture(scope="session")
def percepts() -> list[Percept]:
    """Return real percepts of Isabella Rodriguez."""
    env = town_v0.parallel_env(scenario="valentines_party", percepts=True, start="08:00")
    observations, infos = env.reset(seed=3)
    policy = load_policy("scripted")
    policy.reset(env.profiles(), 3, env.context())
    seen = []
    for _ in range(12):
        seen.append(infos["Isabella Rodriguez"]["percept"])
        observations, _, _, _, infos = env.step(policy.act(observations, infos))
    return seen
