"""Patterns from people: found in linear time, and where Python's `re` finds them."""

import re
import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from genagents_env.scenario.patterns import compile_any, compile_pattern, finds_any, prepare
from genagents_env.text import clean
from tests.scenario.shipped_patterns import find_with_re, list_shipped_patterns, write_texts

HOSTILE = """
from genagents_env.study.evaluate.checks import apply_rule
from genagents_env.study.evaluate.claims import claims_fact
from genagents_env.scenario import load_scenario
from genagents_env.scenario.schema import AnswerCheck, Fact
from genagents_env.scenario.town import lay_out
from genagents_env.world.constants import PeopleTable
from genagents_env.world.places import Places

patterns = ("(.*)*x", "(a|a)*b", r"(\\w+\\s?)*\\$")
fact = Fact(id="f", statement="It is so.", patterns=patterns)
town = load_scenario("tiny").model_copy(update={"facts": (fact,)})
check = AnswerCheck(kind="answer", id="c", question="q", ask="Is it?", yes=patterns)
for text in ("a" * 500, "word " * 100, "é" * 500):
    print(PeopleTable(town, Places(lay_out(town))).find_facts(text), end=" ")
    print(claims_fact(text, fact), apply_rule(check, text))
"""


def test_a_pattern_that_backtracks_for_ever_hangs_neither_a_run_nor_a_report() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "() False no\n" * 3


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"tea(?= time)", '"(?=" looks ahead'),
        (r"tea(?! time)", '"(?!" looks ahead'),
        (r"(?<=green )tea", '"(?<=" looks behind'),
        (r"(?<!green )tea", '"(?<!" looks behind'),
        (r"(\w)\1", r'"\1" refers back'),
        (r"(?P<x>\w)(?P=x)", '"(?P=" refers back'),
        (r"(?>a)b", '"(?>" is an atomic group'),
        (r"(a)?(?(1)b|c)", '"(?(" is a condition'),
        (r"a*+b", '"*+" gives nothing back'),
        (r"a{,3}b", '"{,3}" lacks its first number'),
        (r"(?m)^a", '"(?m)" opens no group'),
        (r"(?:.{900}){900}", "it grows too large"),
        (r"(", "not a regular expression: missing )"),
        (r"\q", r"not a regular expression: bad escape \q"),
        ("\bparty\b", r"no text has its control character '\x08'"),
    ],
)
def test_patterns_without_linear_search_are_refused_by_name(pattern: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        compile_pattern(pattern)


@pytest.mark.parametrize("text", ["party \ud800", "\u00e9 \udc00 party"])
def test_half_a_character_hides_nothing_else(text: str) -> None:
    assert finds_any((r"\bparty\b",), text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\bjosé\b", "Hello, José!"),
        (r"\bшюм\b", "шюмы, ШУМ!"),
        (r"祭り.{0,3}今夜", "祭りは今夜"),
        (r"caf[eé]", "the CAFÉ"),
        (r"[^\W_]+x", "no, ñx"),
        (r"a.{0,3}b", "aéééèb"),
        (r"\Btea", "Étea"),
        ("it['\u2019]s\\b", "it\u2019s"),
        (r"[]a]+", "é]a"),
        (r"\bmarta\b(?P<at>)", "é Marta"),
        (r"(?:x(?P<at>y)|z)", "é z"),
        (r"K", "K"),
    ],
)
def test_letters_of_other_scripts_are_letters(pattern: str, text: str) -> None:
    assert compile_pattern(pattern).find(prepare(text)) == find_with_re(pattern, text)


ATOMS = ["a", "B", "é", "0", "_", " ", ".", "-", r"\w", r"\W", r"\s", r"\S", "[ab]", "[^aé]", r"\."]
ATOMS += [r"[\w-]", r"[^\w]", r"[\W_]", r"[^\W0]", "(?:a|é)", "(b|)", r"\b", r"\B", "^", "$", "我"]
patterns = st.lists(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(["", "", "", "*", "+?", "?", "{0,3}"])).map(
        lambda pair: pair[0] if pair[0] in (r"\b", r"\B", "^", "$") else "".join(pair)
    ),
    min_size=1,
    max_size=8,
).map("".join)


@given(patterns, st.text("aAbé0_ .-我ñ!", max_size=30), st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_pattern_is_found_where_python_finds_it(pattern: str, text: str, foreign: bool) -> None:
    text = clean(text + "é" * foreign)
    assume(not compile_pattern(pattern).is_in(prepare("")))  # scenarios refuse what is everywhere
    found = compile_pattern(pattern).find(prepare(text))
    assert (found is None) == (re.search(pattern, text, re.IGNORECASE) is None)
    assert compile_any(["x{2}", pattern]).is_in(prepare(text)) == finds_any(["x{2}", pattern], text)
    assert found == find_with_re(pattern, text)


def test_no_patterns_are_found_nowhere() -> None:
    assert not any(compile_any([]).is_in(prepare(text)) for text in ("", "a", "é"))


SHIPPED = sorted(list_shipped_patterns())


@pytest.mark.parametrize("pattern", SHIPPED)
def test_shipped_patterns_find_what_they_found_in_python(pattern: str) -> None:
    texts = list(write_texts(pattern, 20))
    assert any(compile_pattern(pattern).is_in(prepare(text)) for text in texts)
    for text in texts:
        assert compile_pattern(pattern).find(prepare(text)) == find_with_re(pattern, text)
