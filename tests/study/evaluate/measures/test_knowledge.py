from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from genagents_env.record import InterviewRow
from genagents_env.scenario.schema import Fact, Person, Question, Relationship
from genagents_env.study.evaluate.measures.acquaintance import (
    Acquaintance,
    are_together,
    compute_acquaintances,
)
from genagents_env.study.evaluate.measures.findings import FactKnowledge, compute_knowledge
from genagents_env.study.evaluate.results import as_json
from genagents_env.world.events import Event
from tests.study.evaluate.measures.street import ADA, BEN, CAFE, HOME, begins, goes, record_street
from tests.study.evaluate.suspects import LAST, TINY, at, learn, make_data, news, say

TEA = Fact(
    id="tea", statement="There is tea at five.", known_by=("Ada",), patterns=(r"\btea at five\b",)
)
TOLD = "Come, there is tea at five!"
EVENTS = [
    say(1, "Ada", ["Ben"], TOLD),
    learn(2, "Ben", "tea", 1, "Ada"),
    say(3, "Ada", ["Cy"], "Come to the usual thing.", facts=["tea"]),
    learn(4, "Cy", "tea", 3, "Ada"),
    news(5, ["Dot"], "There will be tea at five."),
    Event(6, 6, "whisper", "Eve", {"text": "There might be tea at five."}),
    say(7, "Ben", ["Ada"], "It rains."),
    learn(8, "Cy", "cake", 7, "Ben"),
    say(9, "Fay", [], TOLD),
    say(10, "Zed", ["Gus"], TOLD),
]


def answer(
    agent: str, text: str, *evidence: int, question: str = "q", tick: int = LAST
) -> InterviewRow:
    return InterviewRow(tick, agent, question, text, evidence)


def know(*answers: InterviewRow, end: Literal["before", "after"] = "after") -> FactKnowledge | None:
    """Return who knows of the tea by answers to two questions for it, and to another."""
    asked = {"q": "tea", "r": "tea", "other": None}
    questions = tuple(
        Question(id=id_, text=id_, when="both", fact=fact) for id_, fact in asked.items()
    )
    town = TINY.model_copy(update={"facts": (TEA,), "questions": questions})
    names = ("Ada", "Ben", "Cy", "Dot", "Eve", "Fay", "Gus", "Hal")
    before, after = compute_knowledge(make_data(town, answers, names=names, events=EVENTS))["tea"]
    return after if end == "after" else before


@pytest.mark.parametrize(
    ("agent", "evidence", "verified", "uncited"),
    [
        ("Ben", [1], True, False),  # heard it said, and so learned it
        ("Cy", [3], True, False),  # learned it there, though the words do not show it
        ("Dot", [5], True, False),  # news
        ("Eve", [6], True, False),  # an inner thought
        ("Ada", [], True, False),  # knew it from the start
        ("Ben", [], False, True),  # heard it, and names no event
        ("Ben", [7], False, True),  # names an event of something else
        ("Ben", [3], False, True),  # names what others heard
        ("Cy", [8], False, True),  # learned another fact there
        ("Fay", [9], False, False),  # said it, which is no evidence of having heard it
        ("Gus", [10], True, False),  # from one who is not of the run
        ("Gus", [-1, 999, 2**60], False, True),  # there are no such events
        ("Hal", [], False, False),  # heard nothing
    ],
)
def test_a_claim_is_borne_out_by_hearing_it_or_by_the_start(
    agent: str, evidence: list[int], verified: bool, uncited: bool
) -> None:
    found = know(answer(agent, "Yes, there is tea at five.", *evidence))
    assert found is not None
    assert found.asked == found.claimed == (agent,)
    assert found.verified == ((agent,) if verified else ())
    assert found.uncited == ((agent,) if uncited else ())
    assert found.hallucinated == (() if verified or uncited else (agent,))


def test_nobody_asked_is_no_finding_and_what_came_later_is_no_evidence() -> None:
    assert know() is know(answer("Ben", "Yes.", 1, question="other")) is None
    found = know(answer("Ben", "Yes.", 1, tick=0), end="before")
    assert found is not None
    assert (found.hallucinated, found.uncited) == (("Ben",), ())  # had not heard it then


