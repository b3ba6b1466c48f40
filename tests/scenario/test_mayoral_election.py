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
