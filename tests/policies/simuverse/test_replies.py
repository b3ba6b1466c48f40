"""Every reply of the corpus comes to the verdict that is written beside it."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.policies.simuverse.checker import ToolScope, check, make_triple
from genagents_env.policies.simuverse.grammar import find_prefix
from genagents_env.policies.simuverse.talk import ReadSpeech, read_speech

CORPUS = [
    (entry["text"], entry["verdict"])
    for entry in tomllib.loads(Path(__file__).with_name("replies.toml").read_text("utf-8"))["reply"]
]
CAFE = ToolScope(
    "Ann Ash",
    "Ann Ash",
    "home/attic",
    "cafe",
    ("cafe", "gym", "home", "home/attic", "library", "park"),
    ("Ben Birch", "Cat Cole", "Dan Dorn"),
    ("Ben Birch", "Cat Cole"),
)


def judge(text: str, scope: ToolScope = CAFE) -> str:
    return check(make_triple(text, scope), text, scope).describe()


@pytest.mark.parametrize(("text", "verdict"), CORPUS)
def test_a_reply_comes_to_its_verdict(text: str, verdict: str) -> None:
    assert judge(text) == verdict


@given(st.text(max_size=80) | st.sampled_from([text for text, _ in CORPUS]), st.text(max_size=40))
def test_any_words_come_to_a_verdict(text: str, more: str) -> None:
    found = check(make_triple(text + more, CAFE), text + more, CAFE)
    assert found.kind in ("tool", "failure", "strike")
    assert (found.kind == "strike") == (find_prefix(text + more, CAFE.tools) is None)
    assert check(("x", text, more), text, CAFE).describe()


def test_what_is_said_with_a_call_goes_with_it_whoever_reads_the_reply() -> None:
    text = "(CALL) Dan, park: there is cake at four."
    read = check(make_triple(text, CAFE), text, CAFE)
    interpreted = check(("", "CALL", "Dan Dorn, park"), text, CAFE)
    assert read == interpreted
    assert read.words == "there is cake at four."


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Hello, Ben!", ReadSpeech("Hello, Ben!")),
        ('"**Ann Ash:** Hello! Ben: Hello! Ann: How are you?"', ReadSpeech("Hello!")),
        ("Bye! (LEAVE CONVERSATION)", ReadSpeech("Bye!", leaves=True)),
        ("(leave_conversation) Bye!", ReadSpeech("Bye!", leaves=True)),
        ("Bye! (MOVE) the park", ReadSpeech("Bye!", leaves=True, heading="the park")),
        ("(CONVERSE) Hello!", ReadSpeech("Hello!", joining="Hello!")),
        ("(CONVERSE) Cat Cole and Dan: Come!", ReadSpeech("Come!", joining="Cat Cole and Dan")),
        (
            "(CONVERSE) Cat, stop, it is for you: soup!",
            ReadSpeech("Cat, stop, it is for you: soup!", joining="Cat, stop, it is for you"),
        ),
        ("(SCAN)", ReadSpeech("", refused="SCAN")),
        ("Wait. (CALL) Dan, park", ReadSpeech("Wait.", refused="CALL")),
        ("", ReadSpeech("")),
    ],
)
def test_in_a_conversation_all_is_speech_but_the_signals(text: str, read: ReadSpeech) -> None:
    assert read_speech(text, "Ann Ash", ["Ben Birch"]) == read
