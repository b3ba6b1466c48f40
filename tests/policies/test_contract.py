"""Every shipped policy keeps the contract, on the small scenario and the large one."""

from pathlib import Path

import pytest

from genagents_env.llm.client import ModelClient
from genagents_env.policy import load_policy
from genagents_env.testing.check_policy import check_policy
from genagents_env.testing.scripted_model import ScriptedEndpoint

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_policy.py"


def model() -> ModelClient:
    return ModelClient(ScriptedEndpoint(), run_seed=0)


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        *((name, "tiny") for name in ("idle", "random", "scripted", "reactive")),
        ("scripted", "valentines_party"),
        ("reactive", "valentines_party"),
    ],
)
def test_a_shipped_policy_keeps_the_contract(name: str, scenario: str) -> None:
    check_policy(lambda: load_policy(name), scenario, make_model=model)


def test_example_policy_keeps_the_contract() -> None:
    check_policy(lambda: load_policy(f"{EXAMPLE}:FollowTheCrowd"))
