import pytest

from genagents_env.errors import ConfigError, PolicyError
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted.endpoint import ScriptedEndpoint
from genagents_env.policies import smallville
from genagents_env.policies.smallville.config import SmallvilleConfig
from genagents_env.policy import Context
from genagents_env.run.policies import load_policy
from tests.policies.percepts import START, profile

FACULTIES = ("perceive", "summary", "plan", "ground", "react", "converse", "reflect")
PAPER = {
    "full": set(),
    "no_reflection": {"reflection"},
    "no_reflection_no_planning": {"reflection", "planning"},
    "no_observation_no_reflection_no_planning": {"observation", "reflection", "planning"},
}
SWITCHES = (
    "observation",
    "retrieval",
    "describe",
    "planning",
    "reaction",
    "conversation",
    "reflection",
)


@pytest.mark.parametrize("variant", PAPER)
def test_a_variant_of_the_paper_switches_its_faculties_off_and_no_other(variant: str) -> None:
    config = SmallvilleConfig(**{"variant": variant})
    assert {name for name in SWITCHES if not getattr(config, name)} == PAPER[variant]


def test_a_variant_may_be_said_twice() -> None:
    both = {"variant": "no_reflection", "reflection": "off"}
    assert not SmallvilleConfig(**both).reflection


@pytest.mark.parametrize("switch", SWITCHES)
def test_every_faculty_can_be_switched_off_alone(switch: str) -> None:
    config = SmallvilleConfig(**{switch: False})
    assert [name for name in SWITCHES if not getattr(config, name)] == [switch]


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"variant": "half"}, "variant"),
        ({"variant": []}, "variant"),
        ({"variant": "no_reflection", "reflection": True}, "contradicts variant no_reflection"),
        ({"planing": False}, "planing"),
        ({"prompt_tokens": 399}, "prompt_tokens"),
        ({"prompt_tokens": "many"}, "prompt_tokens"),
        ({"piece_minutes": [15, 5]}, "piece_minutes"),
        ({"piece_minutes": [5, 61]}, "piece_minutes"),
        ({"piece_minutes": [0, 5]}, "piece_minutes"),
        ({"rate_batch": 0}, "rate_batch"),
        ({"temperature": float("nan")}, "temperature"),
        ({"latency_ticks": {"planning": 3}}, "latency_ticks"),
        ({"latency_ticks": {"plan": -1}}, "latency_ticks"),
        ({"late_hour": 25}, "late_hour"),
        ({"alike": 0}, "alike"),
    ],
)
def test_a_wrong_option_is_named_together_with_those_there_are(
    fields: dict[str, object], word: str
) -> None:
    with pytest.raises(ConfigError) as fault:
        load_policy("smallville", **fields)
    assert word in str(fault.value)
    assert "reflect_at" in str(fault.value)
    assert "pydantic" not in str(fault.value)


def test_latency_is_that_of_the_faculty() -> None:
    config = SmallvilleConfig(**{"latency_ticks": {"plan": 4, "react": 0}})
    assert [config.latency(p) for p in ("plan.day", "plan.hours", "react.decide", "reflect.x")] == [
        4,
        4,
        0,
        0,
    ]


def test_latency_can_be_given_for_every_faculty_that_asks() -> None:
    ticks = {faculty: 2 for faculty in FACULTIES}
    config = SmallvilleConfig(**{"latency_ticks": ticks})
    purposes = smallville.HANDLERS
    assert {purpose.split(".")[0] for purpose in purposes} == set(FACULTIES)
    assert {config.latency(purpose) for purpose in purposes} == {2}


def test_a_mind_without_a_model_or_an_embedder_is_refused() -> None:
    ann = {"Ann Ash": profile()}
    policy = load_policy("smallville")
    model = ModelClient(ScriptedEndpoint(), run_seed=0)
    with pytest.raises(PolicyError, match="language model"):
        policy.reset(ann, 0, Context("Town", START, 10))
    with pytest.raises(PolicyError, match="embedder"):
        policy.reset(ann, 0, Context("Town", START, 10, model=model))
    latest_only = load_policy("smallville", retrieval=False)
    latest_only.reset(ann, 0, Context("Town", START, 10, model=model))
