from datetime import datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.percept import Conversation
from genagents_env.policies.smallville import dialogue as dialogue_module
from genagents_env.policies.smallville.dialogue import begin
from genagents_env.policies.smallville.mind import Day
from tests.policies.harness import moment
from tests.policies.percepts import START, Moment, profile, speech
from tests.policies.smallville.minds import dialogue_of, group, in_dialogue, make_mind

ANN, BOB, CID, DAN = "Ann Ash", "Bob Birch", "Cid Cedar", "Dan Dale"


def at(hour: int, minute: int = 0) -> Moment:
    return Moment(time=datetime.combine(START.date(), time(hour, minute)))


@pytest.mark.parametrize(
    ("hour", "late_hour", "wake", "may"),
    [
        (12, 23, 7, True),
        (23, 23, 7, False),
        (6, 24, 7, False),
        (6, 23, 7, False),
        (7, 23, 7, True),
        (2, 23, 15, False),
        (20, 18, 7, False),
        (20, 0, 7, True),
    ],
)
def test_late_is_from_the_late_hour_until_waking(
    hour: int, late_hour: int, wake: int, may: bool
) -> None:
    mind = make_mind(late_hour=late_hour, who=profile(wake=time(wake)))
    assert dialogue_module.is_late(mind, moment(mind, at(hour))) is not may


def test_after_midnight_it_is_late_by_the_plan_of_the_day_before() -> None:
    mind = make_mind()
    mind.day = Day(date="2023-02-13", wake=-3600, bed=60_000)
    midnight = at(0, 30).later(86_400)
    assert dialogue_module.is_late(mind, moment(mind, midnight))
    assert not dialogue_module.is_late(mind, moment(mind, at(22)))


@given(words=st.permutations([BOB, CID, DAN]))
def test_words_of_one_moment_are_in_the_same_order_for_all(words: list[str]) -> None:
    members = (DAN, ANN, CID, BOB)
    mind, dialogue = in_dialogue(ANN, members, (BOB, "Well."))
    dialogue.unsaid, mind.last = "Me!", "Talk"
    heard = tuple(speech(name, "No, me!") for name in words)
    percept = Moment(conversation=group(*members), heard=heard)
    dialogue_module.follow(mind, moment(mind, percept))
    assert [line.speaker for line in dialogue.lines[1:]] == list(members)


def test_words_of_outsiders_and_to_others_are_not_of_the_conversation() -> None:
    mind, dialogue = in_dialogue(ANN, (ANN, BOB), (ANN, "Well."))
    heard = (speech(CID, "Coffee!"), speech(BOB, "Coffee?", addressed=False))
    percept = Moment(conversation=group(ANN, BOB), heard=heard)
    assert dialogue_module.follow(mind, moment(mind, percept)) == []
    assert [line.text for line in dialogue.lines] == ["Well."]


def test_from_one_conversation_into_the_next_at_the_same_moment() -> None:
    mind, before = in_dialogue(ANN, (ANN, BOB), (ANN, "Well."))
    before.unsaid, mind.last = "See you.", "Talk"
    heard = (speech(BOB, "Bye."), speech(CID, "Ann!"))
    talk = Conversation(8, (CID, ANN), None, True, 8)
    percept = moment(mind, Moment(tick=5, conversation=talk, heard=heard))
    assert dialogue_module.follow(mind, percept) == [before]
    assert [line.text for line in before.lines] == ["Well.", "See you.", "Bye."]
    after = dialogue_of(mind)
    assert (after.id, after.others, after.unsaid) == (8, [CID], "")
    assert [line.text for line in after.lines] == ["Ann!"]
    assert mind.attention.talked == {BOB: 0}


