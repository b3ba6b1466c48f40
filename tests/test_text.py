import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.text import clean, fold, is_clean

ANY = st.text(st.characters(), max_size=300)  # surrogates, controls and all


@given(ANY)
def test_cleaning_leaves_only_safe_characters_and_is_idempotent(raw: str) -> None:
    once = clean(raw)
    assert is_clean(once)
    assert "\n" not in once
    assert clean(once) == once
    assert once.encode("utf-8").decode("utf-8") == once
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in once)


# What piles up on a letter, what joins and what falls apart under normalisation.
PILES = st.lists(
    st.tuples(
        st.sampled_from(
            "a \u0301\u0316\u0344\u0345\u0390\u0f73\u0f71\u3099\uff9e\u1100\u1161\u200d\ufdfa\x1b"
        ),
        st.sampled_from((1, 2, 29, 30, 31, 70)),
    ),
    max_size=6,
).map(lambda parts: "".join(char * count for char, count in parts))


@given(PILES)
def test_piles_of_marks_are_bounded_and_cleaning_them_again_changes_nothing(raw: str) -> None:
    once = clean(raw)
    assert clean(once) == once
    assert fold(fold(raw)) == fold(raw)
    for text in (once, fold(raw)):
        marks = "".join("m" if unicodedata.combining(c) else " " for c in text)
        assert max(map(len, marks.split()), default=0) <= 30


def test_thirty_marks_on_a_letter_stay() -> None:
    assert clean("z" + "\u0316" * 40 + "!") == "z" + "\u0316" * 30 + "!"
    assert clean("e\u0301" * 200) == "é" * 200


@given(ANY)
def test_with_lines_only_line_feeds_remain(raw: str) -> None:
    text = clean(raw, lines=True)
    assert is_clean(text)
    assert clean(text, lines=True) == text


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\x1b]52;c;aGk=\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"),
        ("\u202eevil\u202c", "evil"),
        ("one\u2028two\x85three", "one two three"),
        ("tag\U000e0041s", "tags"),
        ("caf\u0065\u0301", "café"),
        ("lone \ud800 half", "lone half"),
        ("☕ 👩 ok", "☕ 👩 ok"),
    ],
)
def test_known_attacks_are_disarmed_and_honest_text_stays(raw: str, safe: str) -> None:
    assert clean(raw) == safe


@given(ANY, st.integers(0, 50))
def test_the_limit_is_kept(raw: str, limit: int) -> None:
    assert len(clean(raw, limit)) <= limit


def test_names_that_look_alike_fold_alike() -> None:
    assert fold("Ann\u00a0 ASH") == fold("ann ash") == fold("\uff21nn Ash")


PLAIN = st.text(st.sampled_from("aé❤🙂日本ł  .\u0301\u1100\u1161"), max_size=60)


@given(PLAIN)
def test_text_that_is_clean_but_for_its_ends_is_cleaned_as_any_other(raw: str) -> None:
    # What is not printable sends the text along the way of those that need cleaning.
    assert clean(raw) == clean(f"\x00{raw}")
    assert clean(raw, 5) == clean(f"\x00{raw}", 5)


@pytest.mark.parametrize("text", ["🚶", "María López", "三浦 陽太", "☕ and cake"])
def test_emoji_and_names_are_cut_and_stripped_and_nothing_else(text: str) -> None:
    assert clean(f" {text} ") == text
    assert clean(text, 3) == text[:3].strip()
