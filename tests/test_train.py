"""The training example runs, its yardstick is the true optimum, and it learns the errand."""

import json
from pathlib import Path

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.scenario.plan import ObjectPlan

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

from examples import train_ppo as example


def steps_to_use(env: TownEnv, start: tuple[int, int], item: ObjectPlan) -> int:
    """Return the number of steps to the nearest tile from which `item` can be used.

    Relaxes all tiles until nothing changes: another algorithm than the example's.
    """
    plan = env.world.plan
    distance = np.where(plan.blocked, np.inf, 1e9)
    distance[start[1], start[0]] = 0
    for _ in range(plan.width * plan.height):
        padded = np.pad(distance, 1, constant_values=np.inf)
        around = np.minimum(
            np.minimum(padded[:-2, 1:-1], padded[2:, 1:-1]),
            np.minimum(padded[1:-1, :-2], padded[1:-1, 2:]),
        )
        distance = np.where(plan.blocked, np.inf, np.minimum(distance, around + 1))
    rows, columns = np.indices(distance.shape)
    apart = np.maximum(abs(rows - item.tile[1]), abs(columns - item.tile[0]))
    return int(distance[(apart <= 1) & (plan.arena == item.arena)].min())


def best_returns(env: TownEnv, cost: float) -> list[float]:
    """Return the most each agent can earn from here: one tick a step, and one to do it."""
    plan, names = env.world.plan, env.world.names
    objects = {plan.object_id(k): item for k, item in enumerate(plan.objects)}
    found = []
    for errand in env.world.scenario.reward.errands:
        x, y = (int(v) for v in env.world.positions[names.index(errand.agent)])
        found.append(1.0 - cost * (steps_to_use(env, (x, y), objects[errand.object]) + 1))
    return found


def test_the_shortest_path_baseline_is_the_optimum() -> None:
    env = town_v0.parallel_env(scenario="tiny")
    cost = env.world.scenario.reward.step_cost
    best = []
    for seed in example.EVALUATION:
        env.reset(seed=seed)
        best += best_returns(env, cost)
    assert example.play_shortest(example.Config()) == pytest.approx(sum(best) / len(best))


def test_random_earns_far_less_than_the_optimum() -> None:
    config = example.Config()
    assert example.play_random(config) < 0.5 * example.play_shortest(config)


def test_the_example_trains_and_draws(tmp_path: Path) -> None:
    example.main(["--seeds", "1", "--total-steps", "2048", "--out", str(tmp_path)])
    result = json.loads((tmp_path / "result.json").read_text())
    assert set(result["levels"]) == {"shortest path", "scripted", "random"}
    assert len(result["curves"]) == len(result["ratios"]) == 1
    assert (tmp_path / "learning_curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_seed_trains_the_same_network() -> None:
    import torch

    config = example.Config(total_steps=2048)
    (one, curve), (two, again) = example.train(config, 7), example.train(config, 7)
    assert curve == again
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))


def test_advantages_stop_at_the_end_of_an_episode() -> None:
    import torch

    config = example.Config(gamma=0.5, gae_lambda=1.0)
    batch = {
        "reward": torch.tensor([[1.0], [2.0], [4.0]]),
        "done": torch.tensor([[0.0], [1.0], [0.0]]),
        "value": torch.tensor([[0.0], [0.0], [0.0]]),
    }
    found = example.advantages(config, batch, torch.tensor([8.0]))
    assert found.squeeze().tolist() == [2.0, 2.0, 8.0]


@pytest.mark.slow
def test_ppo_learns_the_errand_almost_to_the_optimum() -> None:
    import torch

    torch.set_num_threads(1)
    config = example.Config()
    net, _ = example.train(config, seed=0)
    assert example.play_net(config, net) >= 0.95 * example.play_shortest(config)
