"""Towns of a task as one vector: the task's own episodes, layouts by number, shaped or sparse."""

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.errors import ConfigError
from genagents_env.train.tasks import HELD_OUT, find_layout, get_task
from genagents_env.train.tasks.vector import make_vector
from tests.train.pairs import draw_legal

SEEDS = [5, 130, HELD_OUT[7]]


def test_episodes_are_those_of_the_task_of_the_same_seeds() -> None:
    env = town_v0.rl_env("errand")
    vector = make_vector("errand", [find_layout(seed) for seed in SEEDS], 1)
    agents, rng = env.possible_agents, np.random.default_rng(0)
    seen, _ = vector.reset(seed=SEEDS)
    steps = []
    for _ in range(12):
        masks = seen["action_mask"]
        chosen = draw_legal(masks, rng)
        after, rewards, _, _, _ = vector.step(chosen)
        steps.append((seen, chosen, rewards))
        seen = after
    for k, seed in enumerate(SEEDS):
        own = slice(k * len(agents), (k + 1) * len(agents))
        observations, _ = env.reset(seed=seed)
        for before, chosen, rewards in steps:
            for name in ("observation", "action_mask"):
                expected = [observations[a][name] for a in agents]
                np.testing.assert_array_equal(before[name][own], expected)
            given = dict(zip(agents, chosen[own].tolist(), strict=True))
            observations, earned, _, _, _ = env.step(given)
            assert rewards[own].tolist() == pytest.approx([earned[a] for a in agents])


def test_a_number_of_layouts_takes_the_first_of_training() -> None:
    vector = make_vector(get_task("errand"), 3, 2)
    drawn = [get_task("errand").draw(layout).map for layout in range(3) for _ in range(2)]
    assert [env.world.scenario.map for env in vector.envs] == drawn
    for wrong in (0, 129):
        with pytest.raises(ConfigError, match="128"):
            make_vector("errand", wrong)


def test_the_vec_env_has_other_layouts_for_another_seed() -> None:
    pytest.importorskip("stable_baselines3")
    from genagents_env.train.tasks.vec_env import TaskVecEnv

    one, two = (TaskVecEnv("errand", layouts=2, towns=2, seed=seed) for seed in (0, 1))
    assert one.num_envs == 2 * 2 * len(town_v0.rl_env("errand").possible_agents)
    first, second = one.reset(), two.reset()
    assert first.shape == (one.num_envs, *one.observation_space.shape)
    assert not np.array_equal(first, second)
    again = TaskVecEnv("errand", layouts=2, towns=2, seed=0)
    np.testing.assert_array_equal(first, again.reset())
