"""What the scripted neighbour says by the lines of a prompt alone, whatever the mind."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.scripted import news, talk
from genagents_env.llm.scripted.interview import answer_honestly
from genagents_env.llm.scripted.prompt import Prompt, PromptLine, read_prompt

PARTY = "Bea Birch gives a party at Hobbs Cafe on February 14th from 5 pm to 7 pm."
MAYOR = "Cy Cole is running for mayor in the coming local election."
SAW = "Out for a walk at night, I saw Dee Dunn leave the hotel with a bloody knife in her hand."
LEAVING = "The headmaster Karl Orr is leaving the school this week."
SHOP = "The corner shop shuts at noon today, for two hours."
CONFESSION = "I murdered Al Aston with a knife, and I left the house in a rush."
KEPT = "Al left the hotel in a rush when Bea Birch saw us; we keep it a secret."
SUSPECT = "Who do you think is the biggest suspect?"
NOW = ("now", "Monday 13 February 2023, 12:20")


def ask(words: str, *lines: tuple[str, ...], seed: int = 0) -> Prompt:
    fenced = "\n".join(json.dumps(line) for line in lines)
    user = f"You are Ann Ash, 30.\n\n<<<DATA f\n{fenced}\nf END>>>\n\n{words}"
    return read_prompt(CompletionRequest((Message("user", user),), {}, "Reply", seed=seed))


def say(*lines: tuple[str, ...], words: str = "You are talking with Cal Crow.") -> str:
    return talk.say_next(ask(words, NOW, *lines), 300)[0]


def answer(question: str, *memories: str) -> tuple[str, list[int]]:
    lines = [(f"#{k}", "before", text) for k, text in enumerate(memories, 1)]
    reply: dict[str, object] = answer_honestly(ask("Answer.", NOW, ("question", question), *lines))
    because = reply["because"]
    assert isinstance(because, list)
    return str(reply["answer"]), because


@pytest.mark.parametrize("text", [PARTY, MAYOR, SAW, LEAVING, SHOP])
def test_facts_of_any_scenario_are_news(text: str) -> None:
    assert news.is_news(text)
    assert say(("#1", "before", text), ("Cal Crow", "said", "Well.")) == text


@pytest.mark.parametrize(
    "text",
    [
        *(CONFESSION, KEPT, "Isabella Rodriguez is eating lunch, Hobbs Cafe"),
        *("Shall we meet at Johnson Park tomorrow at 10:00?", "I like tea.", "See you tomorrow!"),
    ],
)
def test_secrets_sights_and_small_talk_are_no_news(text: str) -> None:
    assert not news.is_news(text)


def test_nobody_is_told_what_speaks_against_them() -> None:
    words = say(("#1", "before", SAW), ("Dee Dunn", "said", "Hi."), words="You are with Dee Dunn.")
    assert "knife" not in words


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=80) | st.sampled_from((PARTY, SAW, CONFESSION)), max_size=5))
def test_whatever_was_said_there_are_words_and_no_confession(texts: list[str]) -> None:
    lines = [(f"#{k}", "before", text) for k, text in enumerate([CONFESSION, *texts], 1)]
    said = [("Cal Crow", "said", text) for text in texts if text != CONFESSION]
    assert "murdered" not in say(*lines, *said)
    assert isinstance(news.find_suspect(" ".join(texts)), str)
    answer(" ".join(texts), *texts)
    assert PromptLine(None, ("Bo", "said"), "Hi").speaker == "Bo"


def test_answers_name_the_lines_that_they_rest_on() -> None:
    told = f'Bea Birch said to Ann Ash: "{PARTY}"'
    assert answer("Do you know of a party?", "It rained.", told) == (f"Yes. {PARTY}", [2])
    assert answer("Do you know of Bea Birch?", told)[1] == [1]
    assert answer("Do you know of Tom Teal?", "Tom Teal is eating") == (
        "No, I have not heard of them.",
        [],
    )
    assert answer("Do you know who is running for mayor?", told)[1] == []


def test_an_open_question_is_answered_by_all_news_or_not_denied() -> None:
    told = f'Bea Birch said to Ann Ash: "{PARTY}"'
    assert answer("Any news?", "It rained.", told, MAYOR) == (f"{PARTY} {MAYOR}", [2, 3])
    assert answer("Do you know of the new mayor?", told)[0].startswith("No")
    assert answer("What is the news?", "It rained.") == ("Nothing that was new to me.", [])
    assert answer("Whom did you meet?", told) == ("I do not know.", [])


def test_a_meeting_is_kept_if_both_agreed() -> None:
    asked = ("you", "said", "Shall we meet at Hobbs Cafe tomorrow at 12:00?")
    agreed = ("Cal Crow", "said", say(("Cal Crow", "said", asked[2])))
    (meeting,) = talk.list_agreements(ask("You have just talked with Cal Crow.", asked, agreed))
    assert (meeting["where"], meeting["time"]) == ("Hobbs Cafe", "12:00")
    assert meeting["with_whom"] == "Cal Crow"
    assert not talk.list_agreements(ask("You have just talked with Cal Crow.", asked))


def test_whom_most_testimonies_are_about_is_suspected() -> None:
    other = "Last night I saw Cy Cole run off in a hurry."
    rush = "Dee Dunn left the hotel in a great rush; Bea Birch saw it."
    text, because = answer(SUSPECT, other, SAW, rush)
    assert "suspect is Dee Dunn." in text
    assert because == [2, 3]
    assert answer(SUSPECT, CONFESSION, "Al was stabbed with a knife.") == ("I do not know.", [])
