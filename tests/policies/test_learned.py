"""The learned policy: weights as plain arrays, choices within the mask, the same after a resume."""

import json
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.errors import ConfigError, FileError, PolicyError
from genagents_env.observe.columns import PORTABLE_SIZE
from genagents_env.observe.portable_menu import list_portable_choices
from genagents_env.policies.learned import LearnedPolicy
from genagents_env.policies.learned.network import load_network, save_network
from genagents_env.run.policies import load_policy
from tests.policies.percepts import context

CHOICES = len(list_portable_choices())


def save_random(path: Path, *sizes: int, seed: int = 0) -> Path:
    rng = np.random.default_rng(seed)
    pairs = pairwise(sizes)
    layers = [(rng.normal(size=(n, m)), rng.normal(size=m)) for n, m in pairs]
    save_network(path, layers, {"tasks": "none"})
    return path


@pytest.fixture
def weights(tmp_path: Path) -> str:
    return str(save_random(tmp_path / "weights.npz", PORTABLE_SIZE, 8, CHOICES))


def test_logits_are_those_of_the_layers(weights: str) -> None:
    network = load_network(Path(weights), PORTABLE_SIZE, CHOICES)
    rng = np.random.default_rng(0)
    first = rng.normal(size=(PORTABLE_SIZE, 8)), rng.normal(size=8)
    last = rng.normal(size=(8, CHOICES)), rng.normal(size=CHOICES)
    seen = np.random.default_rng(1).random((3, PORTABLE_SIZE), dtype=np.float32)
    expected = np.tanh(seen @ first[0] + first[1]) @ last[0] + last[1]
    np.testing.assert_allclose(network.compute_logits(seen), expected, rtol=1e-4)
    assert network.about["tasks"] == "none"


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    def load(*sizes: int) -> None:
        load_network(save_random(tmp_path / "w.npz", *sizes), PORTABLE_SIZE, CHOICES)

    with pytest.raises(ConfigError, match="reads 7 numbers"):
        load(7, CHOICES)
    with pytest.raises(ConfigError, match="knows 9 choices"):
        load(PORTABLE_SIZE, 9)
    good = save_random(tmp_path / "w.npz", PORTABLE_SIZE, 4, CHOICES)
    arrays = dict(np.load(good))
    np.savez(good, **{**arrays, "bias_0": np.zeros(5)})
    with pytest.raises(ConfigError, match="do not fit one another"):
        load_network(good, PORTABLE_SIZE, CHOICES)
    np.savez(good, **{**arrays, "bias_0": np.full(4, np.nan)})
    with pytest.raises(ConfigError, match="not finite"):
        load_network(good, PORTABLE_SIZE, CHOICES)
    about = json.loads(str(arrays["about"])) | {"columns": "of another version"}
    np.savez(good, **{**arrays, "about": np.array(json.dumps(about))})
    with pytest.raises(ConfigError, match="meant other things"):
        load_network(good, PORTABLE_SIZE, CHOICES)


def test_files_that_are_no_weights_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "w.npz"
    with pytest.raises(FileError, match=r"w\.npz"):
        load_policy("learned", weights=str(file))
    file.write_bytes(b"no zip")
    with pytest.raises(ConfigError, match=r"w\.npz"):
        load_policy("learned", weights=str(file))
    np.savez(file, other=np.zeros(3))
    with pytest.raises(ConfigError, match=r"w\.npz"):
        load_policy("learned", weights=str(file))
    np.savez(file, about=np.array([{"code": "runs"}], dtype=object))  # would be pickled
    with pytest.raises(ConfigError, match=r"w\.npz"):
        load_policy("learned", weights=str(file))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("weight_0.npy", b"\0" * 70_000_000)
    with pytest.raises(ConfigError, match="unpacks"):
        load_policy("learned", weights=str(file))


def test_it_takes_the_best_of_what_is_possible_in_both_formats(weights: str) -> None:
    policy = LearnedPolicy(weights, temperature=0.0)
    policy.reset({}, 0, context())
    rng = np.random.default_rng(3)
    for _ in range(20):
        seen = rng.random(PORTABLE_SIZE, dtype=np.float32)
        mask = rng.integers(0, 2, CHOICES, dtype=np.int8)
        mask[0] = 1
        logits = policy.network.compute_logits(seen[None])[0]
        best = max(np.flatnonzero(mask), key=lambda k: logits[k])
        menu = policy.act({"a": {"observation": seen, "action_mask": mask}}, {})
        words = policy.act(
            {"a": {"observation": seen}}, {"a": {"action_mask": {"choice": mask, "message": None}}}
        )
        assert menu == {"a": best}
        assert words == {"a": {"choice": best, "message": ""}}


def test_a_temperature_draws_what_the_logits_say(weights: str) -> None:
    policy = LearnedPolicy(weights, temperature=1.0)
    policy.reset({}, 0, context())
    seen = np.zeros(PORTABLE_SIZE, dtype=np.float32)
    mask = np.zeros(CHOICES, dtype=np.int8)
    mask[[0, 3, 5]] = 1
    logits = policy.network.compute_logits(seen[None])[0][[0, 3, 5]]
    expected = np.exp(logits) / np.exp(logits).sum()
    drawn = [
        policy.act({"a": {"observation": seen, "action_mask": mask}}, {})["a"] for _ in range(2000)
    ]
    shares = [drawn.count(k) / len(drawn) for k in (0, 3, 5)]
    np.testing.assert_allclose(shares, expected, atol=0.04)


def test_the_town_menu_is_refused(weights: str) -> None:
    policy = LearnedPolicy(weights)
    env = town_v0.parallel_env("tiny", actions="menu")
    observations, infos = env.reset(seed=0)
    policy.reset(env.profiles(), 0, env.context())
    with pytest.raises(PolicyError, match='menu="portable"'):
        policy.act(observations, infos)
    with pytest.raises(PolicyError, match="action mask"):
        policy.act({"a": {"observation": np.zeros(PORTABLE_SIZE)}}, {"a": {}})


def test_it_goes_on_from_its_state_with_the_same_weights_alone(
    weights: str, tmp_path: Path
) -> None:
    def observe(k: int) -> dict[str, dict[str, object]]:
        seen = np.random.default_rng(k).random(PORTABLE_SIZE, dtype=np.float32)
        return {"a": {"observation": seen, "action_mask": np.ones(CHOICES, dtype=np.int8)}}

    one, two = (LearnedPolicy(weights, temperature=1.0) for _ in range(2))
    one.reset({}, 4, context())
    chosen = [one.act(observe(k), {}) for k in range(20)]
    two.reset({}, 4, context())
    for k in range(10):
        two.act(observe(k), {})
    kept = json.loads(json.dumps(two.state()))
    three = LearnedPolicy(weights, temperature=1.0)
    three.reset({}, 4, context())
    three.load_state(kept)
    assert [three.act(observe(k), {}) for k in range(10, 20)] == chosen[10:]
    other = LearnedPolicy(str(save_random(tmp_path / "o.npz", PORTABLE_SIZE, CHOICES, seed=1)))
    with pytest.raises(PolicyError, match="changed"):
        other.load_state(kept)


def test_a_temperature_below_nought_is_refused(weights: str) -> None:
    with pytest.raises(ConfigError, match="temperature"):
        load_policy("learned", weights=weights, temperature=-1.0)
