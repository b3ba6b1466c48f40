"""What of a prompt's data stands in it where not all has room."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.cognition.prompts import (
    HERE,
    SPOKEN,
    Section,
    count_tokens,
    describe_here_and_now,
    fit_sections,
    shorten_text,
)
from genagents_env.llm.calls import JSONValue
from tests.policies.percepts import Moment, person


def talk(count: int) -> list[JSONValue]:
    return [["Bob", "said", f"{k} on and on about the weather"] for k in range(count)]


def test_reserved_lines_get_room_before_spoken_ones() -> None:
    goal = Section("goal", [["goal", "Find out who took the silver spoon from the kitchen."]])
    said = Section("talk", talk(50), SPOKEN, "last")
    for order in ([said, goal], [goal, said]):
        shown = fit_sections(order, 60)
        assert [section.name for section in shown] == [section.name for section in order]
        fitted = {section.name: section for section in shown}
        assert fitted["goal"].lines == tuple(goal.lines)
        assert fitted["goal"].cut == 0
        assert fitted["talk"].lines == tuple(said.lines[-len(fitted["talk"].lines) :])
        assert fitted["talk"].cut == 50 - len(fitted["talk"].lines) > 0


def test_the_first_lines_stay_where_nothing_else_is_asked_for() -> None:
    (fitted,) = fit_sections([Section("plan", talk(50))], 100)
    assert fitted.lines == tuple(talk(50)[: len(fitted.lines)]) != ()


def test_whole_sentences_are_dropped_and_counted() -> None:
    long = "The cafe opens at eight. The pub opens at five. " + "And so it goes on and on. " * 20
    (fitted,) = fit_sections([Section("places", [["about", long]])], 24)
    assert [line[-1] for line in fitted.lines if isinstance(line, list)] == [
        "The cafe opens at eight. The pub opens at five."
    ]
    assert fitted.cut == 1


def test_a_sentence_too_long_for_any_room_keeps_its_first_words() -> None:
    assert shorten_text("one two three four five six seven eight nine ten", 8).endswith("…")
    assert shorten_text("一二三四五六七八九十" * 9, 20).startswith("一")


@given(st.text(max_size=400), st.integers(0, 100))
def test_a_shortened_text_fits_and_begins_as_it_did(text: str, most: int) -> None:
    short = shorten_text(text, most)
    assert text.startswith(short.removesuffix("…").rstrip()) or short == text
    if short and most >= 3:
        assert count_tokens([short]) <= count_tokens([""]) + most


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.lists(st.text(max_size=200), max_size=9)), max_size=6),
    st.integers(0, 400),
)
def test_no_room_is_exceeded_and_nothing_goes_uncounted(
    parts: list[tuple[int, list[str]]], room: int
) -> None:
    sections = [
        Section(str(k), [["head", line] for line in lines], rank)
        for k, (rank, lines) in enumerate(parts)
    ]
    fitted = fit_sections(sections, room)
    assert sum(section.tokens for section in fitted) <= max(0, room)
    for section, shown in zip(sections, fitted, strict=True):
        same = sum(line in section.lines for line in shown.lines)
        assert shown.cut >= len(section.lines) - same if shown.cut else same == len(section.lines)


@pytest.mark.parametrize(
    ("doing", "told"),
    [
        ("talking with Ann Ash", "talking with you"),
        ("talking with Ann Ash and Cid Cedar", "talking with you and Cid Cedar"),
        ("waiting at Ann Ash's house", "waiting at your house"),
        ("talking with Joann Ashton", "talking with Joann Ashton"),
        ("reading 'Ann Ash and Cid' to Ann Ash's cat", "reading 'Ann Ash and Cid' to your cat"),
    ],
)
def test_who_is_there_does_it_with_you(doing: str, told: str) -> None:
    sections = describe_here_and_now(Moment(people=(person("Bob", doing=doing),)))
    here = next(section for section in sections if section.name == HERE)
    assert here.lines == [["here with you", "Bob", told]]
    asleep = describe_here_and_now(Moment(people=(person("Bob", doing=doing, asleep=True),)))
    assert asleep[-1].lines == [["here with you", "Bob", "asleep"]]
