"""Every shipped policy keeps the contract, on the small scenario and the large one."""

import json
from pathlib import Path

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint, find_rule
from genagents_env.policies.simuverse import SimuversePolicy
from genagents_env.policy import Policy
from genagents_env.run import rollout
from genagents_env.run.policies import load_policy
from genagents_env.testing.check_policy import check_policy
from genagents_env.train.tasks import HELD_OUT, get_task
from tests.policies.percepts import Value, context

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_policy.py"


RECURSIVE: dict[str, Value] = {
    "grounding": "recursive",
    "latency_ticks": {"plan": 4, "ground": 2, "perceive": 3, "converse": 1, "summary": 6},
}


def model() -> ModelClient:
    return ModelClient(ScriptedEndpoint(), run_seed=0)


@pytest.mark.parametrize("name", ["learned", "reactive", "direct"])  # others: tests/testing
def test_a_shipped_policy_keeps_the_contract(name: str) -> None:
    check_policy(lambda: load_policy(name), "tiny", make_model=model)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "scenario"),
    [
        pytest.param({}, "valentines_party", id="plain"),
        pytest.param(RECURSIVE, "tiny", id="slow"),
    ],
)
def test_the_smallville_mind_keeps_the_contract(config: dict[str, Value], scenario: str) -> None:
    check_policy(lambda: load_policy("smallville", **config), scenario, make_model=model)


LATE: dict[str, dict[str, Value]] = {
    "lyfe": {"latency_ticks": {"monitor": 3, "talk": 2, "controller": 1}},
    "ai_town": {"latency_ticks": {"converse": 2, "remember": 1, "reflect": 3}, "reflect_at": 3},
    "simuverse": {"latency_ticks": {"act": 2, "interpret": 1, "talk": 1}, "count": "utterance"},
}
ALONE = {"interpreter": "regex", "retry_in_step": False, "memory": "off"}


@pytest.mark.parametrize(
    ("name", "config", "behaviour"),
    [
        ("lyfe", {"preset": "paper", **LATE["lyfe"]}, "sample_schema"),
        ("lyfe", {"variant": "no_self_monitor"}, "sample_schema"),
        ("lyfe", {"variant": "no_summarize_and_forget"}, "sample_schema"),
        ("ai_town", LATE["ai_town"], "sample_schema"),
        ("ai_town", {"preset": "2023", "latency_ticks": {"converse": 1}}, "sample_schema"),
        ("simuverse", {}, "sample_schema"),
        ("simuverse", ALONE, "neighbour"),
        ("simuverse", LATE["simuverse"], "neighbour"),
    ],
)
def test_a_mind_keeps_the_contract(name: str, config: dict[str, Value], behaviour: str) -> None:
    rule = find_rule(behaviour, [SimuversePolicy.scripted_replies])
    check_policy(
        lambda: load_policy(name, **config),
        "tiny",
        make_model=lambda: ModelClient(ScriptedEndpoint(rule), run_seed=0),
    )


def test_example_policy_keeps_the_contract() -> None:
    check_policy(lambda: load_policy(f"{EXAMPLE}:FollowTheCrowd"))


# Idle and random; policies that fail.


MASK = np.array([1, 0, 0, 1, 1, 0], np.int8)


def test_random_draws_every_legal_choice_and_no_other_in_both_formats() -> None:
    policy = load_policy("random")
    policy.reset({}, 1, context())
    words: set[object] = set()
    menu: set[object] = set()
    for _ in range(200):
        told = {"action_mask": {"choice": MASK, "message": None}}
        words.add(policy.act({"a": {}}, {"a": told})["a"]["choice"])  # type: ignore[index]
        menu.add(policy.act({"a": {"action_mask": MASK}}, {"a": {}})["a"])
    assert words == menu == {0, 3, 4}
    with pytest.raises(PolicyError, match="action mask"):
        policy.act({"a": {}}, {"a": {}})


def test_random_does_not_depend_on_who_else_acts_and_goes_on_from_its_state() -> None:
    one, two = load_policy("random"), load_policy("random")
    for policy in (one, two):
        policy.reset({}, 5, context())
    for step in range(30):
        if step == 15:
            kept = json.loads(json.dumps(one.state()))
            one = load_policy("random")
            one.reset({}, 5, context())
            one.load_state(kept)
        alone, both = ({agent: {"action_mask": MASK} for agent in names} for names in ("b", "ab"))
        assert one.act(alone, {})["b"] == two.act(both, {})["b"]


FAILING = """
import sys
from genagents_env.errors import ConfigError
from genagents_env.policy import Policy
class Failing(Policy):
    name = "failing"
    def __init__(self, how="raise"):
        if how == "exit":
            sys.exit("no network here")
        if how == "config":
            raise ConfigError("how: 'config' is not allowed")
        raise KeyError("weights")
"""


@pytest.mark.parametrize(
    ("how", "why"), [("raise", "KeyError: 'weights'"), ("exit", "SystemExit: no network here")]
)
def test_a_policy_that_fails_as_it_is_made_is_named_and_its_own_errors_stay(
    tmp_path: Path, how: str, why: str
) -> None:
    path = tmp_path / "failing.py"
    path.write_text(FAILING)
    with pytest.raises(PolicyError) as told:
        load_policy(str(path), how=how)
    assert str(told.value) == f"policy {str(path)!r} cannot be made ({why}); correct its __init__"
    with pytest.raises(ConfigError, match="how: 'config' is not allowed"):
        load_policy(str(path), how="config")


BOTH = {"variant": "no_reflection", "reflection": True}


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("smallville", {"variant": []}, "variant"),
        ("smallville", BOTH, "contradicts variant no_reflection"),
        ("smallville", {"planing": False}, "planing.*options: .*reflect_at"),
        ("smallville", {"prompt_tokens": 399}, "prompt_tokens"),
        ("smallville", {"piece_minutes": [5, 61]}, "piece_minutes"),
        ("smallville", {"temperature": float("nan")}, "temperature"),
        ("smallville", {"latency_ticks": {"plan": -1}}, "latency_ticks"),
        ("lyfe", {"variant": "no_self_monitor", "self_monitor": True}, "contradicts"),
        ("lyfe", {"forget_above": 0}, "forget_above"),
        ("lyfe", {"colour": "red"}, "colour.*options: variant, preset"),
        ("ai_town", {"preset": "2022"}, "preset"),
        ("ai_town", {"default_importance": 10}, "default_importance"),
        ("reactive", {"decide_seconds": -1}, "decide_seconds"),
        ("reactive", {"unknown": 1}, "options: decide_seconds"),
        ("scripted", {"share": 2.0}, "share"),
    ],
)
def test_what_is_not_allowed_is_named(name: str, options: dict[str, Value], told: str) -> None:
    with pytest.raises(ConfigError, match=f"(?s){name}.*{told}") as fault:
        load_policy(name, **options)
    assert "pydantic" not in str(fault.value)


SEEDS = HELD_OUT[:10]


def play(task: str, town: str | None, policy: Policy | str) -> float:
    env = town_v0.rl_env(task, town, actions="words", menu="portable")
    returns = [rollout(env, policy, seed).returns.values() for seed in SEEDS]
    return float(np.mean([earned for one in returns for earned in one]))


@pytest.mark.slow
@pytest.mark.parametrize(("task", "town"), [("errand", "murder_mystery"), ("meet", None)])
def test_it_comes_within_a_tenth_of_the_scripted_solution(task: str, town: str | None) -> None:
    learned = play(task, town, "learned")
    assert learned > play(task, town, "random")
    assert learned >= 0.9 * play(task, town, get_task(task).make_solution())
