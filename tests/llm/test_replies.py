import json
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.llm.calls import Completion, UnusableReply
from genagents_env.llm.completions import parse, restore
from genagents_env.llm.schemas import PlainReply, ReplyModel
from genagents_env.text import clean
from tests.llm.asking import Choice

GOOD = '{"choice": "park", "rating": 3, "why": "sun"}'

BAD = {
    "nothing": "",
    "prose": "I go to the park.",
    "null": "null",
    "string": '"park"',
    "list": '["park", 3]',
    "open brace": "{",
    "brace in prose": "I {think} so",
    "cut in a string": '{"choice": "park", "rating": 3, "why": "su',
    "cut before the end": '{"choice": "park", "rating": 3, "why": "sun"',
    "trailing comma": '{"choice": "park", "rating": 3, "why": "sun",}',
    "single quotes": "{'choice': 'park', 'rating': 3, 'why': 'sun'}",
    "bare keys": '{choice: "park", rating: 3, why: "sun"}',
    "comment": '{"choice": "park", /* why */ "rating": 3, "why": "sun"}',
    "two objects": GOOD + GOOD,
    "two actions in prose": f"Either {GOOD} or {GOOD}.",
    "two fenced": f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```",
    "object and broken object": GOOD + ' {"choice": ',
    "duplicate key": '{"choice": "park", "choice": "cafe", "rating": 3, "why": "sun"}',
    "duplicate key once cleaned": '{"choice": "park", "ch\\u0000oice": "cafe", "rating": 3}',
    "NaN": '{"choice": "park", "rating": NaN, "why": "sun"}',
    "-Infinity": '{"choice": "park", "rating": -Infinity, "why": "sun"}',
    "overflowing float": '{"choice": "park", "rating": 1e999, "why": "sun"}',
    "huge integer": '{"choice": "park", "rating": ' + "9" * 5000 + ', "why": "sun"}',
    "too deep": '{"why": ' + "[" * 100_000,
    "too deep but closed": '{"why": ' + "[" * 40 + "]" * 40 + "}",
    "too long": '{"why": "' + "a" * 300_000 + '"}',
    "missing field": '{"choice": "park", "rating": 3}',
    "empty object": "{}",
    "wrong enum": '{"choice": "beach", "rating": 3, "why": "sun"}',
    "enum in other case": '{"choice": "Park", "rating": 3, "why": "sun"}',
    "out of range": '{"choice": "park", "rating": 11, "why": "sun"}',
    "fraction": '{"choice": "park", "rating": 3.5, "why": "sun"}',
    "null field": '{"choice": "park", "rating": 3, "why": null}',
    "object for text": '{"choice": "park", "rating": 3, "why": {"a": 1}}',
    "nested answer": '{"answer": ' + GOOD + "}",
    "raw line break": '{"choice": "park", "rating": 3, "why": "su\nn"}',
}

TOLERATED = {
    "plain": GOOD,
    "spaces": f"\n\n  {GOOD}  \n",
    "fenced": f"```json\n{GOOD}\n```",
    "prose around": f"Sure, here it is: {GOOD} Have a nice day!",
    "thinking before": f"<think>The park, surely.</think>{GOOD}",
    "extra field": '{"choice": "park", "rating": 3, "why": "sun", "mood": "good"}',
    "braces in text": '{"choice": "park", "rating": 3, "why": "sun"} }',
    "escapes": '{"choice": "p\\u0061rk", "rating": 3, "why": "s\\u0075n"}',
    "unclean text": '{"choice": "park", "rating": 3, "why": "\\u001b[31ms\\ud800un\\u202e"}',
    "number as text": '{"choice": "park", "rating": "3", "why": "sun"}',
}


def make_completion(text: str, finish: str = "stop") -> Completion:
    return Completion(text, finish, 1, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_bad_replies_are_faults_that_say_why(text: str) -> None:
    with pytest.raises(UnusableReply) as caught:
        parse(make_completion(text), Choice)
    assert 5 < len(str(caught.value)) < 600


@pytest.mark.parametrize("text", TOLERATED.values(), ids=TOLERATED.keys())
def test_one_object_is_found_whatever_stands_round_it(text: str) -> None:
    parsed = parse(make_completion(text), Choice)
    assert parsed.value == Choice(choice="park", rating=3, why="sun")
    assert Choice.model_validate_json(parsed.text) == parsed.value  # as it is stored


def test_a_fault_says_what_is_allowed_and_that_a_limit_of_tokens_cut_it() -> None:
    with pytest.raises(UnusableReply, match=r"choice: .*'park' or 'cafe'"):
        parse(make_completion(BAD["wrong enum"]), Choice)
    with pytest.raises(UnusableReply, match="be shorter"):
        parse(make_completion(BAD["cut in a string"], "length"), Choice)


def test_long_texts_are_cut_and_counted() -> None:
    text = json.dumps({"choice": "park", "rating": 1, "why": "a" * 100_000})
    parsed = parse(make_completion(text), Choice)
    assert (len(parsed.value.why), parsed.truncated) == (500, 1)
    assert parse(make_completion(text), Choice, 2000).value.why == "a" * 2000
    assert parse(make_completion(GOOD), Choice).truncated == 0


@settings(max_examples=150, deadline=None)
@given(st.text() | st.text(alphabet='{}[]":,\\ \nab1\ud800'))
def test_any_text_is_a_value_or_an_unusable_reply(text: str) -> None:
    try:
        parse(make_completion(text), Choice)
    except UnusableReply:
        return
    assert "{" in text


@settings(max_examples=100, deadline=None)
@given(st.text(), st.text(alphabet=st.characters(exclude_characters="{}")))
def test_any_text_survives_as_a_clean_string(why: str, prose: str) -> None:
    reply = json.dumps({"choice": "cafe", "rating": 2, "why": why})
    value = parse(make_completion(prose + reply + prose), Choice).value
    assert value.why.isprintable()
    assert value.choice == "cafe"


@pytest.mark.parametrize("text", [*BAD.values(), GOOD])
def test_plain_words_are_all_of_the_reply(text: str) -> None:
    found = parse(Completion(text, "stop", 1, 1), PlainReply, 1000)
    assert found.value.text == clean(text[:250_000], 250_000)[:1000].strip()


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