def test_of_several_questions_one_answer_is_enough() -> None:
    given = [answer("Ben", "No."), answer("Ben", "Yes, I do.", 1, question="r")]
    found = know(*given, answer("Hal", "Yes."), answer("Cy", "No.", 3))
    assert found is not None
    assert found.as_json() == {
        "asked": 3,
        "claimed": ["Ben", "Hal"],
        "verified": ["Ben"],
        "hallucinated": ["Hal"],
        "uncited": [],
        "claimed_share": 2 / 3,
        "verified_share": 1 / 3,
    }


def _person(name: str, *ties: str, persona: str = "someone") -> Person:
    known = tuple(Relationship(to=other, about="a friend") for other in ties)
    return Person(name=name, persona=persona, home="h", relationships=known)


PEOPLE = [
    _person("Ada Ash", "Ben Bay"),
    _person("Ben Bay", persona="Ben; Ben owes Cy Cole a book"),
    _person("Cy Cole"),
    _person("Dot Ash"),
    _person("Ada Zorn"),
]
MEETINGS = [
    say(1, "Cy Cole", ["Dot Ash"]),
    Event(2, 2, "doing", "Ben Bay", {"doing": "reading", "emoji": ""}),
    say(3, "Ben Bay", ["Cy Cole"], "Dot paints."),
    say(4, "Ben Bay", ["Cy Cole"], "Ada Ash sings."),
    say(5, "Ben Bay", ["Cy Cole"], "Ada sings."),
    Event(
        6,
        6,
        "converse",
        "Dot Ash",
        {"conversation": 1, "members": ["Cy Cole", "Ada Ash", "Dot Ash"]},
    ),
    learn(7, "Dot Ash", "tea", 3, "Ada Zorn"),
    news(8, ["Cy Cole"], "Ada Zorn has come to town."),
    say(10, "Zed", ["Ben Bay"], "Hello."),
    say(9, "Ada Zorn", ["Ben Bay"], heard_by=["Ben Bay", "Dot Ash"]),
]


def about(
    agent: str, person: str, text: str = "Yes.", *evidence: int, tick: int = LAST
) -> InterviewRow:
    return InterviewRow(tick, agent, f"Do you know of {person}?", text, evidence)


def draw(*answers: InterviewRow, events: Sequence[Event] = MEETINGS) -> Acquaintance | None:
    """Return the network of a run in which just these events happened, at the end of answers."""
    asked = Question(id="q", text="Do you know of {person}?", when="both", about="everyone")
    town = TINY.model_copy(update={"people": tuple(PEOPLE), "questions": (asked,)})
    last, names = answers[0].tick, [one.name for one in PEOPLE]
    data = make_data(town, answers, last=last, names=names, events=events)
    before, after = compute_acquaintances(data)
    return after if last else before


@pytest.mark.parametrize(
    ("agent", "person", "evidence", "verified"),
    [
        ("Ada Ash", "Ben Bay", [], True),  # one of her ties
        ("Ben Bay", "Ada Ash", [], False),  # she names him, he does not name her
        ("Ben Bay", "Cy Cole", [], True),  # in his persona
        ("Dot Ash", "Cy Cole", [1], True),  # was spoken to
        ("Ada Zorn", "Ben Bay", [2], True),  # saw what he did
        ("Cy Cole", "Dot Ash", [3], True),  # was told of her by her first name, which is hers alone
        ("Cy Cole", "Ada Ash", [4], True),
        ("Cy Cole", "Ada Ash", [5], False),  # two are called Ada
        ("Ben Bay", "Ada Ash", [6], False),
        ("Dot Ash", "Ada Zorn", [7], True),  # heard something from her
        ("Cy Cole", "Ada Zorn", [8], True),  # news
        ("Dot Ash", "Ada Zorn", [8], False),  # which she did not hear
        ("Dot Ash", "Ben Bay", [9], True),  # overheard who was addressed
        ("Ada Zorn", "Dot Ash", [9], True),  # was overheard by her
        ("Ben Bay", "Dot Ash", [9], False),  # did not speak, and she was not spoken to
        ("Ben Bay", "Dot Ash", [10], False),  # somebody who is not of the run
        ("Ben Bay", "Dot Ash", [77, -3], False),  # there are no such events
    ],
)
def test_a_claim_is_borne_out_by_a_meeting_by_word_or_by_the_start(
    agent: str, person: str, evidence: list[int], verified: bool
) -> None:
    found = draw(about(agent, person, "Yes.", *evidence))
    assert found is not None
    assert (found.asked, found.claims, found.verified) == (1, 1, int(verified))


