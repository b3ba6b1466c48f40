"""Some of the people of a scenario take with them what still says something."""

from pathlib import Path

import pytest

from genagents_env.errors import ScenarioError
from genagents_env.scenario import lay_out, load_scenario
from genagents_env.scenario.checks import check
from genagents_env.scenario.people_selection import select_people
from tests.scenario.bad_folders import CHECKED, write

PAIR = ["Maria Lopez", "Klaus Mueller"]
SMALL = ["Dmitri Ivanov", "Richard Smith", "Lizhi Chen"]


@pytest.mark.parametrize("people", ["3", ["3"], SMALL, ", ".join(SMALL)])
def test_a_cast_is_named_or_spelled_out(people: str | list[str]) -> None:
    scenario = load_scenario("murder_mystery", people)
    assert [person.name for person in scenario.people] == SMALL
    assert list(scenario.casts) == ["3"]
    assert check(scenario) == []


def test_selection_drops_checks_and_successes_of_absent_people(tmp_path: Path) -> None:
    whole = load_scenario(write(tmp_path, CHECKED))
    una, vic = select_people(whole, ["Una Ash"]), select_people(whole, ["Vic Bay"])
    # `heard` was put to Vic alone.
    assert [one.id for one in una.checks] == ["likes", "came", "felt", "lit"]
    assert [one.id for one in una.success] == ["loved"]
    assert list(una.casts) == ["1"]
    assert vic.checks == whole.checks
    assert vic.success == whole.success
    assert vic.casts == {}
    assert check(una) == check(vic) == []


def test_secrets_stay_secret_in_a_part_of_the_cast() -> None:
    scenario = load_scenario("murder_mystery", "6")
    secret = {fact.id: fact.known_by for fact in scenario.facts if fact.secret}
    assert secret == {
        "murder": (),
        "one_night": ("Marta Rodriguez",),
        "affair": (),
        "who_called": (),
    }


def test_nothing_refers_to_anybody_who_is_absent_and_their_property_stays_locked() -> None:
    scenario, whole = load_scenario("valentines_party", PAIR), load_scenario("valentines_party")
    assert [person.name for person in scenario.people] == PAIR
    assert check(scenario) == []
    assert {tie.to for person in scenario.people for tie in person.relationships} == set(PAIR)
    assert all(fact.known_by == () for fact in scenario.facts)
    assert scenario.gatherings[0].host is None
    absent = {p.name for p in whole.people} - set(PAIR)
    users = {
        user
        for sector in scenario.sectors
        for arena in sector.arenas
        for user in (*sector.users, *arena.users, *(u for o in arena.objects for u in o.users))
    }
    assert not users & absent
    plan, town = lay_out(scenario), lay_out(whole)
    assert next(arena for arena in plan.arenas if arena.name == "cellar").users == {"nobody"}
    assert any(arena.users == {"Maria Lopez"} for arena in plan.arenas)
    assert (plan.arena == town.arena).all()
    assert [o.tile for o in plan.objects] == [o.tile for o in town.objects]


@pytest.mark.parametrize(
    ("name", "people", "message"),
    [
        ("murder_mystery", "4", 'no cast "4" in murder_mystery; casts: "3", "6", "9"'),
        ("murder_mystery", "4", 'no person "4" in murder_mystery; allowed: "Marta Rodriguez"'),
        ("murder_mystery", ["3", "6"], 'no person "3"'),  # two names are never a cast
        ("tiny", "4", 'no person "4"'),
        ("murder_mystery", " , ", "name at least one person"),
        ("murder_mystery", [], "name at least one person"),
        ("valentines_party", ["Klaus Muller"], "did you mean "),
        ("valentines_party", ["Nobody Else", "Zed"], 'no person "Zed"'),
        ("valentines_party", ["Sam Moore", "Sam Moore"], "and nobody twice"),
    ],
)
def test_people_who_cannot_be_selected_are_an_error(
    name: str, people: str | list[str], message: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(name, people)
    assert message in str(caught.value)
    assert name != "tiny" or "cast" not in str(caught.value)


def test_a_place_that_is_wrong_is_an_error() -> None:
    with pytest.raises(ScenarioError, match='no place "Hobs Cafe" in valentines_party; did you'):
        load_scenario("valentines_party", place="Hobs Cafe")
    with pytest.raises(ScenarioError, match="place: its capacity of 1 is too few; 6 people"):
        load_scenario("house_rules", place="Students' house/bathroom")
