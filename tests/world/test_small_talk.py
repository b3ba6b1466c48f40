"""The menu's small talk gives nothing away that is secret."""

from genagents_env.world.speech import make_small_talk
from tests.world.conftest import MakeTown

FACTS = [
    {
        "id": "theft",
        "statement": "Ann took the silver.",
        "known_by": ["Ann Ash"],
        "patterns": ["silver"],
        "secret": True,
    },
    {
        "id": "party",
        "statement": "There is a party tonight.",
        "known_by": ["Ann Ash"],
        "patterns": ["party"],
    },
]


def test_small_talk_never_tells_a_secret(make_town: MakeTown) -> None:
    town = make_town(facts=FACTS)
    ann, bob = town.world.town.people.index["Ann Ash"], town.world.town.people.index["Bob Birch"]
    assert town.world.state.facts[ann] == 0b11
    assert make_small_talk(town.world.state, ann, bob) == "Hello Bob. There is a party tonight."


def test_with_nothing_but_a_secret_to_tell_one_says_hello(make_town: MakeTown) -> None:
    town = make_town(facts=FACTS[:1])
    ann, bob = town.world.town.people.index["Ann Ash"], town.world.town.people.index["Bob Birch"]
    assert make_small_talk(town.world.state, ann, bob) == "Hello Bob."
