"""A part of a cast takes with it the checks and successes that still say something."""

from pathlib import Path

import pytest

from genagents_env.errors import ScenarioError
from genagents_env.scenario import load_scenario
from genagents_env.scenario.checks import check
from genagents_env.scenario.people_selection import select_people
from tests.scenario.bad_folders import CHECKED, write

SMALL = ["Dmitri Ivanov", "Richard Smith", "Lizhi Chen"]


@pytest.mark.parametrize("people", ["3", ["3"], SMALL, ", ".join(SMALL)])
def test_a_cast_is_named_or_spelled_out(people: str | list[str]) -> None:
    scenario = load_scenario("murder_mystery", people)
    assert [person.name for person in scenario.people] == SMALL
    assert list(scenario.casts) == ["3"]
    assert check(scenario) == []


def test_an_unknown_cast_is_an_error_that_lists_casts_and_names() -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario("murder_mystery", "4")
    said = str(caught.value)
    assert 'no cast "4" in murder_mystery; casts: "3", "6", "9"' in said
    assert 'no person "4" in murder_mystery; allowed: "Marta Rodriguez"' in said


def test_a_scenario_without_casts_speaks_of_people_only() -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario("tiny", "4")
    assert "cast" not in str(caught.value)
    assert 'no person "4"' in str(caught.value)


@pytest.mark.parametrize("people", ["", " , ", []])
def test_nobody_at_all_is_an_error(people: str | list[str]) -> None:
    with pytest.raises(ScenarioError, match="name at least one person"):
        load_scenario("murder_mystery", people)


def test_two_names_are_never_a_cast() -> None:
    with pytest.raises(ScenarioError, match='no person "3"'):
        load_scenario("murder_mystery", ["3", "6"])


def test_what_rests_on_the_absent_goes_and_what_is_built_on_it(tmp_path: Path) -> None:
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


def test_a_success_of_several_goes_on_with_those_who_are_there() -> None:
    scenario = load_scenario("murder_mystery", "3")
    somebody = next(one for one in scenario.success if one.id == "somebody")
    assert somebody.of == ("Richard Smith", "Lizhi Chen")
    alone = load_scenario("murder_mystery", ["Dmitri Ivanov", "Francesco Bianchi"])
    assert [one.id for one in alone.success] == ["everyone"]


def test_secrets_stay_secret_in_a_part_of_the_cast() -> None:
    scenario = load_scenario("murder_mystery", "6")
    secret = {fact.id: fact.known_by for fact in scenario.facts if fact.secret}
    assert secret == {
        "murder": (),
        "one_night": ("Marta Rodriguez",),
        "affair": (),
        "who_called": (),
    }
