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
