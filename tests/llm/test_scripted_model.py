import asyncio
from typing import Literal, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.schemas import is_strict, schema_of
from genagents_env.testing.scripted_model import ScriptedEndpoint, rule_named, sample_schema


class Step(BaseModel):
    place: Literal["park", "cafe", "home"]
    minutes: int = Field(ge=5, le=60)
    after: Optional["Step"] = None


class Everything(BaseModel):
    kind: Literal["only"]
    sure: bool
    weight: float = Field(ge=0, le=0.5)
    count: int = Field(gt=3, lt=6)
    free: int
    name: str = Field(min_length=30, max_length=40)
    short: str = Field(max_length=5)
    steps: list[Step] = Field(min_length=2, max_length=4)
    either: int | str | None
    pair: tuple[int, str]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**31 - 1))
def test_samples_fit_the_schema(seed: int) -> None:
    for reply in (Everything, Step):
        request = CompletionRequest((), schema_of(reply), seed=seed)
        reply.model_validate_json(sample_schema(request))


def test_samples_vary_with_the_seed_only() -> None:
    def sample(seed: int) -> str:
        return sample_schema(CompletionRequest((Message("user", "?"),), schema_of(Step), seed=seed))

    assert sample(1) == sample(1)
    assert len({sample(seed) for seed in range(50)}) > 25


def test_schemas_are_strict_where_they_can_be() -> None:
    class Open(BaseModel):
        scores: dict[str, int]

    assert is_strict(schema_of(Everything))
    assert not is_strict(schema_of(Open))
    assert "after" in str(schema_of(Step)["$defs"])


def test_a_field_may_be_called_title_or_default() -> None:
    class Odd(BaseModel):
        title: str
        default: int = 3

    fields = schema_of(Odd)["properties"]
    assert isinstance(fields, dict)
    assert set(fields) == {"title", "default"}
    assert schema_of(Odd)["required"] == ["title", "default"]


def test_the_endpoint_keeps_to_max_tokens() -> None:
    endpoint = ScriptedEndpoint(lambda request: "x" * 1000)
    completion = asyncio.run(endpoint.complete(CompletionRequest((), max_tokens=10)))
    assert (completion.finish_reason, len(completion.text)) == ("length", 40)
    assert completion.completion_tokens == 10


def test_rules_have_names() -> None:
    assert rule_named("") is sample_schema
    with pytest.raises(ConfigError, match="always_invalid"):
        rule_named("nosuch")
