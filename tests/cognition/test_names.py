"""Whom words name, and whom they turn to."""

import pytest

from genagents_env.cognition import aims, names
from genagents_env.cognition.names import cut_reply

LIZHI, ROLES = "Lizhi Chen", ("police officer",)


@pytest.mark.parametrize(
    "words",
    [
        "Officer Chen, I must tell you something.",
        "Tell me, officer: who was it?",
        "Lizhi: hear me out.",
        "And what of you, Miss Chen?",
    ],
)
def test_surnames_titles_and_trades_turn_to_somebody(words: str) -> None:
    assert names.find_address(LIZHI, words, ROLES) is not None
    assert names.find_mention(LIZHI, words, ROLES) is not None


@pytest.mark.parametrize(
    "words",
    [
        "The officer should know.",
        "I saw Lizhi at the hotel.",
        "Lizhi, who came by, said so.",
    ],
)
def test_people_spoken_of_are_mentioned_but_not_addressed(words: str) -> None:
    assert names.find_address(LIZHI, words, ROLES) is None
    assert names.find_mention(LIZHI, words, ROLES) is not None


@pytest.mark.parametrize(
    "words",
    ["Ahmed Chen was here.", "Yi Chen, listen.", "He is an officer.", "The other officers."],
)
def test_another_of_the_same_surname_or_trade_is_somebody_else(words: str) -> None:
    assert names.find_mention(LIZHI, words, ROLES) is None


@pytest.mark.parametrize(
    ("about", "roles"),
    [
        ("a friend, the postman", ("postman",)),
        ("Lizhi Chen, 28, is the police officer of the town", ("police officer",)),
        ("a friend, who manages the hotel", ()),
        ("the florist, Ahmed Khan's girlfriend", ("florist",)),
    ],
)
def test_roles_are_read_from_ties(about: str, roles: tuple[str, ...]) -> None:
    assert names.list_roles(about) == roles


def test_whole_names_are_found_and_no_places_titles_or_known_people() -> None:
    told = (
        "Yesterday Ahmed Khan met Dr. Ravi Patel at the Sakuramachi Hotel. "
        "Did Fatima Al-Khouri see it? Officer Chen and Lizhi Chen did not."
    )
    found = names.list_full_names(told, ["Sakuramachi Hotel", LIZHI])
    assert found == ["Ahmed Khan", "Ravi Patel", "Fatima Al-Khouri"]


PLACES = ("Sakuramachi Hotel", "sushi restaurant/dining room", "ramen shop", "riverbank")
ROOMS = {"Sakuramachi Hotel": ("lobby", "room 201")}
PEOPLE = ("Richard Smith", "Marta Rodriguez", "Lizhi Chen")
TRADES = {"Lizhi Chen": ROLES, "Richard Smith": ("postman",)}


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("the ramen shop on the corner", "ramen shop"),
        ("the lobby", "Sakuramachi Hotel"),
        ("Sakuramachi Hotl", "Sakuramachi Hotel"),
        ("shop", ""),
    ],
)
def test_a_place_is_meant_or_none(words: str, place: str) -> None:
    assert aims.find_target(words, PLACES, ROOMS) == place


@pytest.mark.parametrize(
    ("words", "person"),
    [
        ("Richard", "Richard Smith"),
        ("Officer Chen", "Lizhi Chen"),
        ("Marta Rodrigues", "Marta Rodriguez"),
        ("Francesco Bianchi", ""),
    ],
)
def test_a_person_is_meant_or_nobody(words: str, person: str) -> None:
    assert aims.find_target(words, PEOPLE, TRADES) == person


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("I was looking for Officer Lizhi Chen to tell her.", "Officer"),
        ("Lizhi Chen is an Officer.", ""),
        ("Officer Lizhi Chens", ""),
    ],
)
def test_a_title_says_what_somebody_is(words: str, title: str) -> None:
    assert names.find_title(LIZHI, words) == title


ME, BEA = "Ann Ash", "Bea Birch"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Ann: Hello!", "Hello!"),
        ("**Ann Ash:** Hello!", "Hello!"),
        (f"{ME} to {BEA}: Hello!", "Hello!"),
        (f"Hello! {BEA} to {ME}: Hello Ann!", "Hello!"),
        ("Hello! **Bea:** Hello Ann!", "Hello!"),
        ("Hello\nBea: Hello Ann!", "Hello"),
        ("With pleasure, Bea: at five.", "With pleasure, Bea: at five."),
    ],
)
def test_a_reply_is_cut_to_the_words_of_its_speaker(written: str, words: str) -> None:
    assert cut_reply(written, ME, [BEA]) == words
    assert cut_reply(f" {written} ", "", [""]) == written  # nobody has a name
