from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.sweep import load_experiment
from genagents_env.sweep.design.comparison import format_comparison
from tests.scenario.bad_folders import GOOD, write

OWN: dict[str, object] = {"k": [1, True, {"a b": 2}]}
Policies = list[tuple[str, dict[str, object]]]


def test_what_is_written_says_what_was_given(tmp_path: Path) -> None:
    write(tmp_path / "my town", GOOD)
    (tmp_path / "own.py").write_text("")
    keys = {
        "people": ["Una Ash", 'Vic "Bay" \\'],
        "hours": None,
        "seeds": [3],
        "budget": {"total": {"dollars": "0.50", "calls": None}},
        "endpoint": {"timeout": None, "model_for": {"Una Ash": "big", "plan": "small"}},
    }
    policies: Policies = [
        ("random", {}),
        ("lyfe", {"preset": "paper"}),
        ("own.py:Mine", OWN),
    ]
    file = tmp_path / "elsewhere" / "any.toml"
    file.parent.mkdir()
    file.write_text(format_comparison("my town", policies, keys, tmp_path), "utf-8")
    found = load_experiment(file)
    assert found.name == "compare-my-town"
    assert found.scenario == str(tmp_path / "my town")
    assert found.people == ("Una Ash", 'Vic "Bay" \\')
    assert (found.hours, found.seed_list) == (None, (3,))
    assert str(found.budget.total.dollars) == "0.50"
    assert found.endpoint.model_for == {"Una Ash": "big", "plan": "small"}
    assert [(arm.name, arm.policy, dict(arm.config)) for arm in found.arms] == [
        ("random", "random", {}),
        ("lyfe preset paper", "lyfe", {"preset": "paper"}),
        ("Mine k 1 True a b 2", f"{tmp_path}/own.py:Mine", OWN),
    ]


def test_one_policy_with_two_configurations_is_two_arms(tmp_path: Path) -> None:
    policies: Policies = [("lyfe", {"preset": "paper"}), ("lyfe", {})]
    text = format_comparison("tiny", policies, {}, tmp_path)
    assert 'name = "lyfe preset paper"' in text
    assert "[budget]" not in text


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        ([], "no policy is named"),
        ([("idle", {}), ("idle", {})], "policy 'idle' comes twice"),
        ([("lyfe", {"preset": None})], "policy 'lyfe': preset: null is no value; leave it out"),
        ([("lyfe", {"k": [None]})], "null is no value"),
    ],
)
def test_what_is_no_comparison_is_said(policies: Policies, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        format_comparison("tiny", policies, {}, tmp_path)
