"""Replies that the record keeps as they were written, since later prompts show them."""

from typing import ClassVar

import pytest

from genagents_env.llm.calls import Completion
from genagents_env.llm.completions import parse, restore
from genagents_env.llm.schemas import ReplyModel

LIMIT = 100


class Said(ReplyModel):
    verbatim: ClassVar[bool] = True

    words: str


def hide(text: str) -> str:
    return text.replace("sk-secret", "***")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('{ "words":\n\t"hello" }', True),
        ('Well, then:\n{"words": "hello"}', True),
        ('My key is sk-secret. {"words": "hello"}', False),
        ('\x1b[31m{"words": "hello"}', False),
    ],
)
def test_words_are_kept_unless_they_hold_a_key_or_steer_a_terminal(
    written: str, kept: bool
) -> None:
    parsed = parse(Completion(written, "stop", 1, 1), Said, LIMIT, hide)
    assert parsed.text == (written if kept else '{"words":"hello"}')
    assert restore(Said, parsed.text, LIMIT) == parsed.value == Said(words="hello")
