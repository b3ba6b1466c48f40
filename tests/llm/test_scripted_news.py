"""What scripted models read in a prompt: its lines, and the news among them."""

import pytest

from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.prompts import fence
from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import PromptLine, read_prompt
from genagents_env.llm.scripted.wording import find_closest

PARTY = "Bea Birch gives a party at Hobbs Cafe on February 14th from 5 pm to 7 pm."
SHORT = "Party at Hobbs Cafe, February 14, 5 pm to 7 pm"
MAYOR = "Cy Cole is running for mayor in the coming local election."
TOLD = f'Bea Birch said to Ann Ash: "{PARTY}"'


def test_lines_that_are_none_of_ours_are_passed_over() -> None:
    block = fence([["#1", "Mon 08:00", "one"], {"say": "two"}, [3], [], "four", ["five"]], "ab")
    prompt = read_prompt(CompletionRequest((Message("user", f"Before.\n{block}\nAfter."),)))
    assert prompt.lines == (PromptLine(1, ("Mon 08:00",), "one"), PromptLine(None, (), "five"))
    assert prompt.words == "Before.\n\nAfter."
    assert (prompt.name, prompt.home, prompt.work) == ("", "", "")


@pytest.mark.parametrize(
    ("text", "day", "hours", "place"),
    [
        (PARTY, (2, 14), (1020, 1140), "Hobbs Cafe"),
        (SHORT, (2, 14), (1020, 1140), "Hobbs Cafe"),
        ("on the 3rd of May from nine to eleven in the morning", (5, 3), (540, 660), ""),
        ("a debate in Rose Park, 12 June, 10:30 to 11:45 am", (6, 12), (630, 705), "Rose Park"),
        ("from ten to twelve in the morning", None, (600, 720), ""),
        ("from five to seven in the evening at home", None, (1020, 1140), ""),
        ("from 17:00 to 19:30 at Rose Hall", None, (1020, 1170), "Rose Hall"),
        ("February 14th, 2023, from five to seven in the evening", (2, 14), (1020, 1140), ""),
        ("two and three are five", None, None, ""),
        ("from 7 pm to 5 pm", None, None, ""),
        ("", None, None, ""),
    ],
)
def test_news_tell_when_and_where(
    text: str, day: tuple[int, int] | None, hours: tuple[int, int] | None, place: str
) -> None:
    assert news.find_date(text) == day
    assert news.find_hours(text) == hours
    assert news.find_place(text) == place


@pytest.mark.parametrize("text", [PARTY, SHORT, f"For planning: {SHORT}", TOLD])
def test_a_brief_says_all_of_it_again(text: str) -> None:
    assert (
        news.shorten(news.extract_statement(PromptLine(1, (), text)), 60).casefold()
        == SHORT.casefold()
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PARTY, True),
        (MAYOR, True),
        (TOLD, True),
        (f"Talked with Bea Birch: {MAYOR}", True),
        ("Ann wants to run for mayor", True),
        ("Cy Cole is eating lunch and talking about the party on February 14th", False),
        ("Tom asked John who would run for mayor", False),
        ("The cafe should have a party this year", False),
        ("Ann Ash's plan for Tuesday 14 February: party at Hobbs Cafe", False),
        ("Ann Ash plans for Tuesday 17:00: party at Hobbs Cafe", False),
        ("Bea Birch is asleep", False),
    ],
)
def test_news_is_told_not_seen_nor_planned(text: str, found: bool) -> None:
    assert bool(news.find_news([PromptLine(1, ("Mon 08:00",), text)])) == found


def test_the_same_news_counts_once_in_the_fullest_words() -> None:
    cut_short = PromptLine(1, (), "Party at Hobbs Cafe, February 14")
    items = news.find_news([cut_short, PromptLine(2, (), SHORT), PromptLine(3, (), MAYOR)])
    assert [item.number for item in items] == [2, 3]


def test_of_places_with_as_many_words_the_plainest_is_closest() -> None:
    rooms = ["Dorm for Oak Hill College/room", "Oak Hill College/library", "Cafe"]
    assert find_closest("reading, Oak Hill College", rooms) == "Oak Hill College/library"
    assert find_closest("swimming", rooms) == ""
