"""One's own words in what a model wrote for somebody in a talk."""

import pytest

from genagents_env.cognition.names import cut_reply

ME, BEA = "Ann Ash", "Bea Birch"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Hello!", "Hello!"),
        ("Ann: Hello!", "Hello!"),
        ("**Ann Ash:** Hello!", "Hello!"),
        (f"{ME} to {BEA}: Hello!", "Hello!"),
        (f"Hello! {BEA} to {ME}: Hello Ann!", "Hello!"),
        ("Hello! Bea: Hello Ann!", "Hello!"),
        ("Hello! **Bea:** Hello Ann!", "Hello!"),
        ("Hello\nBea: Hello Ann!", "Hello"),
        ("Ask Bea.", "Ask Bea."),
        ("With pleasure, Bea: at five.", "With pleasure, Bea: at five."),
    ],
)
def test_a_reply_holds_the_words_of_one_alone(written: str, words: str) -> None:
    assert cut_reply(written, ME, [BEA]) == words


def test_where_nobody_has_a_name_all_words_stay() -> None:
    assert cut_reply(" Ann: Hello! ", "", [""]) == "Ann: Hello!"
