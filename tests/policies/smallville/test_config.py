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
OFF = {name for name, value in SmallvilleConfig() if value is False}


@pytest.mark.parametrize(
    "variant",
    [
        "full",
        "no_reflection",
        "no_reflection_no_planning",
        "no_observation_no_reflection_no_planning",
    ],
)
def test_a_variant_of_the_paper_switches_its_faculties_off_and_no_other(variant: str) -> None:
    config = SmallvilleConfig(**{"variant": variant})
    off = [name for name in variant.removeprefix("no_").split("_no_") if name != "full"]
    assert config == SmallvilleConfig(**{"variant": variant, **dict.fromkeys(off, False)})
    assert {name for name, value in config if value is False} == set(off) | OFF


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"variant": []}, "variant"),
        ({"variant": "no_reflection", "reflection": True}, "contradicts variant no_reflection"),
        ({"planing": False}, "planing"),
        ({"prompt_tokens": 399}, "prompt_tokens"),
        ({"piece_minutes": [15, 5]}, "piece_minutes"),
        ({"piece_minutes": [5, 61]}, "piece_minutes"),
        ({"temperature": float("nan")}, "temperature"),
        ({"latency_ticks": {"planning": 3}}, "latency_ticks"),
        ({"latency_ticks": {"plan": -1}}, "latency_ticks"),
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


def test_latency_is_that_of_the_faculty_that_asks() -> None:
    purposes = smallville.HANDLERS
    assert {purpose.split(".")[0] for purpose in purposes} == set(FACULTIES)
    for faculty in FACULTIES:
        config = SmallvilleConfig(**{"latency_ticks": {faculty: 2}})
        slow = {purpose for purpose in purposes if config.latency(purpose) == 2}
        assert slow == {purpose for purpose in purposes if purpose.startswith(f"{faculty}.")}


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
