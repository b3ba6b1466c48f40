import pytest

from genagents_env.memory.pronouns import PronounReader, list_named

READER = PronounReader(["Franco Bay", "Ada Ash", "Ben Bow"])


def read(*sentences: str, by: str | None = None, to: str | None = None) -> list[str]:
    return READER.read(sentences, by, to)[-1:]


@pytest.mark.parametrize(
    ("sentences", "meant"),
    [
        (("I saw Franco.", "He ran."), "Franco Bay ran."),
        (("Franco came, then Ada.", "I saw her."), "I saw Ada Ash."),
        (("I saw Franco.", "His knife is long."), "Franco Bay's knife is long."),
        (("Ada is at home.", "I like her house."), "I like Ada Ash's house."),
        (("Franco it was.", "Ben saw him run."), "Ben saw Franco Bay run."),
        (("Franco it was.", "Ben says that he saw him."), "Ben says that Ben Bow saw Franco Bay."),
        (("Franco and Ben came.", "They fought."), "Franco Bay and Ben Bow fought."),
        (("I saw Franco.", "I would meet him and Ada."), "I would meet Franco Bay and Ada."),
        (("It was Bay.", "The hero ran; he is tall."), "The hero ran; Franco Bay is tall."),
    ],
)
def test_a_pronoun_is_whoever_was_named_last(sentences: tuple[str, ...], meant: str) -> None:
    assert read(*sentences) == [meant]


@pytest.mark.parametrize("text", ["He ran.", "They ran.", "Ada saw her.", "Ada says they ran."])
def test_a_pronoun_that_fits_nobody_stays(text: str) -> None:
    assert read(text) == [text]


def test_he_is_neither_who_speaks_nor_who_is_spoken_to() -> None:
    said = ("Franco, I mean.", "I am Ben, Ada.", "He ran.")
    assert read(*said, by="Ben Bow", to="Ada Ash") == ["Franco Bay ran."]
    assert read(*said) == ["Ada Ash ran."]


def test_people_are_known_by_what_facts_say_of_them() -> None:
    assert list_named(
        [
            "Franco Bay and Ada Ash met at Hobbs Cafe on Friday.",
            "A tea of Aconitum Napellus heals Brachionervus Pulse Syndrome.",
            "It was Ben Bow who called; Franco Bay's knife is lost.",
        ]
    ) == ["Franco Bay", "Ada Ash", "Ben Bow"]
