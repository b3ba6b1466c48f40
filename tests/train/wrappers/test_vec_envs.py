"""Towns as SB3's VecEnv: a vector of towns (`SlotVecEnv`), or any towns (`TownVecEnv`)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.errors import ConfigError
from genagents_env.train.wrappers import FlatBox, VectorTown
from genagents_env.world.interventions import Part
from tests.train.pairs import draw_legal

pytest.importorskip("stable_baselines3")

from genagents_env.train.wrappers import SlotVecEnv, TownVecEnv

Make = Callable[..., Any]


def slot_env(towns: int = 2, seed: int = 0, **options: Any) -> Any:
    """Build one; SB3's types say less than is true, so the tests go without."""
    return SlotVecEnv(VectorTown("tiny", towns, **options), seed)


def menu(**options: Any) -> Any:
    return town_v0.parallel_env(scenario="tiny", actions="menu", **options)


def town_env(*args: Any, **options: Any) -> Any:
    return TownVecEnv(*args, **options)


def several(towns: int, **options: Any) -> Any:
    return town_env([partial(menu, **options)] * towns)


BOTH: list[Make] = [slot_env, several]


def legal(env: Any, rng: np.random.Generator) -> Any:
    return draw_legal(np.stack(env.env_method("action_masks")), rng)


def test_a_slot_equals_its_agent_in_a_town_alone() -> None:
    vec, env = slot_env(1, seed=7), town_v0.parallel_env("tiny", actions="menu")
    rng, seen = np.random.default_rng(0), vec.reset()
    alone, _ = env.reset(seed=7)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        np.testing.assert_array_equal(seen, [alone[a]["observation"] for a in env.possible_agents])
        actions = legal(vec, rng)
        given = dict(zip(env.possible_agents, actions.tolist(), strict=True))
        alone, rewards, _, truncations, _ = env.step(given)
        seen, earned, dones, infos = vec.step(actions)
        for slot, agent in enumerate(env.possible_agents):
            totals[agent] += rewards[agent]
            assert earned[slot] == np.float32(rewards[agent])
    assert dones.all()
    for slot, agent in enumerate(env.possible_agents):
        told = infos[slot]
        np.testing.assert_array_equal(told["terminal_observation"], alone[agent]["observation"])
        assert told["TimeLimit.truncated"] == truncations[agent]
        assert told["episode"]["r"] == pytest.approx(totals[agent])
    assert not np.array_equal(seen[0], infos[0]["terminal_observation"])  # of the next episode


@pytest.mark.parametrize("make", BOTH)
def test_an_agent_that_has_left_leaves_its_slot_inert(make: Make) -> None:
    env = make(1, max_cycles=5)
    env.reset()
    town = env.vector.envs[0] if make is slot_env else env.envs[0]
    town.intervene(Part(town.possible_agents[0]))
    idle = np.zeros(2, dtype=np.int64)
    seen, _, dones, infos = env.step(idle)
    assert dones.tolist() == [True, False]
    assert infos[0]["episode"]["l"] == 1
    assert not infos[0]["TimeLimit.truncated"]
    assert infos[0]["terminal_observation"].any()
    for _ in range(3):
        seen, rewards, dones, infos = env.step(idle)
        assert not seen[0].any()
        assert dones.tolist() == [True, False]
        assert rewards[0] == 0
        assert infos[0] == {}
        assert np.flatnonzero(env.action_masks(0)).tolist() == [0]
    seen, _, dones, infos = env.step(idle)
    assert dones.tolist() == [True, True]
    assert infos[0] == {}
    assert infos[1]["TimeLimit.truncated"]
    assert seen.any(axis=1).all()  # both are there again


@pytest.mark.parametrize("make", BOTH)
def test_a_seed_gives_the_same_episodes_again(make: Make) -> None:
    env = make(2, max_cycles=6)

    def live() -> list[Any]:
        env.seed(3)
        rng, seen = np.random.default_rng(0), [env.reset()]
        for _ in range(15):
            step = env.step(legal(env, rng))
            seen += [step[0], step[1]]
        return seen

    for one, two in zip(live(), live(), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: SlotVecEnv(VectorTown("tiny", 1, text=True)), "text"),
        (lambda: town_env([lambda: FlatBox(menu())]), "menu"),
        (lambda: town_env([lambda: town_v0.parallel_env("tiny", actions="words")]), "menu"),
    ],
)
def test_towns_with_texts_or_without_masks_are_refused(make: Make, word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        make()
