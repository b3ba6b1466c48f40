import json
from pathlib import Path

import numpy as np
import pytest

from genagents_env.errors import ConfigError, PolicyError
from genagents_env.run.policies import load_policy
from tests.policies.percepts import context

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
    def observed(*agents: str) -> dict[str, dict[str, object]]:
        return {agent: {"action_mask": MASK} for agent in agents}

    one, two = load_policy("random"), load_policy("random")
    one.reset({}, 5, context())
    two.reset({}, 5, context())
    for step in range(30):
        if step == 15:
            kept = json.loads(json.dumps(one.state()))
            one = load_policy("random")
            one.reset({}, 5, context())
            one.load_state(kept)
        assert one.act(observed("b"), {})["b"] == two.act(observed("a", "b"), {})["b"]


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
