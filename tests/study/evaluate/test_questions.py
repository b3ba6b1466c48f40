import pytest

from genagents_env.errors import ScenarioError
from genagents_env.scenario import Scenario, list_scenario_names, load_scenario
from genagents_env.study.evaluate.questions import CATEGORIES, make_standard_questions

SCENARIOS = [load_scenario(name) for name in list_scenario_names()]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_everybody_is_asked_twenty_five_questions_and_no_slot_is_left(
    scenario: Scenario,
) -> None:
    for person in scenario.people:
        asked = make_standard_questions(person.name, scenario)
        assert tuple(asked) == CATEGORIES
        assert all(len(questions) == 5 for questions in asked.values())
        every = [question for questions in asked.values() for question in questions]
        assert len(set(every)) == 25
        assert not any("{" in question for question in every)
        assert asked == make_standard_questions(person.name, scenario)


def test_slots_hold_a_tie_a_stranger_and_what_the_first_fact_says() -> None:
    party = load_scenario("valentines_party")
    memory = make_standard_questions("Sam Moore", party)["memory"]
    assert memory[0] == "Who is John Lin?"
    assert "Tamara Taylor" in memory[1]
    assert party.facts[0].statement in memory[3]


def test_one_who_is_alone_is_asked_about_nobody_by_name() -> None:
    alone = load_scenario("tiny", ["Ada Brook"])
    alone = alone.model_copy(update={"facts": ()})
    every = " ".join(
        q for questions in make_standard_questions("Ada Brook", alone).values() for q in questions
    )
    assert "Ben" not in every
    assert "{" not in every


def test_nobody_of_that_name_is_an_error() -> None:
    with pytest.raises(ScenarioError, match="did you mean"):
        make_standard_questions("Ada Brok", load_scenario("tiny"))
