from datetime import timedelta
from pathlib import Path

import pytest

from genagents_env.record import InterviewRow, JudgementRow, RunReader
from genagents_env.scenario.schema import Question, Value
from genagents_env.study.evaluate.checks import (
    Verdict,
    accept_verdict,
    apply_rule,
    find_verdicts,
    judge_answers,
)
from tests.study.evaluate.suspects import (
    ILL,
    LAST,
    NAMES,
    PAIN,
    STUDY,
    SUSPECT,
    at,
    make_answers,
    make_data,
    make_judgements,
    make_verdicts,
    mystery,
    write,
)

MYSTERY = mystery()


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("She is in PAIN.", "yes"),
        ("It hurts, and I don't know why.", "no"),
        ("It hurts, and I don\u2019t know why.", "no"),
        ("She is painting.", "no"),
        ("", "no"),
    ],
)
def test_an_answer_is_yes_where_it_shows_it_and_nothing_against_it(
    answer: str, verdict: str
) -> None:
    assert apply_rule(ILL, answer) == verdict


@pytest.mark.parametrize(
    ("answer", "first", "otherwise"),
    [
        ("FRANCO, I guess.", "Franco", "Franco"),
        ("The florist, not her friend.", "Zoe", "Zoe"),
        ("Zoe the florist.", "Zoe", "Zoe"),  # two patterns of one value
        ("Zoe or Franco.", "Zoe", "nobody"),
        ("Franco or Zoe.", "Franco", "nobody"),
        ("I cannot tell.", "nobody", "nobody"),
        ("", "nobody", "nobody"),
    ],
)
def test_of_several_values_the_first_or_none(answer: str, first: str, otherwise: str) -> None:
    assert apply_rule(SUSPECT, answer) == first
    assert apply_rule(SUSPECT.model_copy(update={"several": "otherwise"}), answer) == otherwise


def test_of_two_that_begin_together_it_is_the_one_the_check_has_first() -> None:
    values = (Value(value="ann", patterns=("ann",)), Value(value="anna", patterns=("anna",)))
    assert apply_rule(SUSPECT.model_copy(update={"values": values}), "Anna") == "ann"


def test_without_patterns_the_rule_has_no_opinion() -> None:
    bare = tuple(Value(value=value.value) for value in SUSPECT.values)
    assert apply_rule(SUSPECT.model_copy(update={"values": bare}), "Franco") is None
    assert apply_rule(ILL.model_copy(update={"yes": (), "no": ()}), "pain") is None
    assert apply_rule(ILL.model_copy(update={"yes": ()}), "She is in pain.") == "no"


def test_a_model_may_say_what_the_check_knows_and_nothing_else() -> None:
    said = ("yes", "no", "Franco", "nobody", None)
    assert [accept_verdict(ILL, one) for one in said] == ["yes", "no", None, None, None]
    assert [accept_verdict(SUSPECT, one) for one in said] == [None, None, "Franco", "nobody", None]


ROWS = [
    *make_answers("Ada", "Nobody.", "Zoe", tick=0),
    *make_answers("Ada", "Franco.", "Franco.", "Zoe."),
    *make_answers("Ben", "Zoe.", "I cannot tell."),
    *make_answers("Ben", "Of an end that is no more.", tick=30),
    *make_answers("Ada", "It hurts.", question=PAIN),
]
JUDGED = [
    *make_judgements("Ada", "Franco", None, "the moon"),
    *make_judgements("Ben", "Zoe", tick=30),
    *make_judgements("Ada", "Zoe", judge="quick"),
    *make_judgements("Ada", "no", check="ill", question=PAIN),
]


def _of_suspect(rows: list[InterviewRow], of: list[JudgementRow]) -> list[Verdict]:
    return list(judge_answers(make_data(MYSTERY, rows, of), SUSPECT))


@pytest.mark.parametrize("step", [1, -1])
def test_every_repeat_has_a_verdict_by_the_rule_and_by_each_judge_of_that_end(step: int) -> None:
    assert _of_suspect(ROWS[::step], JUDGED[::step]) == [
        *make_verdicts("suspect", "Ada", "nobody", "Zoe", when="before"),
        *make_verdicts("suspect", "Ada", "Franco", "Franco", "Zoe"),
        *make_verdicts("suspect", "Ben", "Zoe", "nobody"),
        *make_verdicts("suspect", "Ada", "Zoe", None, None, by="model:quick"),
        *make_verdicts("suspect", "Ben", None, None, by="model:quick"),
        *make_verdicts("suspect", "Ada", "Franco", None, None, by="model:wise"),
        *make_verdicts("suspect", "Ben", None, None, by="model:wise"),
    ]


def test_an_answer_about_another_is_not_the_agents_own_and_tick_zero_has_no_end() -> None:
    about = Question(id="who", text="Was it {person}?", when="both", about="everyone")
    rows = [InterviewRow(LAST, "Ada", "Was it Ben?", "It was Zoe.", ())]
    curious = mystery(questions=(about,))
    assert list(judge_answers(make_data(curious, rows), SUSPECT)) == []
    early = make_data(MYSTERY, make_answers("Ada", "Zoe", tick=0), last=0)
    assert [one.when for one in judge_answers(early, SUSPECT)] == ["before"]


MOVES = [
    at(0, 0, "start", "Ada", "Cottage/study"),
    at(1, 0, "start", "Ben", "Cottage/kitchen"),
    at(2, 10, "arrive", "Ben", "Cottage/study"),
    at(3, 20, "arrive", "Ada", "Cottage/kitchen"),
]


def test_verdicts_of_a_run_are_in_the_order_of_its_checks(tmp_path: Path) -> None:
    soon, late = (MYSTERY.start + timedelta(seconds=10 * tick) for tick in (12, LAST + 1))
    checks = (
        STUDY,
        STUDY.model_copy(update={"id": "soon", "at": soon}),
        STUDY.model_copy(update={"id": "late", "at": late}),
        STUDY.model_copy(update={"id": "ago", "at": MYSTERY.start - timedelta(hours=1)}),
        ILL,
    )
    path = write(tmp_path / "run.sqlite", mystery(checks=checks), MOVES, ROWS, JUDGED)
    with RunReader(path) as run:
        told = find_verdicts(run)
    values = {(one.check, one.agent): one.value for one in told}
    assert list(dict.fromkeys(one.check for one in told)) == ["study", "soon", "late", "ago", "ill"]
    assert {(one.when, one.repeat, one.by) for one in told[:3]} == {("after", 0, "rule")}
    assert [values["study", name] for name in NAMES] == ["no", "yes", "no"]
    assert [values["soon", name] for name in NAMES] == ["yes", "yes", "no"]
    assert {values[check, name] for check in ("late", "ago") for name in NAMES} == {None}
    assert [(one.by, one.value) for one in told if one.check == "ill"] == [
        ("rule", "yes"),
        ("model:wise", "no"),
    ]


def test_without_checks_or_before_any_time_there_is_nothing_to_say(tmp_path: Path) -> None:
    with RunReader(write(tmp_path / "a.sqlite", mystery(checks=()), MOVES, ROWS)) as run:
        assert find_verdicts(run) == ()
    with RunReader(write(tmp_path / "b.sqlite", MYSTERY, MOVES[:2], last=0)) as run:
        assert {(one.check, one.value) for one in find_verdicts(run)} == {("study", None)}
