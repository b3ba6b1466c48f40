from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.scenario import load_scenario, validate_folder
from genagents_env.scenario.checks import check
from genagents_env.scenario.questions import PosedQuestion, When, list_questions
from genagents_env.scenario.schema import Question
from tests.scenario.bad_folders import GOOD, write

TINY = load_scenario("tiny")
NAMES = [person.name for person in TINY.people]


def test_the_order_is_by_person_then_question_then_whom_it_is_about() -> None:
    names = ["Mei Lin", "Sam Moore", "Eddy Lin"]
    questions = (
        Question(id="who", text="Do you know {person}?", about="everyone", when="both"),
        Question(id="party", text="A party?", to=("Mei Lin",), when="before"),
        Question(id="later", text="And now?"),
    )
    town = load_scenario("valentines_party", names).model_copy(update={"questions": questions})
    who = {
        name: [
            PosedQuestion(name, "who", f"Do you know {other}?", other)
            for other in names
            if other != name
        ]
        for name in names
    }
    party = PosedQuestion("Mei Lin", "party", "A party?", None)
    before = [*who["Mei Lin"], party, *who["Sam Moore"], *who["Eddy Lin"]]
    assert list_questions(town, names, "before") == before
    after = [*who["Eddy Lin"], PosedQuestion("Eddy Lin", "later", "And now?", None)]
    assert list_questions(town, names, "after")[-3:] == after


questions = st.builds(
    Question,
    id=st.sampled_from(["a", "b", "c", "d", "e"]),
    text=st.sampled_from(["Do you know Ada Brook?", "Do you know {person}?", "Tea?", "{person}"]),
    to=st.sampled_from([(), (NAMES[0],), (NAMES[1],), tuple(NAMES)]),
    when=st.sampled_from(["before", "after", "both"]),
    about=st.sampled_from(["nobody", "everyone"]),
)


@given(st.lists(questions, max_size=5, unique_by=lambda question: question.id))
def test_valid_questions_ask_nobody_twice(some: list[Question]) -> None:
    scenario = TINY.model_copy(update={"questions": tuple(some)})
    if check(scenario):
        return
    ends: tuple[When, ...] = ("before", "after")
    for when in ends:
        every = list_questions(scenario, NAMES, when)
        assert len({(one.agent, one.text) for one in every}) == len(every)


ABOUT = 'text = "Do you know {person}?"\nabout = "everyone"'
ASKED = 'text = "Have you heard of a feast?"'


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (ASKED + '\nfact = "fest"', 'questions[0].fact: no fact "fest"; did you mean "feast"?'),
        (ASKED + '\ngathering = "x"', 'questions[0].gathering: no gathering "x"; allowed: "feast"'),
        (ASKED + '\nabout = "Vic Bay"', 'questions[0].about: "Vic Bay" is unknown; allowed'),
        ('text = "Do you know {person}?"', 'text: "{person}" is filled in only with about = "ev'),
        (
            ASKED + '\nabout = "everyone"',
            "questions[0].text: asked about everyone, so it has to name",
        ),
        ('text = "Do you know {persn}?"', 'text: nothing takes the place of "{persn}"; only "{per'),
        (ABOUT + '\nfact = "feast"', "questions[0].fact: a question about everyone tells whom one"),
        (ABOUT + '\ngathering = "feast"', "questions[0].gathering: a question about everyone te"),
        (
            ASKED + '\n[[questions]]\nid = "more"\n' + ASKED,
            "questions[1].text: somebody hears this from questions[0] too; word one of them anew",
        ),
        (
            ABOUT + '\n[[questions]]\nid = "more"\ntext = "Do you know Una Ash?"',
            "questions[1].text: somebody hears this from questions[0] too",
        ),
        (
            ASKED
            + "".join(
                f'\n[[questions]]\nid = "q{i}"\ntext = "{i} {{person}}"\nabout = "everyone"'
                for i in range(11)
            ),
            "questions[11].about: at most 10 questions are asked about everyone; leave this one",
        ),
    ],
)
def test_a_wrong_question_is_named_with_what_is_allowed(
    new: str, message: str, tmp_path: Path
) -> None:
    head = GOOD["scenario.toml"].replace('to = ["Vic Bay"]\n', "").replace(ASKED, new)
    (fault,) = validate_folder(write(tmp_path, {**GOOD, "scenario.toml": head}))
    assert message in fault
