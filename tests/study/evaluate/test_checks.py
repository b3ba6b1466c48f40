from datetime import datetime, timedelta
from pathlib import Path

import pytest

from genagents_env.record import InterviewRow, JudgementRow
from genagents_env.scenario.people_selection import select_people
from genagents_env.scenario.schema import FactCheck, ObjectCheck, Question, RecordCheck, Value
from genagents_env.study.evaluate.checks import (
    Verdict,
    accept_verdict,
    apply_rule,
    find_verdicts,
    judge_answers,
)
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    CAT,
    HOME,
    Happening,
    begins,
    goes,
    record_street,
    street,
    uses,
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


def test_verdicts_of_a_run_are_in_the_order_of_its_checks() -> None:
    soon, late = (MYSTERY.start + timedelta(seconds=10 * tick) for tick in (12, LAST + 1))
    checks = (
        STUDY,
        STUDY.model_copy(update={"id": "soon", "at": soon}),
        STUDY.model_copy(update={"id": "late", "at": late}),
        STUDY.model_copy(update={"id": "ago", "at": MYSTERY.start - timedelta(hours=1)}),
        ILL,
    )
    told = find_verdicts(make_data(mystery(checks=checks), ROWS, JUDGED, events=MOVES))
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


def test_without_checks_or_before_any_time_there_is_nothing_to_say() -> None:
    assert find_verdicts(make_data(mystery(checks=()), ROWS, events=MOVES)) == ()
    early = find_verdicts(make_data(MYSTERY, last=0, events=MOVES[:2]))
    assert {(one.check, one.value) for one in early} == {("study", None)}


OVEN = f"{CAFE}/oven"
HEARD = (20, "learn", BEN, {"fact": "cake", "cause": 0, "source": ADA})
ON, OFF = uses(5, ADA, OVEN, "on"), uses(30, BEN, OVEN, "off")
AT_OVEN, NOBODY, BY_ADA = begins(ADA, CAFE), ["no"] * 3, ["yes", "no", "no"]


def asks(of: type[FactCheck | ObjectCheck], at: str | None, **given: object) -> RecordCheck:
    clock = None if at is None else datetime.fromisoformat(f"2023-02-13T{at}:00")
    return of.model_validate({"id": "asked", "at": clock, **given})


def oven(at: str | None = None, *unseen_by: str) -> RecordCheck:
    given = {"kind": "object", "object": OVEN, "state": "on", "unseen_by": unseen_by}
    return asks(ObjectCheck, at, **given)


def cake(at: str | None = None) -> RecordCheck:
    return asks(FactCheck, at, kind="fact", fact="cake")


SECRET = oven(None, BEN, ADA)


@pytest.mark.parametrize(
    ("check", "happenings", "verdicts"),
    [
        (cake(), [HEARD], ["yes", "yes", "no"]),  # known from the start, or heard
        (cake("08:19"), [HEARD], BY_ADA),
        (cake("08:20"), [HEARD], ["yes", "yes", "no"]),
        (cake("09:30"), [HEARD], [None] * 3),  # the run ends before
        (oven(), [ON], BY_ADA),
        (oven(), [], NOBODY),
        (oven(), [uses(0, None, OVEN, "on")], NOBODY),  # from the start
        (oven(), [uses(5, None, OVEN, "on")], NOBODY),  # by the town
        (oven(), [ON, OFF], NOBODY),
        (oven(), [ON, uses(6, BEN, OVEN, "on")], BY_ADA),  # on anew
        (
            oven(),
            [ON, uses(6, ADA, OVEN, "off"), uses(7, BEN, OVEN, "on")],
            ["no", "yes", "no"],
        ),
        (oven("08:29"), [ON, OFF], BY_ADA),
        (oven("08:30"), [ON, OFF], NOBODY),
        (SECRET, [AT_OVEN, ON, begins(BEN, HOME)], BY_ADA),
        (SECRET, [AT_OVEN, ON, begins(BEN, CAFE)], NOBODY),
        (SECRET, [AT_OVEN, begins(BEN, CAFE), ON, goes(5, BEN, HOME)], BY_ADA),
        (SECRET, [AT_OVEN, ON, begins(BEN, CAFE, asleep=True)], BY_ADA),
        (SECRET, [AT_OVEN, ON, begins(CAT, CAFE)], BY_ADA),
    ],
)
def test_the_record_tells_who_knew_a_fact_and_who_brought_a_thing_into_its_state(
    check: RecordCheck, happenings: list[Happening], verdicts: list[str | None], tmp_path: Path
) -> None:
    town, names = street(checks=(check,)), (ADA, BEN, CAT)
    with record_street(tmp_path, happenings, last=60, names=names, scenario=town) as data:
        assert [verdict.value for verdict in find_verdicts(data)] == verdicts


def test_a_part_of_the_people_has_such_checks_without_those_who_are_absent() -> None:
    scenario = street(checks=(cake(), SECRET))
    _, secret = select_people(scenario, [ADA]).checks
    assert isinstance(secret, ObjectCheck)
    assert secret.unseen_by == (ADA,)
