"""Who begins to talk, whom words are for, who answers them, and what a dialogue follows."""

from datetime import datetime, time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.percept import Conversation
from genagents_env.policies.smallville import dialogue as dialogue_module
from genagents_env.policies.smallville.dialogue import begin
from genagents_env.policies.smallville.mind import Day, DialogueLine
from genagents_env.policies.smallville.turns import find_addressee, is_my_turn, may_begin
from tests.policies.harness import moment
from tests.policies.percepts import START, Moment, body, person, profile, speech
from tests.policies.smallville.minds import dialogue_of, group, in_dialogue, make_mind

ANN, BOB, CID, DAN = "Ann Ash", "Bob Birch", "Cid Cedar", "Dan Dale"
PEOPLE = (ANN, BOB, CID, DAN)


def list_next(members: tuple[str, ...], *lines: tuple[str, str], ticks: int = 3) -> list[str]:
    """Return who speaks next, tick by tick, while nobody does."""
    found = []
    for tick in range(ticks):
        for name in members:
            mind, dialogue = in_dialogue(name, members, *lines)
            percept = Moment(tick=tick, conversation=group(*members))
            if is_my_turn(mind, dialogue, moment(mind, percept)):
                found.append(name)
    return found


def sees(name: str, *others: str, tick: int = 0, **doing: str) -> bool:
    """Return whether somebody who sees `others` may begin to talk."""
    mind = make_mind(who=profile(name=name))
    people = tuple(person(o, doing=doing.get(o.split()[0], "reading")) for o in others)
    return may_begin(mind, moment(mind, Moment(tick=tick, people=people)))


@settings(max_examples=30)
@given(count=st.integers(2, 4), tick=st.integers(0, 100_000))
def test_of_those_who_see_one_another_exactly_one_may_begin(count: int, tick: int) -> None:
    here = PEOPLE[:count]
    begin = [name for name in here if sees(name, *(o for o in here if o != name), tick=tick)]
    assert len(begin) == 1


def test_who_sleeps_or_talks_keeps_nobody_from_beginning_and_who_turns_to_speak_does() -> None:
    ticks = [tick for tick in range(20) if not sees(ANN, BOB, tick=tick)]
    assert ticks
    mind = make_mind()
    for tick in ticks:
        asleep = Moment(tick=tick, people=(person(BOB, asleep=True),))
        assert may_begin(mind, moment(mind, asleep))
        assert sees(ANN, BOB, tick=tick, Bob=f"talking with {CID}")
    assert not any(sees(ANN, BOB, tick=tick, Bob=f"turning to {CID}") for tick in range(20))
    talking = Moment(me=body(doing=f"talking with {CID}"))
    assert not may_begin(mind, moment(mind, talking))


@pytest.mark.parametrize(
    ("words", "to"),
    [
        ("Thank you, Bob. Cid, could you help?", CID),
        ("Bob, could you help me? Thanks, Cid.", BOB),
        ("Good morning, Mr. Cedar!", CID),
        ("How are you, Dan Dale?", DAN),
        ("What does Cid think?", CID),
        ("I met Cid yesterday.", ""),
        ("Dan told me of the party.", ""),
        ("Lin, a word?", ""),  # two have that name
        ("Mei, a word?", "Mei Lin"),
    ],
)
def test_whom_words_are_for(words: str, to: str) -> None:
    assert find_addressee(words, [BOB, CID, DAN, "John Lin", "Mei Lin"]) == to


def test_the_one_who_is_addressed_answers_next_then_the_others_may() -> None:
    for first, then in ((CID, BOB), (BOB, CID)):
        words = f"{first.split()[0]}, could you help me?"
        assert list_next((ANN, BOB, CID), (ANN, words))[:2] == [first, then]


def test_after_its_own_words_one_waits_and_speaks_once_more_where_nobody_answers() -> None:
    mind, dialogue = in_dialogue(ANN, (ANN, BOB), (BOB, "Hm."), (ANN, "Well?"))
    turns = [
        is_my_turn(mind, dialogue, moment(mind, Moment(tick=tick, conversation=group(ANN, BOB))))
        for tick in range(9)
    ]
    assert turns == [False] * 6 + [True] * 3
    dialogue.lines.append(DialogueLine(ANN, "Are you all right?", -1))
    later = Moment(tick=50, conversation=group(ANN, BOB))
    assert not is_my_turn(mind, dialogue, moment(mind, later))


@settings(max_examples=40)
@given(
    count=st.integers(2, 4),
    last=st.integers(0, 3),
    tick=st.integers(0, 5),
    latency=st.integers(0, 9),
)
def test_of_those_who_could_answer_exactly_one_thinks_of_an_answer(
    count: int, last: int, tick: int, latency: int
) -> None:
    members = (ANN, BOB, CID, DAN)[:count]
    speaker = members[last % count]
    answering = []
    for name in members:
        mind, dialogue = in_dialogue(
            name, members, (speaker, "Well."), latency_ticks={"converse": latency}
        )
        percept = Moment(tick=tick, conversation=group(*members))
        if is_my_turn(mind, dialogue, moment(mind, percept)):
            answering.append(name)
    assert len(answering) == 1
    assert answering != [speaker]


# What a dialogue follows.


def at(hour: int, minute: int = 0) -> Moment:
    return Moment(time=datetime.combine(START.date(), time(hour, minute)))


@pytest.mark.parametrize(
    ("hour", "late_hour", "wake", "may"),
    [
        (23, 23, 7, False),
        (6, 24, 7, False),
        (7, 23, 7, True),
        (2, 23, 15, False),
        (20, 18, 7, False),
        (20, 0, 7, True),
    ],
)
def test_late_is_from_the_late_hour_until_waking_and_after_midnight_by_the_plan(
    hour: int, late_hour: int, wake: int, may: bool
) -> None:
    mind = make_mind(late_hour=late_hour, who=profile(wake=time(wake)))
    assert dialogue_module.is_late(mind, moment(mind, at(hour))) is not may
    up = make_mind()
    up.day = Day(date="2023-02-13", wake=-3600, bed=60_000)  # of the day before
    assert dialogue_module.is_late(up, moment(up, at(0, 30).later(86_400)))


@given(words=st.permutations([BOB, CID, DAN]))
def test_words_of_one_moment_are_in_the_same_order_for_all(words: list[str]) -> None:
    members = (DAN, ANN, CID, BOB)
    mind, dialogue = in_dialogue(ANN, members, (BOB, "Well."))
    dialogue.unsaid, mind.last = "Me!", "Talk"
    heard = tuple(speech(name, "No, me!") for name in words)
    percept = Moment(conversation=group(*members), heard=heard)
    dialogue_module.follow(mind, moment(mind, percept))
    assert [line.speaker for line in dialogue.lines[1:]] == list(members)


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


def test_words_that_were_ready_are_kept_where_what_is_heard_is_for_somebody_else() -> None:
    for heard, kept in (("Cid, where were you?", True), ("Ann, where were you?", False)):
        mind, dialogue = in_dialogue(ANN, (ANN, BOB, CID), (CID, "Well."))
        dialogue.unsaid = "I was at home."
        percept = Moment(conversation=group(ANN, BOB, CID), heard=(speech(BOB, heard),))
        dialogue_module.follow(mind, moment(mind, percept))
        assert dialogue.meant == "I was at home."
        assert (dialogue.unsaid == "I was at home.") is kept
