"""The menu's small talk gives nothing away that is secret."""

from genagents_env.world.speech import small_talk
from tests.world.conftest import Play

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


def test_small_talk_never_tells_a_secret(play: Play) -> None:
    stage = play(facts=FACTS)
    ann, bob = stage.world.town.people.index["Ann Ash"], stage.world.town.people.index["Bob Birch"]
    assert stage.world.state.facts[ann] == 0b11
    assert small_talk(stage.world.state, ann, bob) == "Hello Bob. There is a party tonight."


def test_with_nothing_but_a_secret_to_tell_one_says_hello(play: Play) -> None:
    stage = play(facts=FACTS[:1])
    ann, bob = stage.world.town.people.index["Ann Ash"], stage.world.town.people.index["Bob Birch"]
    assert small_talk(stage.world.state, ann, bob) == "Hello Bob."
