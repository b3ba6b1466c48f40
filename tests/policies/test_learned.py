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
    network, arrays = load_network(Path(weights), PORTABLE_SIZE, CHOICES), np.load(weights)
    seen = np.random.default_rng(1).random((3, PORTABLE_SIZE), dtype=np.float32)
    hidden = np.tanh(seen @ arrays["weight_0"] + arrays["bias_0"])
    expected = hidden @ arrays["weight_1"] + arrays["bias_1"]
    np.testing.assert_allclose(network.compute_logits(seen), expected, rtol=1e-4)
    assert network.about["tasks"] == "none"


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    file = save_random(tmp_path / "w.npz", PORTABLE_SIZE, 4, CHOICES)

    def refuse(why: str, **changes: object) -> None:
        if changes:
            np.savez(file, **{**arrays, **changes})
        with pytest.raises(ConfigError, match=why):
            load_network(file, PORTABLE_SIZE, CHOICES)

    arrays = dict(np.load(file))
    refuse("do not fit one another", bias_0=np.zeros(5))
    refuse("not finite", bias_0=np.full(4, np.nan))
    about = json.loads(str(arrays["about"])) | {"columns": "of another version"}
    refuse("meant other things", about=np.array(json.dumps(about)))
    for sizes, why in (((7, CHOICES), "reads 7 numbers"), ((PORTABLE_SIZE, 9), "knows 9 choices")):
        save_random(file, *sizes)
        refuse(why)


def test_files_that_are_no_weights_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "w.npz"

    def refuse(error: type[Exception] = ConfigError, why: str = r"w\.npz") -> None:
        with pytest.raises(error, match=why):
            load_policy("learned", weights=str(file))

    refuse(FileError)
    file.write_bytes(b"no zip")
    refuse()
    np.savez(file, other=np.zeros(3))
    refuse()
    np.savez(file, about=np.array([{"code": "runs"}], dtype=object))  # would be pickled
    refuse()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("weight_0.npy", b"\0" * 70_000_000)
    refuse(why="unpacks")


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


def test_the_town_menu_and_a_temperature_below_nought_are_refused(weights: str) -> None:
    policy = LearnedPolicy(weights)
    env = town_v0.parallel_env("tiny", actions="menu")
    observations, infos = env.reset(seed=0)
    policy.reset(env.profiles(), 0, env.context())
    with pytest.raises(PolicyError, match='menu="portable"'):
        policy.act(observations, infos)
    with pytest.raises(PolicyError, match="action mask"):
        policy.act({"a": {"observation": np.zeros(PORTABLE_SIZE)}}, {"a": {}})
    with pytest.raises(ConfigError, match="temperature"):
        load_policy("learned", weights=weights, temperature=-1.0)


def test_it_goes_on_from_its_state_with_the_same_weights_alone(
    weights: str, tmp_path: Path
) -> None:
    other = LearnedPolicy(str(save_random(tmp_path / "o.npz", PORTABLE_SIZE, CHOICES, seed=1)))
    kept, twin = LearnedPolicy(weights).state(), LearnedPolicy(weights)
    twin.load_state(kept)
    assert twin.state() == kept
    with pytest.raises(PolicyError, match="changed"):
        other.load_state(kept)
