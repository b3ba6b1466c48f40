import asyncio
from dataclasses import replace

import pytest

from genagents_env.percept import Conversation, HeardWords, Result
from genagents_env.policies.lyfe import senses
from genagents_env.policies.lyfe.mind import LyfeMind
from tests.policies.harness import moment
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, person, speech

BEN = "Ben Birch"


def sense(mind: LyfeMind, percept: Moment) -> LyfeMind:
    asyncio.run(senses.perceive(mind, moment(mind, percept)))
    return mind


def make_heard(text: str, event: int = 7, addressed: bool = True) -> HeardWords:
    return HeardWords("speech", BEN, text, addressed, False, (), event)


def test_the_same_words_again_are_not_new_but_the_same_of_another_are() -> None:
    mind = make_mind()
    sense(mind, Moment(heard=(make_heard("Hello."),)))
    sense(mind, Moment().later(heard=(make_heard("Hello.", 8), speech("Cat Cole", "Hello."))))
    assert [item.speaker for item in mind.work] == [BEN, "Cat Cole"]
    assert mind.turn.event == 7  # the last utterance, new or not, is what the turn follows


def test_who_is_far_or_asleep_is_not_near_unless_on_the_telephone() -> None:
    far, near = person("Cat Cole", distance=6), person(BEN, distance=5)
    mind = sense(make_mind(), Moment(people=(near, person("Dan Dorn", asleep=True), far)))
    assert mind.near == [BEN]
    assert mind.people == [BEN, "Dan Dorn", "Cat Cole"]
    talk = Conversation(1, ("Ann Ash", "Eve Elm"), None, True, 9)
    assert sense(mind, Moment(conversation=talk)).near == ["Eve Elm"]


def test_news_and_whispers_come_to_mind_notices_do_not() -> None:
    sounds = (
        HeardWords("news", None, "Rain is on its way.", False, False, (), 3),
        HeardWords("thought", None, "I left the stove on.", True, False, (), 4),
        HeardWords("notice", None, "You were removed.", True, False, (), 5),
    )
    mind = sense(make_mind(), Moment(heard=sounds))
    assert [item.text for item in mind.work] == [
        "News: Rain is on its way.",
        "A thought: I left the stove on.",
    ]


def test_overheard_words_do_not_interrupt_unless_they_name_one() -> None:
    mind = make_mind()
    mind.fresh = False
    sense(mind, Moment(heard=(make_heard("Nice weather.", addressed=False),)))
    assert not mind.fresh
    sense(mind, Moment(heard=(make_heard("Ann would like it.", addressed=False),)))
    assert mind.fresh


LOST = Moment(result=Result(False, "someone else was speaking"))
ANSWERED = replace(LOST, heard=(make_heard("Ah."),))


@pytest.mark.parametrize(
    ("percepts", "unsaid", "said"),
    [
        pytest.param([Moment()], "", ["Good morning."], id="said"),
        pytest.param([LOST], "Good morning.", [], id="kept where another spoke over them"),
        pytest.param([LOST, LOST], "", [], id="but once"),
        pytest.param([ANSWERED], "", ["Ah."], id="made anew once one was answered"),
    ],
)
def test_ones_own_words_are_remembered_once_they_were_said(
    percepts: list[Moment], unsaid: str, said: list[str]
) -> None:
    mind = make_mind()
    mind.last, mind.turn.unsaid = "Talk", "Good morning."
    for percept in percepts:
        sense(mind, percept)
    assert (mind.turn.unsaid, [item.text for item in mind.work]) == (unsaid, said)
    assert mind.turn.mine is (said == ["Good morning."])
