"""Who begins to talk, whom words are for, who answers; answering, leaving, and opening a talk."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.percept import Conversation, Result
from genagents_env.policies.smallville import dialogue as dialogue_module
from genagents_env.policies.smallville.dialogue import begin
from genagents_env.policies.smallville.mind import Day, DialogueLine, SmallvilleMind
from genagents_env.policies.smallville.turns import find_addressee, is_my_turn, may_begin
from tests.policies.harness import (
    by_fields,
    endpoint_of,
    fields_of,
    is_golden,
    list_first_fields,
    list_requests,
    moment,
    transcript,
)
from tests.policies.percepts import START, Moment, Value, body, person, profile, speech
from tests.policies.smallville.minds import GOOD, dialogue_of, group, in_dialogue, live, make_mind

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


GO_UP = {"choice": "talk to Bob Birch", "what": "", "minutes": 0}
FRIEND = {"relationship": "an old friend"}
MEMO = {**GOOD, "remember": "coffee is out", "importance": 4}
TALK = Conversation(1, (ANN, BOB), None, True, 8)
BUSY = "someone else was speaking"
LEAVE = Talk(None, "", leave=True)
APART = "Bob Birch is out of earshot"
COMING = Move(BOB, f"walking up to {BOB}", "💬")
NEAR = Moment(tick=5, people=(person(BOB),))  # Ann may begin at ticks 5 to 9
HELLO = Talk(BOB, "Hello, Bob.", doing=f"talking with {BOB}", emoji="💬")


def make_speech_rule(
    text: str = "Good morning.", end: bool = False, **others: Mapping[str, object]
) -> Rule:
    """Return a rule that always says this."""
    replies: dict[str, Mapping[str, object]] = {
        "choice": GO_UP,
        "relationship": FRIEND,
        "say": {"say": text, "end": end},
        "remember": MEMO,
    }
    return by_fields(replies | others)


def says(action: Action | None) -> str:
    return str(action.text) if isinstance(action, Talk) else ""


def make_addressed_mind(
    rule: Rule, text: str = "Hello, Ann.", **config: Value
) -> tuple[SmallvilleMind, Moment, Action | None]:
    """Return a mind to which Bob has just spoken, the moment, and what it did."""
    mind = make_mind(rule, **config)
    spoken_to = Moment(conversation=TALK, people=(person(BOB),), heard=(speech(BOB, text),))
    return mind, spoken_to, live(mind, spoken_to)


def test_after_speaking_the_agent_waits_and_the_relationship_is_asked_for_once() -> None:
    mind, now, _ = make_addressed_mind(make_speech_rule())
    for k in range(1, 4):
        assert live(mind, now.later(10 * k)) == Idle("talking with Bob Birch", "💬")
    assert says(live(mind, now.later(40, heard=(speech(BOB, "And?"),)))) == "Good morning."
    assert list_first_fields(mind) == ["relationship", "say", "say"]
    lines = [(line.speaker, line.text, line.event) for line in dialogue_of(mind).lines]
    assert lines == [
        (BOB, "Hello, Ann.", 7),
        (ANN, "Good morning.", -1),
        (BOB, "And?", 7),
    ]
    assert '["you", "said", "Good morning."]' in list_requests(mind)[2].messages[1].content


def test_words_that_were_refused_are_said_again_until_something_new_is_heard() -> None:
    replies = iter(("Yes.", "No, rather."))
    mind, now, first = make_addressed_mind(
        lambda request: (
            json.dumps({"say": next(replies), "end": False})
            if fields_of(request)[0] == "say"
            else json.dumps(FRIEND)
        )
    )
    assert says(first) == "Yes."
    assert says(live(mind, now.later(10, result=Result(False, BUSY)))) == "Yes."
    later = now.later(20, result=Result(False, BUSY), heard=(speech(BOB, "Wait!"),))
    assert says(live(mind, later)) == "No, rather."
    assert [line.text for line in dialogue_of(mind).lines] == ["Hello, Ann.", "Wait!"]


def test_what_was_thought_of_before_something_new_was_heard_is_not_said() -> None:
    def rule(request: CompletionRequest) -> str:
        on_fire = "on fire" in request.messages[1].content
        return str(make_speech_rule("Oh no!" if on_fire else "Fine.")(request))

    mind, now, first = make_addressed_mind(rule, latency_ticks={"converse": 1})
    assert isinstance(first, Idle)
    live(mind, now.later(10))
    alarm = now.later(20, heard=(speech(BOB, "The cafe is on fire!"),))
    assert isinstance(live(mind, alarm), Idle)
    assert says(live(mind, now.later(30))) == "Oh no!"


@pytest.mark.parametrize(
    ("words", "end", "left", "most", "leaves"),
    [
        pytest.param("Good-bye, Bob.", True, 8, 16, True, id="who says so"),
        pytest.param("Good-bye, Bob.", False, 8, 16, False, id="nobody else"),
        pytest.param("See you at five?", True, 8, 16, False, id="who asks stays for the answer"),
        pytest.param("Well.", False, 1, 16, True, id="at the last words allowed"),
        pytest.param("Well.", False, 8, 2, True, id="at the most messages"),
        pytest.param("Well.", False, 8, 3, False, id="before the most messages"),
    ],
)
def test_one_leaves_with_the_words_where_one_says_so_or_has_to(
    words: str, end: bool, left: int, most: int, leaves: bool
) -> None:
    mind = make_mind(make_speech_rule(words, end=end), most_messages=most)
    talk = Conversation(1, (ANN, BOB), None, True, left)
    action = live(mind, Moment(conversation=talk, heard=(speech(BOB, "Hm."),)))
    assert isinstance(action, Talk)
    assert (action.text, action.leave) == (words, leaves)
    must = leaves and not end
    assert ("good-bye" in list_requests(mind)[1].messages[1].content) is must


def test_without_words_or_a_usable_reply_one_leaves_or_passes() -> None:
    for rule in (make_speech_rule("  \n ", end=True), always_invalid):
        assert make_addressed_mind(rule)[2] == LEAVE
    mind, now, action = make_addressed_mind(make_speech_rule(""))
    assert action == Idle("talking with Bob Birch", "💬")
    live(mind, now.later(10))
    assert list_first_fields(mind) == ["relationship", "say"]
    live(mind, now.later(20, heard=(speech(BOB, "Well?"),)))
    assert list_first_fields(mind) == ["relationship", "say", "say"]


def test_golden_transcript() -> None:
    mind = make_mind(make_speech_rule("Out of coffee, I fear.", end=True))
    mind.stream.add("event", "the coffee tin is empty", created=-3600, events=(4,))
    mind.stream.add("thought", "Bob is fond of coffee", created=-60, cause="seed")
    now = Moment(conversation=TALK, heard=(speech(BOB, "Ann! Any coffee left?"),))
    live(mind, now)
    live(mind, now.later(10, conversation=None))
    chat = mind.stream[2]
    effects = [
        f"{chat.kind} from events {list(chat.events)}, importance {chat.importance:g}",
        chat.text,
        f"talked: {mind.attention.talked}",
    ]
    assert is_golden(
        "converse.txt", transcript(list_requests(mind), endpoint_of(mind).rule, effects)
    )


# Opening a conversation.


def make_opening_mind(
    now: Moment = NEAR, rule: Rule | None = None, **config: Value
) -> SmallvilleMind:
    """Return a mind that has just made up its mind to speak to Bob."""
    mind = make_mind(rule or make_speech_rule(HELLO.text), **config)
    begin(mind, BOB, moment(mind, now), reason="the weather")
    return mind


def test_one_who_is_near_is_spoken_to_with_what_was_to_be_said_once_one_may_begin() -> None:
    mind = make_opening_mind()
    assert live(mind, Moment(people=(person(BOB),))) == Idle()  # it is Bob's turn to begin
    cid = person(CID, doing="walking up to Ann Ash")  # to whom one listens
    assert live(mind, Moment(tick=5, people=(person(BOB), cid))) == Idle()
    assert list_first_fields(mind) == []
    assert live(mind, NEAR) == HELLO
    assert list_first_fields(mind) == ["relationship", "say"]
    words = list_requests(mind)[1].messages[1].content
    assert '["you wanted to talk about", "the weather"]' in words
    assert '["Bob Birch", "was", "reading"]' in words


def test_one_who_is_out_of_earshot_is_walked_closer_to_and_the_words_are_said_then() -> None:
    mind = make_opening_mind()
    now = NEAR.later(0, people=(person(BOB, distance=3),))
    assert live(mind, now) == HELLO
    assert live(mind, now.later(10, result=Result(False, APART))) == COMING
    near = now.later(20, people=(person(BOB, distance=2),))
    assert live(mind, near) == HELLO
    assert live(mind, near.later(10, result=Result(False, BUSY))) == HELLO  # another spoke over it
    assert list_first_fields(mind) == ["relationship", "say"]


def test_one_who_cannot_be_reached_is_given_up_after_three_minutes() -> None:
    far = Moment(tick=5, people=(person(BOB, distance=8),))
    mind = make_opening_mind(far)
    steps = [live(mind, far.later(10 * k)) for k in range(25)]
    assert steps == [COMING] * 19 + [None] * 6
    assert mind.attention.talked == {BOB: 190}
    assert list_first_fields(mind) == []
    assert (mind.last, mind.going) == ("", "")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"people": (person(BOB, asleep=True),)}, id="the other sleeps"),
        pytest.param({"time": Moment().later(54_000).time}, id="late"),
        pytest.param({"me": body(asleep=True)}, id="one sleeps"),
    ],
)
def test_while_one_thinks_of_the_first_words_one_stays_and_gives_up_where_they_come_too_late(
    change: dict[str, Value],
) -> None:
    mind = make_opening_mind(latency_ticks={"converse": 2})
    assert [live(mind, NEAR.later(10 * k)) for k in range(5)] == [Idle()] * 4 + [HELLO]
    mind = make_opening_mind(latency_ticks={"converse": 2})
    assert live(mind, NEAR.later(10, **change)) is None
    assert mind.dialogue is None
    assert live(mind, NEAR.later(60, **change)) is None
    assert "say" not in list_first_fields(mind)


def test_what_was_agreed_on_waits_for_the_end_of_the_towns_pause() -> None:
    mind = make_opening_mind()
    mind.services = replace(mind.services, pause_seconds=600)
    mind.attention.talked[BOB] = moment(mind, NEAR).now - 100
    assert live(mind, NEAR) is None  # she goes on with what she does
    assert live(mind, NEAR.later(490)) is None  # at which she might begin
    assert list_first_fields(mind) == []  # no words that nobody may say
    ready = NEAR.later(510)
    assert live(mind, ready) == HELLO
