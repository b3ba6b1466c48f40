"""Whom words name, and whom they turn to."""

import pytest

from genagents_env.cognition import aims, names
from genagents_env.cognition.names import cut_reply

LIZHI, ROLES = "Lizhi Chen", ("police officer",)


ADDRESSED, MENTIONED, NOBODY = (True, True), (False, True), (False, False)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("Officer Chen, I must tell you something.", ADDRESSED),
        ("Tell me, officer: who was it?", ADDRESSED),
        ("Lizhi: hear me out.", ADDRESSED),
        ("And what of you, Miss Chen?", ADDRESSED),
        ("The officer should know.", MENTIONED),
        ("I saw Lizhi at the hotel.", MENTIONED),
        ("Lizhi, who came by, said so.", MENTIONED),
        ("Ahmed Chen was here.", NOBODY),
        ("Yi Chen, listen.", NOBODY),
        ("He is an officer.", NOBODY),
        ("The other officers.", NOBODY),
    ],
)
def test_who_is_addressed_or_mentioned(words: str, meant: tuple[bool, bool]) -> None:
    found = names.find_address(LIZHI, words, ROLES), names.find_mention(LIZHI, words, ROLES)
    assert (found[0] is not None, found[1] is not None) == meant


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
    ("words", "place", "person"),
    [
        ("the ramen shop on the corner", "ramen shop", ""),
        ("the lobby", "Sakuramachi Hotel", ""),
        ("Sakuramachi Hotl", "Sakuramachi Hotel", ""),
        ("shop", "", ""),
        ("Richard", "", "Richard Smith"),
        ("Officer Chen", "", "Lizhi Chen"),
        ("Marta Rodrigues", "", "Marta Rodriguez"),
        ("Francesco Bianchi", "", ""),
    ],
)
def test_a_place_or_a_person_is_meant_or_none(words: str, place: str, person: str) -> None:
    assert aims.find_target(words, PLACES, ROOMS) == place
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
