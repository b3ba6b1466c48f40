"""What people type as names, found among the names there are."""

import pytest

from genagents_env.errors import ConfigError
from genagents_env.name_search import find_person, find_place, find_word, suggest_names

PEOPLE = ("Ada Brook", "Klaus Mueller", "Lena Ortiz", "Lena Brook", "Maria Lopez", "Zoë O'Neil")
PLACES = (
    "Hobbs Cafe",
    "Hobbs Cafe/cafe",
    "Hobbs Cafe/kitchen",
    "Oak Hill College/library",
    "Lin family house",
    "Lin family house/kitchen",
    "Johnson Park/lawn",
)


UNDERSTOOD = {
    "Klaus Mueller": ("Klaus", "klaus", "MUELLER"),
    "Ada Brook": ("ada brook", "  Ada   Brook ", "ada"),
    "Lena Brook": ("lena brook",),
    "Zoë O'Neil": ("zoë", "ZOE\u0308"),
}


def test_people_are_understood_by_words_of_their_names() -> None:
    for name, words in UNDERSTOOD.items():
        assert {find_person(said, PEOPLE) for said in words} == {name}
    for said in ("lena b", "kla", "", "brook ada"):
        with pytest.raises(ConfigError, match="nobody is called"):
            find_person(said, PEOPLE)


def test_a_whole_name_comes_before_parts_of_others() -> None:
    assert find_person("Ada", ["Ada Brook", "Ada"]) == "Ada"
    assert find_person("ada", ["Ada Brook", "Ada"]) == "Ada"


def test_ambiguous_names_list_the_matches() -> None:
    with pytest.raises(ConfigError) as caught:
        find_person("lena", PEOPLE)
    assert str(caught.value) == "'lena' may be Lena Ortiz, Lena Brook; say which"


def test_a_slip_gets_a_suggestion_and_a_long_list_is_not_told_whole() -> None:
    with pytest.raises(ConfigError) as caught:
        find_person("Klaas", PEOPLE)
    assert str(caught.value) == "nobody is called 'Klaas'; did you mean Klaus Mueller?"
    with pytest.raises(ConfigError) as caught:
        find_person("xyz", [f"Person {at}" for at in range(25)])
    told = str(caught.value)
    assert told.startswith("nobody is called 'xyz'; there are 25 people, among them Person 0, ")
    assert "Person 8" not in told
    with pytest.raises(ConfigError, match=r"there are Ada Brook, Klaus Mueller$"):
        find_person("xyz", PEOPLE[:2])


def test_typed_control_characters_do_not_reach_the_message() -> None:
    with pytest.raises(ConfigError) as caught:
        find_person("\x1b[31mAda\nBen" * 100, PEOPLE)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


def test_places_are_understood_without_their_house() -> None:
    for place, words in {
        "Hobbs Cafe": ("hobbs cafe", "Hobbs"),
        "Hobbs Cafe/cafe": ("cafe",),
        "Hobbs Cafe/kitchen": ("hobbs cafe / kitchen",),
        "Oak Hill College/library": ("library", "Oak Hill College, Library"),
        "Lin family house": ("lin",),
        "Johnson Park/lawn": ("lawn",),
    }.items():
        assert {find_place(said, PLACES) for said in words} == {place}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("kitchen", "'kitchen' may be Hobbs Cafe/kitchen, Lin family house/kitchen; say which"),
        ("libary", "there is no place called 'libary'; did you mean Oak Hill College/library?"),
    ],
)
def test_unclear_places_are_reported(said: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_place(said, PLACES)
    assert str(caught.value) == words


def test_words_such_as_facts() -> None:
    assert find_word("PARTY", ["party", "candidacy"], "fact") == "party"
    with pytest.raises(ConfigError, match="no fact is called 'x'; there are party, candidacy"):
        find_word("x", ["party", "candidacy"], "fact")
    assert suggest_names("x", [], "facts") == "there are no facts"
