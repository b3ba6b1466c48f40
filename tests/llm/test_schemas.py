"""Schemas as they are sent: hints for small models, and how long a reply may be."""

import json
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st
from pydantic import create_model

from genagents_env.cognition.replies import Activity, Phrase, Sentence, Speech
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.schemas import ReplyModel, bound_reply_tokens, make_schema
from genagents_env.llm.scripted import sample_schema


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
