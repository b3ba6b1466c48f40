import csv
import subprocess
import sys
import unicodedata
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.study.report.table import Table
from genagents_env.text import clean, escape_formula, fold, is_clean

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


@given(ANY, st.integers(0, 50))
def test_with_lines_only_line_feeds_remain_and_the_limit_is_kept(raw: str, limit: int) -> None:
    text = clean(raw, lines=True)
    assert is_clean(text)
    assert clean(text, lines=True) == text
    assert len(clean(raw, limit)) <= limit


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
        (" María López 三浦 陽太 🚶 ", "María López 三浦 陽太 🚶"),
        ("e\u0301" * 200, "é" * 200),
        ("z" + "\u0316" * 40 + "!", "z" + "\u0316" * 30 + "!"),
    ],
)
def test_known_attacks_are_disarmed_and_honest_text_stays(raw: str, safe: str) -> None:
    assert clean(raw) == safe


def test_names_that_look_alike_fold_alike() -> None:
    assert fold("Ann\u00a0 ASH") == fold("ann ash") == fold("\uff21nn Ash")


PLAIN = st.text(st.sampled_from("aé❤🙂日本ł  .\u0301\u1100\u1161"), max_size=60)


@given(PLAIN)
def test_text_that_is_clean_but_for_its_ends_is_cleaned_as_any_other(raw: str) -> None:
    # What is not printable sends the text along the way of those that need cleaning.
    assert clean(raw) == clean(f"\x00{raw}")
    assert clean(raw, 5) == clean(f"\x00{raw}", 5)


BEGINS = ("=", "+", "-", "@", "\t", "\r")
SIGNS = [
    sign
    for sign in map(chr, range(sys.maxunicode + 1))
    if unicodedata.normalize("NFKC", sign).startswith(BEGINS)
]
INVISIBLE = st.text("\u200b\u2060\ufeff\u00ad\ufe0f \u00a0\u3000\"'\u201c\x00", max_size=4)


def test_all_forms_of_the_dangerous_signs_are_known() -> None:
    assert len(SIGNS) == 21
    assert set("\uff1d\uff0b\uff0d\uff20\ufe66\u208c\u207a") <= set(SIGNS)  # any width, any height


@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
def test_a_cell_that_begins_like_a_formula_is_set_off_also_in_a_report(sign: str) -> None:
    assert escape_formula(f"{sign}1+1") == f"'{sign}1+1"
    if sign.isprintable():
        table = Table("said", "Said", (f"{sign}head",), ((f"\ufeff{sign}cmd()",), (-1.5,), (-3,)))
        cells = [row[0] for row in csv.reader(StringIO(table.format_csv()))]
        assert [cell[0] for cell in cells[:2]] == ["'", "'"]
        assert cells[2:] == ["-1.5", "-3"]


@given(INVISIBLE, st.sampled_from(SIGNS), st.text(max_size=5))
def test_nothing_invisible_hides_a_formula(before: str, sign: str, after: str) -> None:
    assert escape_formula(before + sign + after) == f"'{before}{sign}{after}"


@pytest.mark.parametrize("words", ["", "a=b", "2+2", '"Hello," she said', "'tis", "a\uff1db"])
def test_other_words_stay_as_they_are(words: str) -> None:
    assert escape_formula(words) == words


HOSTILE = """
import json
from genagents_env.actions import parse_action
from genagents_env.llm.calls import Completion, CompletionRequest, Message
from genagents_env.llm.completions import parse
from genagents_env.llm.redact import Redactor
from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import read_prompt
from genagents_env.text import clean, fold
from pydantic import BaseModel

class Speech(BaseModel):
    say: str

# Marks on one letter, marks that are made of marks, marks between signs that no terminal shows.
for marks in ("\\u0301\\u0316" * 125_000, "\\u0f73" * 125_000, "\\u0301\\u200b\\u0316" * 80_000):
    assert len(clean("a" + marks, 250_000)) < 40
    words = json.dumps({"say": "a" + marks[:220_000]}, ensure_ascii=False)
    assert len(parse(Completion(words, "stop", 1, 1), Speech).value.say) < 40
assert len(fold("a" + "\\u0301\\u0316\\uff9e" * 80_000)) < 70
blank = " " * 100_000
assert parse_action("(" + blank) is None
assert parse_action("(TALK) to" + blank + "x").to is None
assert parse_action("(USE) x" + blank + "y") is None
assert Redactor().redact("//" + ":" * 100_000)
asked = Message("user", f'<<<DATA x\\n{json.dumps(["#1", "x " * 50_000])}\\nx END>>>')
(read,) = read_prompt(CompletionRequest((asked,))).lines
assert not news.is_testimony(read.text)
"""


def test_hostile_text_does_not_freeze_the_process() -> None:
    # What froze took minutes, what does not takes a tenth of a second.
    subprocess.run([sys.executable, "-c", HOSTILE], check=True, timeout=60)
