import asyncio
import json
from typing import ClassVar, Literal, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from genagents_env.cognition.replies import Activity, Phrase, Sentence, Speech
from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.open import open_endpoint
from genagents_env.llm.schemas import (
    PlainReply,
    ReplyModel,
    bound_reply_tokens,
    is_strict,
    make_request_schema,
    make_schema,
)
from genagents_env.llm.scripted import (
    ScriptedEndpoint,
    ScriptedReplies,
    find_rule,
    sample_schema,
)


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
        request = CompletionRequest((), make_schema(reply), seed=seed)
        reply.model_validate_json(sample_schema(request))


def test_schemas_are_strict_where_they_can_be() -> None:
    class Open(BaseModel):
        scores: dict[str, int]

    assert is_strict(make_schema(Everything))
    assert not is_strict(make_schema(Open))
    assert "after" in str(make_schema(Step)["$defs"])


def test_a_field_may_be_called_title_or_default() -> None:
    class Odd(BaseModel):
        title: str
        default: int = 3

    fields = make_schema(Odd)["properties"]
    assert isinstance(fields, dict)
    assert set(fields) == {"title", "default"}
    assert make_schema(Odd)["required"] == ["title", "default"]


class Mood(BaseModel):
    mood: str


class Colour(BaseModel):
    colour: str


def request_for(reply: type[BaseModel], seed: int = 3) -> CompletionRequest:
    return CompletionRequest((Message("user", "?"),), make_schema(reply), reply.__name__, seed=seed)


def test_the_neighbour_answers_what_a_policy_has_a_rule_for_else_by_a_sample() -> None:
    policy: ScriptedReplies = {Mood: lambda prompt: {"mood": "cheerful"}}
    endpoint = open_endpoint("scripted:neighbour", replies=[{}, policy])
    assert isinstance(endpoint, ScriptedEndpoint)
    assert endpoint.model == "scripted:neighbour"
    assert endpoint.rule(request_for(Mood)) == '{"mood": "cheerful"}'
    for request in (request_for(Colour), CompletionRequest((Message("user", "?"),))):
        assert endpoint.rule(request) == sample_schema(request)
    alone = open_endpoint("scripted:neighbour")
    assert isinstance(alone, ScriptedEndpoint)
    assert alone.rule(request_for(Mood)) == sample_schema(request_for(Mood))


def test_what_is_asked_in_plain_words_is_answered_in_plain_words() -> None:
    class Aside(PlainReply):
        wire_name = "Aside"

    rule = find_rule("neighbour", [{Aside: lambda prompt: {"text": "Well, well."}}])
    asked = CompletionRequest((Message("user", "?"),), make_request_schema(Aside), "Aside")
    assert asked.schema is None
    assert rule(asked) == "Well, well."
    assert rule(request_for(Mood)) == sample_schema(request_for(Mood))


class Day(ReplyModel):
    wire_name: ClassVar[str] = "Day"

    hours: list[Activity]
    said: Speech


def test_only_small_models_are_held_to_short_plain_words() -> None:
    small, large = (make_schema(Day, small=small)["properties"] for small in (True, False))
    assert large["said"] == {"maxLength": 480, "type": "string"}  # type: ignore[index, call-overload]
    assert small["said"]["maxLength"] == 100  # type: ignore[index, call-overload]
    assert "pattern" in str(small)
    assert "pattern" not in str(large)
    assert "x-small" not in str([small, large])


def test_a_text_too_long_ends_where_a_sentence_ends() -> None:
    text = "Meet me at 17:00 & bring R2-D2. " * 40
    kept = Day(hours=["x"], said=text).said
    assert 440 < len(kept) <= 480
    assert kept.endswith("R2-D2.")


@given(st.integers(0, 9))
def test_the_token_limit_leaves_room_for_every_valid_reply(seed: int) -> None:
    made = create_model("Many", __base__=Day, more=(list[Sentence], ...), what=(Phrase, ...))
    schema = make_schema(made)
    reply = sample_schema(CompletionRequest((), schema, seed=seed))
    full = {
        "hours": ["x" * 200] * 10,
        "said": "y" * 480,
        "more": ["z" * 400] * 10,
        "what": "w" * 200,
    }
    assert bound_reply_tokens(schema) >= len(json.dumps(full)) / 4
    assert bound_reply_tokens(schema) >= len(reply) / 4


def test_the_endpoint_keeps_to_max_tokens() -> None:
    endpoint = ScriptedEndpoint(lambda request: "x" * 1000)
    completion = asyncio.run(endpoint.complete(CompletionRequest((), max_tokens=10)))
    assert (completion.finish_reason, len(completion.text)) == ("length", 40)
    assert completion.completion_tokens == 10


def test_rules_have_names_and_removed_models_say_what_to_take_instead() -> None:
    assert find_rule(None) is sample_schema
    for name, said in (("nosuch", "always_invalid"), ("", "no rule ''")):
        with pytest.raises(ConfigError, match=said):
            find_rule(name)
    with pytest.raises(ConfigError, match="removed; take scripted:neighbour"):
        open_endpoint("scripted:gossip")
