"""What people type as names, found among the names there are."""

import pytest

from genagents_env.errors import ConfigError
from genagents_env.name_search import (
    find_person,
    find_place,
    find_word,
    shorten_names,
    suggest_names,
)

PEOPLE = ("Ada Brook", "Klaus Mueller", "Lena Ortiz", "Lena Brook", "Maria Lopez", "Zoë O'Neil")
PLACES: tuple[str, ...] = (
    "Hobbs Cafe",
    "Hobbs Cafe/cafe",
    "Hobbs Cafe/kitchen",
    "Lin family house",
)
PLACES += ("Oak Hill College/library", "Lin family house/kitchen", "Johnson Park/lawn")
UNDERSTOOD = {
    "Klaus Mueller": ("Klaus", "klaus", "MUELLER"),
    "Ada Brook": ("ada brook", "  Ada   Brook ", "ada"),
    "Lena Brook": ("lena brook",),
    "Zoë O'Neil": ("zoë", "ZOE\u0308", "zoe", "neil", "o\u2019neil"),
    "Hobbs Cafe": ("hobbs cafe", "Hobbs"),
    "Hobbs Cafe/cafe": ("cafe",),
    "Hobbs Cafe/kitchen": ("hobbs cafe / kitchen",),
    "Oak Hill College/library": ("library", "Oak Hill College, Library"),
    "Lin family house": ("lin",),
    "Johnson Park/lawn": ("lawn",),
}


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_people_and_places_are_understood_by_words_of_their_names(name: str) -> None:
    for said in UNDERSTOOD[name]:
        assert (find_person(said, PEOPLE) if name in PEOPLE else find_place(said, PLACES)) == name


def test_a_whole_name_comes_before_parts_of_others() -> None:
    assert find_person("ada", ["Ada Brook", "Ada"]) == "Ada"


MANY = tuple(f"Person {at}" for at in range(25))
TOLD = [  # what is said of how many names, and what is told of it
    ("lena", PEOPLE, "'lena' may be Lena Ortiz, Lena Brook; say which"),
    ("Klaas", PEOPLE, "nobody is called 'Klaas'; did you mean Klaus Mueller?"),
    ("lena b", PEOPLE, "nobody is called 'lena b'"),
    ("kla", PEOPLE, "nobody is called 'kla'"),
    ("", PEOPLE, "nobody is called ''"),
    ("brook ada", PEOPLE, "nobody is called 'brook ada'"),
    ("xyz", MANY, "nobody is called 'xyz'; there are 25 people, among them Person 0, "),
    ("xyz", PEOPLE[:2], "nobody is called 'xyz'; there are Ada Brook, Klaus Mueller"),
    ("kitchen", PLACES, "'kitchen' may be Hobbs Cafe/kitchen, Lin family house/kitchen; say"),
    ("libary", PLACES, "there is no place called 'libary'; did you mean Oak Hill College/lib"),
    ("\x1b[31mAda\nBen" * 100, PEOPLE, "nobody is called 'Ada Ben"),
]


@pytest.mark.parametrize(("said", "names", "told"), TOLD)
def test_what_is_not_understood_is_told_in_a_short_and_clean_sentence(
    said: str, names: tuple[str, ...], told: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        (find_place if names is PLACES else find_person)(said, names)
    assert str(caught.value).startswith(told)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300
    assert "Person 8" not in str(caught.value)


def test_words_such_as_facts() -> None:
    assert find_word("PARTY", ["party", "candidacy"], "fact") == "party"
    with pytest.raises(ConfigError, match="no fact is called 'x'; there are party, candidacy"):
        find_word("x", ["party", "candidacy"], "fact")
    assert suggest_names("x", [], "facts") == "there are no facts"


def test_a_first_name_stands_for_one_person_alone() -> None:
    assert shorten_names(["Ann", "Ann Bauer", "Bob Birch"]) == ["Ann", "Ann Bauer", "Bob"]
