import pytest

from genagents_env.errors import ScenarioError
from genagents_env.record.rows import InterviewRow
from genagents_env.scenario import Scenario, list_scenario_names, load_scenario
from genagents_env.study.evaluate.interviews import ENDS, find_run_replies
from genagents_env.study.evaluate.questions import CATEGORIES, make_standard_questions
from tests.study.evaluate.suspects import make_data

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


TINY = load_scenario("tiny")
NAMES = [person.name for person in TINY.people]
HEARD = TINY.questions[0].text


def test_answers_are_put_beside_their_questions_by_end_of_the_run() -> None:
    rows = [
        InterviewRow(60, "Ben Carver", HEARD, "Yes.", (4, 2)),
        InterviewRow(30, "Ben Carver", HEARD, "Of an end that is no more.", ()),
        InterviewRow(0, "Ben Carver", HEARD, "No.", ()),
        InterviewRow(60, "Ada Brook", HEARD, "Nobody asked me.", ()),
        InterviewRow(60, "Ben Carver", "What else?", "Nothing.", ()),
    ]
    data = make_data(TINY, rows, last=60, names=NAMES)
    for when, row in zip(ENDS, (rows[2], rows[0]), strict=True):
        ((asked, found),) = find_run_replies(data, when)
        assert (asked.question_id, found) == (TINY.questions[0].id, row)
    assert find_run_replies(make_data(TINY, rows, last=60, names=["Ada Brook"]), "after") == []
    for last in (0, 61):
        assert find_run_replies(make_data(TINY, rows, last=last, names=NAMES), "after") == []


def test_the_first_interview_stands_for_all_unless_more_are_wanted() -> None:
    words = {2: "Third.", 0: "First.", 1: "Second."}
    rows = [InterviewRow(60, "Ben Carver", HEARD, text, (), k) for k, text in words.items()]
    data = make_data(TINY, rows, last=60, names=NAMES)

    def told(repeat: int | None) -> list[tuple[int, str]]:
        found = find_run_replies(data, "after", repeat)
        return [(row.repeat, row.answer) for _, row in found]

    assert [row.answer for _, row in find_run_replies(data, "after")] == ["First."]
    assert told(1) == [(1, "Second.")]
    assert told(None) == [(0, "First."), (1, "Second."), (2, "Third.")]
    assert told(3) == []