def test_one_who_leaves_a_group_counts_as_talked_with_and_their_farewell_as_heard() -> None:
    mind, dialogue = in_dialogue(ANN, (ANN, BOB, CID), (ANN, "Well."))
    percept = Moment(conversation=group(ANN, CID), heard=(speech(BOB, "I must go."),))
    dialogue_module.follow(mind, moment(mind, percept))
    assert dialogue.others == [CID]
    assert dialogue.lines[-1].text == "I must go."
    assert mind.attention.talked == {BOB: 0}
    assert dialogue_module.list_company(mind, dialogue) == [BOB, CID]


def test_an_opening_gives_way_to_whoever_speaks_first_and_may_come_again() -> None:
    mind = make_mind()
    mind.attention.considered = {BOB: 0}
    begun = begin(mind, BOB, moment(mind, Moment()))
    begun.unsaid = "Hello, Bob."
    heard = (speech(CID, "Ann, wait!"),)
    percept = Moment(conversation=Conversation(2, (CID, ANN), None, True, 8), heard=heard)
    assert dialogue_module.follow(mind, moment(mind, percept.later())) == []
    assert mind.dialogue is not None
    assert (mind.dialogue.others, mind.dialogue.unsaid) == ([CID], "")
    assert BOB not in mind.attention.considered
    assert BOB not in mind.attention.talked


def test_where_both_wanted_to_talk_the_wish_of_the_one_who_listens_is_not_lost() -> None:
    mind = make_mind()
    begin(mind, BOB, moment(mind, Moment()), reason="the party").unsaid = "Hello, Bob."
    heard = (speech(BOB, "Good morning, Ann!"),)
    percept = Moment(conversation=Conversation(2, (BOB, ANN), None, True, 8), heard=heard)
    dialogue_module.follow(mind, moment(mind, percept.later(10, heard=heard)))
    dialogue = dialogue_of(mind)
    assert [line.text for line in dialogue.lines] == ["Good morning, Ann!"]
    assert (dialogue.unsaid, dialogue.meant, dialogue.reason) == ("", "Hello, Bob.", "the party")


def test_words_that_were_ready_are_kept_where_what_is_heard_is_for_somebody_else() -> None:
    for heard, kept in (("Cid, where were you?", True), ("Ann, where were you?", False)):
        mind, dialogue = in_dialogue(ANN, (ANN, BOB, CID), (CID, "Well."))
        dialogue.unsaid = "I was at home."
        percept = Moment(conversation=group(ANN, BOB, CID), heard=(speech(BOB, heard),))
        dialogue_module.follow(mind, moment(mind, percept))
        assert dialogue.meant == "I was at home."
        assert (dialogue.unsaid == "I was at home.") is kept


def test_what_was_said_in_hearing_before_one_is_drawn_into_a_group_is_part_of_it() -> None:
    mind = make_mind()
    overheard = (speech(BOB, "The stove is broken.", addressed=False),)
    dialogue_module.note_heard(mind, moment(mind, Moment(heard=overheard)))
    old = (speech(DAN, "Rain again.", addressed=False),)
    dialogue_module.note_heard(mind, moment(mind, Moment(heard=old).later(10, heard=old)))
    asked = (speech(CID, "Ann, can you mend it?"),)
    percept = Moment().later(60, conversation=group(CID, BOB, ANN), heard=asked)
    dialogue_module.note_heard(mind, moment(mind, percept))
    dialogue_module.follow(mind, moment(mind, percept))
    dialogue = dialogue_of(mind)
    assert [line.text for line in dialogue.before] == ["The stove is broken."]
    assert [line.text for line in dialogue.lines] == ["Ann, can you mend it?"]
    dialogue_module.note_heard(mind, moment(mind, Moment().later(900)))
    assert mind.heard == []


def test_what_the_other_calls_out_before_the_opening_is_no_answer_to_it() -> None:
    mind = make_mind()
    begun = begin(mind, BOB, moment(mind, Moment()))
    heard = (speech(BOB, "Good morning, all!"),)
    dialogue_module.follow(mind, moment(mind, Moment(heard=heard)))
    assert mind.dialogue is begun
    assert not begun.lines
