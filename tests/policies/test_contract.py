"""Every shipped policy keeps the contract, on the small scenario and the large one."""

from pathlib import Path

import pytest

from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint, find_rule
from genagents_env.policies.simuverse import SimuversePolicy
from genagents_env.run.policies import load_policy
from genagents_env.testing.check_policy import check_policy
from tests.policies.percepts import Value

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
@pytest.mark.parametrize("scenario", ["tiny", "valentines_party"])
@pytest.mark.parametrize("config", [{}, RECURSIVE], ids=["plain", "slow"])
def test_the_smallville_mind_keeps_the_contract(config: dict[str, Value], scenario: str) -> None:
    check_policy(lambda: load_policy("smallville", **config), scenario, make_model=model)


@pytest.mark.parametrize(
    ("name", "config", "behaviour"),
    [
        ("lyfe", {}, "sample_schema"),
        (
            "lyfe",
            {"preset": "paper", "latency_ticks": {"monitor": 3, "talk": 2, "controller": 1}},
            "sample_schema",
        ),
        ("lyfe", {"variant": "no_self_monitor"}, "sample_schema"),
        ("lyfe", {"variant": "no_summarize_and_forget"}, "sample_schema"),
        ("ai_town", {}, "sample_schema"),
        ("ai_town", {"preset": "2023"}, "sample_schema"),
        (
            "ai_town",
            {"latency_ticks": {"converse": 2, "remember": 1, "reflect": 3}, "reflect_at": 3},
            "sample_schema",
        ),
        ("ai_town", {"preset": "2023", "latency_ticks": {"converse": 1}}, "sample_schema"),
        ("simuverse", {}, "sample_schema"),
        (
            "simuverse",
            {"interpreter": "regex", "retry_in_step": False, "memory": "off"},
            "neighbour",
        ),
        (
            "simuverse",
            {"latency_ticks": {"act": 2, "interpret": 1, "talk": 1}, "count": "utterance"},
            "neighbour",
        ),
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
