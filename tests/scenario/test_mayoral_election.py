import re

import pytest

from genagents_env.scenario import lay_out, load_scenario

ELECTION = load_scenario("mayoral_election")
PARTY = load_scenario("valentines_party")


def test_the_town_and_all_but_two_people_are_those_of_the_party() -> None:
    assert (ELECTION.sectors, ELECTION.rules) == (PARTY.sectors, PARTY.rules)
    assert (ELECTION.start, ELECTION.hours) == (PARTY.start, PARTY.hours)
    assert (lay_out(ELECTION).arena == lay_out(PARTY).arena).all()
    pairs = zip(ELECTION.people, PARTY.people, strict=True)
    assert [here.name for here, there in pairs if here != there] == [
        "Isabella Rodriguez",
        "Sam Moore",
    ]


def test_nobody_speaks_of_the_party_and_only_sam_knows_what_spreads() -> None:
    said = " ".join(person.model_dump_json() for person in ELECTION.people)
    assert "party" not in said
    assert "Valentine" not in said
    assert {fact.id: fact.known_by for fact in ELECTION.facts} == {
        "candidacy": ("Sam Moore",),
        "speech": ("Sam Moore",),
    }


def test_the_ties_are_those_of_the_party() -> None:
    ties = [[tie.to for tie in person.relationships] for person in ELECTION.people]
    assert ties == [[tie.to for tie in person.relationships] for person in PARTY.people]


def test_sam_is_on_the_lawn_when_he_speaks() -> None:
    (speech,) = ELECTION.gatherings
    sam = next(person for person in ELECTION.people if person.name == speech.host)
    there = [entry for entry in sam.routine if entry.at <= speech.start.time()][-1]
    following = sam.routine[sam.routine.index(there) + 1]
    assert there.place == speech.place
    assert following.at >= speech.end.time()


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (["candidacy"], "Sam Moore is running for mayor in the coming local election."),
        (["speech"], ELECTION.facts[1].statement),
        (["speech"], "Will you come to my speech in the park tomorrow at four?"),
        (["speech"], "I will speak in Johnson Park."),
        (["speech"], "On the lawn there is a debate on Tuesday."),
        (["candidacy", "speech"], "Sam Moore, the candidate, gives a speech in Johnson Park."),
        ([], "Let us talk in the park."),
        ([], "I walked in Johnson Park."),
        ([], "The election needs a good speech."),
    ],
)
def test_a_fact_is_recognised_in_what_is_said(facts: list[str], said: str) -> None:
    heard = [f.id for f in ELECTION.facts if any(re.search(p, said, re.I) for p in f.patterns)]
    assert heard == facts
