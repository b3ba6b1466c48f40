"""The sampler of legal actions: legal in both formats, reproducible, behind every wrapper."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.testing import legal_mask, sample_legal
from genagents_env.train.wrappers import MaskInInfo, RenameForRLlib

MENU = functools.partial(town_v0.parallel_env, scenario="tiny", actions="menu")
WORDS = functools.partial(town_v0.parallel_env, scenario="tiny", actions="words")
ENVS: dict[str, Callable[[], Any]] = {
    "menu": MENU,
    "words": WORDS,
    "in_info": lambda: MaskInInfo(MENU()),
    "rllib": lambda: RenameForRLlib(MENU()),
}


@pytest.mark.parametrize("name", ENVS)
def test_every_sample_is_in_its_space_and_allowed_by_the_mask(name: str) -> None:
    env: Any = ENVS[name]()
    observations, infos = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(50):
        actions = sample_legal(env, observations, infos, rng)
        assert list(actions) == env.agents
        for agent, action in actions.items():
            assert action in env.action_space(agent)
            mask = legal_mask(observations[agent], infos[agent])
            assert mask is not None
            assert mask[action["choice"] if isinstance(action, dict) else action] == 1
        observations, *_, infos = env.step(actions)
        assert not any(info["illegal"] for info in infos.values())


def test_every_legal_choice_is_drawn() -> None:
    env = MENU()
    observations, infos = env.reset(seed=0)
    rng = np.random.default_rng(0)
    agent = env.agents[0]
    drawn = {sample_legal(env, observations, infos, rng)[agent] for _ in range(300)}
    assert drawn == set(np.flatnonzero(observations[agent]["action_mask"]).tolist())