@pytest.mark.parametrize(
    ("agent", "person", "tick", "uncited"),
    [
        ("Cy Cole", "Dot Ash", 9, True),  # spoke to her
        ("Cy Cole", "Dot Ash", 0, False),  # had not yet
        ("Cy Cole", "Ada Ash", 9, True),  # heard of her
        ("Ben Bay", "Ada Ash", 9, False),  # spoke of her himself, which is no meeting
        ("Dot Ash", "Ada Ash", 9, True),  # in one conversation
        ("Dot Ash", "Ada Zorn", 7, True),  # heard something from her
        ("Dot Ash", "Ben Bay", 9, True),  # overheard who was addressed
    ],
)
def test_a_claim_that_names_nothing_is_uncited_where_the_record_bears_it_out(
    agent: str, person: str, tick: int, uncited: bool
) -> None:
    events = sorted(MEETINGS, key=lambda event: event.tick)
    found = draw(about(agent, person, tick=tick), events=events)
    assert found is not None
    assert (found.claims, found.verified, found.uncited) == (1, 0, int(uncited))
    assert found.hallucinated == int(not uncited)


def test_who_was_in_a_room_with_the_other_does_not_make_them_up() -> None:
    starts = [at(k, 0, "start", who, "h/room") for k, who in enumerate(("Ada Ash", "Ada Zorn"))]
    met = draw(about("Ada Ash", "Ada Zorn", tick=5), events=starts)
    assert met is not None
    assert (met.uncited, met.hallucinated) == (1, 0)


def test_two_are_together_from_the_tick_at_which_one_comes_to_the_others_room(
    tmp_path: Path,
) -> None:
    happenings = [begins(ADA), begins(BEN, place=CAFE), goes(4, ADA, CAFE)]
    with record_street(tmp_path, happenings, last=6) as data:
        found = [are_together(data, ADA, BEN, tick) for tick in (0, 3, 4, 6)]
        assert found == [False, False, True, True]
        assert not are_together(data, ADA, "Zed", 6)


@pytest.mark.parametrize(
    ("place", "asleep", "met"),
    [(HOME, False, True), (HOME, True, False), ("outside", False, False)],
)
def test_a_sleeper_meets_nobody_and_the_open_ground_is_no_room(
    tmp_path: Path, place: str, asleep: bool, met: bool
) -> None:
    happenings = [begins(ADA, place=place, asleep=asleep), begins(BEN, place=place)]
    with record_street(tmp_path, happenings, last=3) as data:
        assert data.scenario.outside == "outside"
        assert are_together(data, ADA, BEN, 3) == met
        assert are_together(data, BEN, ADA, 3) == (place == HOME)  # one sees who sleeps


def test_a_pair_is_mutual_where_both_claim_it() -> None:
    found = draw(
        about("Ada Ash", "Ben Bay"),
        about("Ben Bay", "Ada Ash", "Yes, I know Ada Ash."),
        about("Ben Bay", "Cy Cole", "Of course."),
        about("Cy Cole", "Ben Bay", "Cy and Ben are old friends.", 3),
        about("Ada Ash", "Cy Cole", "No."),
        about("Cy Cole", "Ada Ash", "Yes.", 4),
        about("Dot Ash", "Ben Bay"),  # he was not asked about her
    )
    assert found == Acquaintance(
        asked=7, claims=6, verified=4, uncited=1, pairs=3, mutual=2, mutual_verified=1
    )
    assert (found.density, found.verified_density) == (2 / 3, 1 / 3)
    assert (found.hallucinated, found.hallucination_rate) == (1, 1 / 6)
    assert as_json(found)["density"] == 2 / 3
    assert draw(InterviewRow(LAST, "Ada Ash", "Who?", "Yes.", ())) is None  # asked about nobody
    denied = draw(about("Ada Ash", "Dot Ash", "No."))
    assert denied is not None
    assert denied.hallucination_rate is denied.density is None
