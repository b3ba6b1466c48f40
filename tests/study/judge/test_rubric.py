from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.study.judge import list_rubrics, load_rubric
from genagents_env.study.judge.rubric import parse_rubric
from tests.study.judge.planted import answer

GOOD = """
name = "short"
title = "Shortness"
ask = "How short is it?"
versus = "Which is shorter?"
low = 0
high = 2
questions = ["tea", "Who took the tea?"]
[anchors]
0 = "Long."
2 = "Short."
"""


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigError) as told:
        parse_rubric(text, "my.toml")
    return str(told.value).splitlines()


def test_every_shipped_rubric_is_whole() -> None:
    assert list_rubrics() == ["believability", "dialogue_formality", "formality", "persona"]
    for name in list_rubrics():
        rubric = load_rubric(name)
        assert rubric.name == name
        assert rubric.source
        assert {rubric.low, rubric.high} <= {number for number, _ in rubric.scale}
        assert bool(rubric.versus) == (rubric.about == "answer")
    assert len({load_rubric(name).edition for name in list_rubrics()}) == len(list_rubrics())


def test_questions_are_named_by_id_or_by_their_words() -> None:
    rubric = parse_rubric(GOOD, "x")
    assert rubric.covers(answer(question_id="tea", question="Any?"))
    assert rubric.covers(answer(question_id="", question="who took  the tea?"))
    assert not rubric.covers(answer(question_id="", question="Is there tea?"))
    assert load_rubric("persona").covers(answer(question_id=""))


def test_every_fault_of_a_file_is_told_at_once() -> None:
    found = faults('name = "X y"\nasks = "q"\nlow = 1\nhigh = "a"\nabout = "answers"\n[anchors]\n')
    assert found == [
        'my.toml: name: "X y" is no id; lower-case letters, digits and _ are allowed, a letter '
        "first, at most 40",
        "my.toml: title: missing; it is required",
        "my.toml: ask: missing; it is required",
        "my.toml: high: this is text; a whole number is wanted",
        'my.toml: about: "answers" is unknown; did you mean "answer"?',
        'my.toml: asks: unknown key; did you mean "ask"?',
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('0 = "Long."', ""), 'anchors: "0" and "2" are required; allowed: "0", "1", "2"'),
        (('0 = "Long."', '0 = "Long."\n5 = "Longer."'), 'anchors: "0" and "2" are required'),
        (("high = 2", "high = 0"), "0 to 0 is no scale"),
        (("high = 2", "high = 99"), "at most 20 apart"),
        (("low = 0", 'low = 0\nabout = "day"'), "of a day there are no questions"),
        (('ask = "How short is it?"', 'ask = ""'), "ask: at least 1 "),
    ],
)
def test_a_scale_must_be_one(change: tuple[str, str], told: str) -> None:
    assert any(told in fault for fault in faults(GOOD.replace(*change)))


def test_what_is_no_rubric_at_all(tmp_path: Path) -> None:
    assert faults("name = ")[0].startswith("my.toml: this is no TOML")
    with pytest.raises(ConfigError, match='"believable" is unknown; did you mean "believability"'):
        load_rubric("believable")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_rubric(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_rubric(tmp_path / "latin.toml")


def test_a_file_is_a_rubric_and_its_edition_is_of_the_content_alone(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text(f"# mine\n{GOOD}")
    rubric, other = load_rubric(path), parse_rubric(GOOD.replace("Long.", "Very long."), "x")
    assert rubric.scale == ((0, "Long."), (2, "Short."))
    assert rubric.edition == parse_rubric(GOOD, "a").edition != other.edition
    assert answer().id == replace(answer(), person="somebody else", day="").id
