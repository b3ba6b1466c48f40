"""Questions: who owes whom an answer, and that no talk ends between the two."""

from collections.abc import Sequence

import pytest

from genagents_env.percept import Conversation
from genagents_env.policies.lyfe import options, questions, turns
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeOption, OpenQuestion, WorkItem
from tests.policies.harness import moment
from tests.policies.lyfe.circle import NAMES
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, profile, speech

ANN, BEN, CAT = NAMES[:3]


def hear(*said: tuple[str, str], group: Sequence[str] = (ANN, BEN)) -> LyfeMind:
    """Return Ann's mind after these words in a conversation of `group`."""
    mind = make_mind(who=profile(relationships={CAT: "a friend, the police officer"}))
    mind.near = [name for name in group if name != ANN]
    talk = Conversation(1, tuple(group), None, True, 99)
    for number, (speaker, words) in enumerate(said):
        percept = Moment(conversation=talk, heard=(speech(speaker, words),)).later(
            10 * number, conversation=talk, heard=(speech(speaker, words),)
        )
        if speaker == ANN:
            turns.note_said(mind, words, moment(mind, percept))
        else:
            item = WorkItem(words, 10 * number, speaker, number)
            turns.note_heard(mind, item, moment(mind, percept))
    return mind


def list_open(mind: LyfeMind) -> list[tuple[str, list[str]]]:
    return [(one.asker, one.asked) for one in mind.turn.questions]


TWO, THREE = (ANN, BEN), (ANN, BEN, CAT)
WHERE = "Where were you?"


@pytest.mark.parametrize(
    ("group", "said", "owed"),
    [
        (TWO, [(BEN, WHERE)], [(BEN, [ANN])]),
        (TWO, [(BEN, WHERE), (ANN, "At home.")], []),
        (TWO, [(BEN, "I was at home.")], []),
        (THREE, [(BEN, "Ann, did you see Cat?")], [(BEN, [ANN])]),
        (THREE, [(BEN, "Did you see Eve?")], [(BEN, [ANN, CAT])]),
        (THREE, [(BEN, "Officer, who was it?")], [(BEN, [CAT])]),  # by her trade
        (THREE, [(BEN, "Ann, Cat: were you there?"), (CAT, "I was.")], [(BEN, [ANN])]),
        (THREE, [(BEN, "Who was there?"), (CAT, "I was.")], []),
    ],
)
def test_whoever_is_turned_to_owes_an_answer(
    group: tuple[str, ...], said: list[tuple[str, str]], owed: list[tuple[str, list[str]]]
) -> None:
    assert list_open(hear(*said, group=group)) == owed


def test_one_waits_for_an_answer_as_long_as_somebody_is_there_and_a_minute() -> None:
    mind = hear((ANN, "Where were you?"))
    asked = mind.turn.questions[0].at
    assert questions.is_owed(mind, asked + 59)
    assert not questions.is_owed(mind, asked + 60)
    mind.near = []
    assert not questions.is_owed(mind, asked + 10)


def settle(mind: LyfeMind, seconds: int) -> LyfeMind:
    talk = Conversation(1, (ANN, BEN), None, True, 99)
    options.settle(mind, moment(mind, Moment(conversation=talk).later(seconds, conversation=talk)))
    return mind


@pytest.mark.parametrize(("preset", "kind"), [("default", "talk"), ("paper", "reflect")])
def test_a_talk_does_not_end_while_an_answer_is_owed(preset: str, kind: str) -> None:
    mind = make_mind(preset=preset)
    mind.option, mind.near = LyfeOption("talk", target=BEN), [BEN]
    mind.turn.questions = [OpenQuestion(BEN, [ANN], True, 115)]
    assert settle(mind, 120).option.kind == kind


def test_a_talk_that_waits_for_an_answer_ends_with_it_or_after_so_long() -> None:
    mind = make_mind()
    mind.option, mind.near = LyfeOption("talk", target=BEN), [BEN]
    mind.turn.questions = [OpenQuestion(ANN, [BEN], True, 115)]
    assert settle(mind, 130).option.kind == "talk"
    assert options.is_closing(mind, 130)
    mind.turn.questions = []
    assert settle(mind, 140).option.kind == "decide"
    mind.option = LyfeOption("talk", target=BEN)
    mind.turn.questions = [OpenQuestion(BEN, [ANN], True, 290)]
    assert settle(mind, 300).option.kind == "decide"


def test_one_who_was_spoken_to_may_talk_though_a_talk_has_just_ended() -> None:
    mind = hear((ANN, "Well."), (BEN, "Tell me of the knife."))
    talk = Conversation(1, (ANN, BEN), None, True, 99)
    now = moment(mind, Moment(conversation=talk).later(20, conversation=talk))
    assert questions.is_addressed(mind, now)
    assert questions.is_addressed(hear((BEN, "Where were you?")), now)
    turns.note_said(mind, "What knife.", now)
    assert not questions.is_addressed(mind, now)
