"""The training example learns the errand, repeats itself, and evaluates as the environment pays."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.run import rollout
from genagents_env.run.policies import load_policy
from genagents_env.train.tasks import HELD_OUT, get_task
from genagents_env.train.tasks.vector import make_vector

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

import torch

from examples import train_ppo as example
from examples import train_recurrent as recurrent
from genagents_env.observe import plain_columns as plain

SMALL = example.Config(total_steps=3_000, layouts=2, towns=4, evaluations=1, episodes=2)


def test_the_example_trains_and_draws_and_its_weights_are_a_policy(tmp_path: Path) -> None:
    options = ["--total-steps", "1536", "--layouts", "2", "--towns", "4", "--episodes", "2"]
    example.main(["--seeds", "1", "--out", str(tmp_path), *options])
    result = json.loads((tmp_path / "result.json").read_text())
    assert len(result["curves"]["errand"]) == 1
    assert (tmp_path / "errand.png").read_bytes().startswith(b"\x89PNG")
    assert load_policy("learned", weights=str(tmp_path / "seed_0.npz")).name == "learned"


class Still(np.random.Generator):
    """Draws nothing, so that the most probable choice is taken."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def gumbel(self, *_: Any, size: Any = None, **__: Any) -> Any:
        return np.zeros(size)


def test_the_evaluation_is_what_the_exported_policy_earns_in_the_task(tmp_path: Path) -> None:
    net = example.train(SMALL, 3).net
    net.save(tmp_path / "w.npz")
    policy = load_policy("learned", weights=str(tmp_path / "w.npz"), temperature=0.0)
    env = town_v0.rl_env("errand", actions="words", menu="portable")
    played = example.Evaluation("errand", HELD_OUT[:3], example.Config()).play(net, Still())
    for seed, row in zip(HELD_OUT[:3], played, strict=True):
        assert list(rollout(env, policy, seed).returns.values()) == pytest.approx(row.tolist())


FEW = recurrent.Config(total_steps=1_500, layouts=2, towns=4, evaluations=1, episodes=2)


def test_the_recurrent_recipe_trains_and_draws(tmp_path: Path) -> None:
    options = ["--total-steps", "1500", "--layouts", "2", "--towns", "4", "--episodes", "2"]
    recurrent.main(["--seeds", "1", "--out", str(tmp_path), *options])
    result = json.loads((tmp_path / "result.json").read_text())
    assert len(result["curves"]) == 1
    assert (tmp_path / "errand.png").read_bytes().startswith(b"\x89PNG")
    net = recurrent.Net(FEW.hidden, FEW.slot)
    net.load_state_dict(torch.load(tmp_path / "seed_0.pt", weights_only=True))
    assert recurrent.Evaluation("errand", HELD_OUT[:2]).play(net).shape == (2, 3)


def test_a_team_is_paid_the_mean_of_all() -> None:
    config = replace(FEW, task="share", prosocial=1.0)
    vector = make_vector("share", 2, 2)
    rollouts = recurrent.Rollouts(config, vector, 0)
    shared = rollouts._share(np.arange(16.0))
    assert shared.tolist() == [1.5] * 4 + [5.5] * 4 + [9.5] * 4 + [13.5] * 4


def test_the_same_seed_trains_the_same_recurrent_network() -> None:
    one, two = recurrent.train(FEW, 7), recurrent.train(FEW, 7)
    assert one.curve == two.curve
    pairs = zip(one.net.parameters(), two.net.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_a_place_is_rated_alike_in_every_slot() -> None:
    torch.manual_seed(0)
    net, seen = recurrent.Net(16, 8), torch.rand(1, 3, plain.SIZE)
    order = torch.randperm(32)
    places = seen[..., plain.PLACES : plain.PEOPLE].unflatten(-1, (32, plain.PLACE))
    moved = seen.clone()
    moved[..., plain.PLACES : plain.PEOPLE] = places[:, :, order].flatten(-2)
    begun, memory = torch.zeros(1, 3), torch.zeros(3, 16)
    first, second = (net(one, begun, memory)[0] for one in (seen, moved))
    part = plain.list_parts()["place"]
    torch.testing.assert_close(first[..., part][..., order], second[..., part])
    torch.testing.assert_close(first[..., part.stop :], second[..., part.stop :])


def test_the_same_seed_trains_the_same_network() -> None:
    one, two = example.train(SMALL, 7), example.train(SMALL, 7)
    pairs = zip(one.net.parameters(), two.net.parameters(), strict=True)
    assert one.curve == two.curve
    assert all(torch.equal(a, b) for a, b in pairs)


def test_advantages_stop_at_the_end_of_an_episode() -> None:
    config = example.Config(gamma=0.5, gae_lambda=1.0)
    batch = {
        "reward": torch.tensor([[1.0], [2.0], [4.0]]),
        "done": torch.tensor([[0.0], [1.0], [0.0]]),
        "value": torch.tensor([[0.0], [0.0], [0.0]]),
    }
    found = example.advantages(config, batch, torch.tensor([8.0]))
    assert found.squeeze().tolist() == [2.0, 2.0, 8.0]


def find_optimum(seeds: range) -> np.ndarray:
    task, env = get_task("errand"), town_v0.rl_env("errand")
    assert task.find_optimum is not None
    found = []
    for seed in seeds:
        env.reset(seed=seed)
        found.append(list(task.find_optimum(env.town).values()))
    return np.array(found)


@pytest.mark.slow
def test_ppo_learns_the_errand_almost_to_the_optimum_for_every_agent() -> None:
    torch.set_num_threads(1)
    net = example.train(example.Config(total_steps=130_000, evaluations=1), seed=0).net
    # So early it still tries other choices now and then; what it thinks best is right already.
    played = example.Evaluation("errand", HELD_OUT[:20], example.Config()).play(net, Still())
    best = find_optimum(HELD_OUT[:20])
    assert (played.mean(axis=0) >= 0.95 * best.mean(axis=0)).all()


@pytest.mark.slow
def test_maskable_ppo_learns_the_errand_almost_to_the_optimum_for_every_agent() -> None:
    pytest.importorskip("sb3_contrib")
    from examples import train_sb3

    torch.set_num_threads(1)
    model = train_sb3.make_model("errand", seed=1)
    model.learn(200_000)
    played = [list(train_sb3.play(model, "errand", seed).values()) for seed in HELD_OUT[:20]]
    best = find_optimum(HELD_OUT[:20])
    assert (np.mean(played, axis=0) >= 0.95 * best.mean(axis=0)).all()


def test_a_population_trains_and_is_measured_among_every_other(tmp_path: Path) -> None:
    from examples import self_play

    options = ["--task", "errand", "--population", "2", "--total-steps", "3000", "--episodes", "1"]
    table = self_play.main([*options, "--towns", "2", "--out", str(tmp_path)])
    names = ["network 0", "network 1", "random", "solution"]
    assert [*table] == names
    assert all([*row] == names for row in table.values())
    # Who is focal earns what they can whoever the others are: errands are one's own.
    assert table["solution"]["random"] == pytest.approx(table["solution"]["network 1"], abs=0.05)
    assert table["solution"]["random"] > table["random"]["solution"]
    weights = [(tmp_path / f"network_{k}.npz").read_bytes() for k in range(2)]
    assert weights[0] != weights[1]
