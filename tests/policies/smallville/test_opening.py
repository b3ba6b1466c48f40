"""Opening a conversation: getting near, waiting for the moment, finding first words, giving up."""

from dataclasses import replace

import pytest

from genagents_env.actions import Idle, Move, Talk
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.percept import Conversation, Result
from genagents_env.policies.smallville.dialogue import begin
from genagents_env.policies.smallville.mind import SmallvilleMind
from genagents_env.policies.smallville.turns import may_begin
from tests.policies.harness import by_fields, list_first_fields, list_requests, moment
from tests.policies.percepts import Moment, Value, body, person, speech
from tests.policies.smallville.minds import dialogue_of, live, make_mind

BOB, CID = "Bob Birch", "Cid Cedar"
TALK = Conversation(1, ("Ann Ash", BOB), None, True, 8)
APART, BUSY = "Bob Birch is out of earshot", "someone else was speaking"
COMING = Move(BOB, f"walking up to {BOB}", "💬")
NEAR = Moment(tick=5, people=(person(BOB),))  # Ann may begin at ticks 5 to 9
HELLO = Talk(BOB, "Hello, Bob.", doing=f"talking with {BOB}", emoji="💬")


def make_speech_rule(text: str = "Hello, Bob.", end: bool = False) -> Rule:
    """Return a rule that says this."""
    return by_fields(
        {"relationship": {"relationship": "an old friend"}, "say": {"say": text, "end": end}}
    )


def make_opening_mind(
    now: Moment = NEAR, rule: Rule | None = None, **config: Value
) -> SmallvilleMind:
    """Return a mind that has just made up its mind to speak to Bob."""
    mind = make_mind(rule or make_speech_rule(), **config)
    begin(mind, BOB, moment(mind, now), reason="the weather")
    return mind


def test_one_who_is_near_is_spoken_to_at_once_with_what_was_to_be_said() -> None:
    mind = make_opening_mind()
    assert live(mind, NEAR) == HELLO
    assert list_first_fields(mind) == ["relationship", "say"]
    words = list_requests(mind)[1].messages[1].content
    assert '["you wanted to talk about", "the weather"]' in words
    assert '["Bob Birch", "was", "reading"]' in words


def test_whoever_opens_stays_for_the_answer() -> None:
    mind = make_opening_mind(rule=make_speech_rule(end=True))
    assert live(mind, NEAR) == HELLO
    assert not dialogue_of(mind).leaving
    said = live(mind, NEAR.later(10, conversation=TALK))
    assert said == Idle("talking with Bob Birch", "💬")
    assert [line.text for line in dialogue_of(mind).lines] == ["Hello, Bob."]


def test_words_are_not_thought_of_before_they_can_be_said() -> None:
    mind = make_opening_mind(far := Moment(tick=5, people=(person(BOB, distance=8),)))
    assert live(mind, far) == COMING
    assert live(mind, far.later(10, people=(person(BOB, distance=6),))) == COMING
    assert list_first_fields(mind) == []
    near = far.later(20, people=(person(BOB, distance=4),))
    assert live(mind, near) == HELLO


def test_while_another_may_begin_one_goes_on_with_what_one_does_and_asks_nothing() -> None:
    mind = make_opening_mind(Moment(people=(person(BOB),)))
    now = Moment(people=(person(BOB),))
    assert not may_begin(mind, moment(mind, now))
    assert live(mind, now) == Idle()
    assert list_first_fields(mind) == []
    assert live(mind, NEAR) == HELLO


def test_one_listens_to_who_walks_up_to_one() -> None:
    mind = make_opening_mind()
    cid = person(CID, doing="walking up to Ann Ash")
    assert live(mind, Moment(tick=5, people=(person(BOB), cid))) == Idle()
    assert list_first_fields(mind) == []


def test_those_who_talk_are_joined_one_turns_to_them_first() -> None:
    talking = (person(BOB, doing=f"talking with {CID}"), person(CID, doing=f"talking with {BOB}"))
    mind = make_mind(make_speech_rule())
    overheard = (speech(CID, "The stove is broken.", addressed=False),)
    live(mind, Moment(tick=4, people=talking, heard=overheard))
    now = Moment(people=talking).later(50)
    begin(mind, BOB, moment(mind, now))
    assert live(mind, now) == Idle(f"turning to {BOB}", "💬")
    assert list_first_fields(mind) == []
    assert live(mind, now.later(10)) == HELLO
    words = list_requests(mind)[1].messages[1].content
    assert '["Cid Cedar", "said before you came", "The stove is broken."]' in words
    assert "You join Bob Birch, who are talking." in words


def test_one_who_is_spoken_to_by_another_just_now_counts_as_talking() -> None:
    mind = make_opening_mind()
    cid = person(CID, doing=f"talking with {BOB}")
    assert live(mind, Moment(tick=5, people=(person(BOB), cid))) == Idle(f"turning to {BOB}", "💬")


def test_one_who_is_out_of_earshot_is_walked_closer_to_and_the_words_are_said_then() -> None:
    mind = make_opening_mind()
    now = NEAR.later(0, people=(person(BOB, distance=3),))
    assert live(mind, now) == HELLO
    refused = now.later(10, result=Result(False, APART))
    assert live(mind, refused) == COMING
    assert live(mind, now.later(20, people=(person(BOB, distance=2),))) == HELLO
    assert list_first_fields(mind) == ["relationship", "say"]


def test_words_that_another_spoke_over_are_said_again() -> None:
    mind = make_opening_mind()
    assert live(mind, NEAR) == HELLO
    assert live(mind, NEAR.later(10, result=Result(False, BUSY))) == HELLO
    assert list_first_fields(mind) == ["relationship", "say"]


@pytest.mark.parametrize("rule", [make_speech_rule(""), always_invalid], ids=["mute", "invalid"])
def test_without_first_words_nothing_is_opened_and_nothing_remembered(rule: Rule) -> None:
    mind = make_opening_mind(rule=rule)
    action = live(mind, NEAR)
    assert action is None
    assert mind.dialogue is None
    assert mind.attention.talked == {BOB: 0}
    assert not len(mind.stream)


def test_one_who_cannot_be_reached_is_given_up_after_three_minutes() -> None:
    far = Moment(tick=5, people=(person(BOB, distance=8),))
    mind = make_opening_mind(far)
    steps = [live(mind, far.later(10 * k)) for k in range(25)]
    assert steps[:19] == [COMING] * 19
    assert steps[19:] == [None] * 6
    assert mind.attention.talked == {BOB: 190}
    assert list_first_fields(mind) == []
    assert (mind.last, mind.going) == ("", "")


def test_one_who_has_gone_is_given_up() -> None:
    mind = make_opening_mind(far := Moment(tick=5, people=(person(BOB, distance=8),)))
    assert live(mind, far) == COMING
    gone = far.later(10, people=())
    assert live(mind, gone) == COMING
    missing = far.later(20, people=(), result=Result(False, "Bob Birch is not there any more"))
    assert live(mind, missing) is None
    assert mind.dialogue is None


@pytest.mark.parametrize("why", ["you two talked just now; give it some time", "that is full"])
def test_a_refused_opening_leaves_only_when_it_was(why: str) -> None:
    mind = make_opening_mind()
    live(mind, NEAR)
    assert live(mind, NEAR.later(10, result=Result(False, why))) is None
    assert mind.dialogue is None
    assert mind.attention.talked == {BOB: 10}
    assert not len(mind.stream)
    assert list_first_fields(mind) == ["relationship", "say"]


def test_nobody_is_spoken_to_who_fell_asleep_meanwhile_nor_when_it_got_late() -> None:
    for change in ({"people": (person(BOB, asleep=True),)}, {"time": Moment().later(54_000).time}):
        mind = make_opening_mind(latency_ticks={"converse": 2})
        action = live(mind, NEAR.later(10, **change))
        assert action is None
        assert mind.dialogue is None
        assert live(mind, NEAR.later(20)) is None


def test_while_one_thinks_of_the_first_words_one_stays() -> None:
    mind = make_opening_mind(latency_ticks={"converse": 2})
    actions = [live(mind, NEAR.later(10 * k)) for k in range(5)]
    assert actions == [Idle()] * 4 + [HELLO]


def test_the_sleeping_neither_speak_nor_think_of_words() -> None:
    mind = make_opening_mind(latency_ticks={"converse": 5})
    assert live(mind, NEAR.later(10, me=body(asleep=True))) is None
    assert mind.dialogue is None
    assert live(mind, NEAR.later(60, me=body(asleep=True))) is None
    assert list_first_fields(mind).count("say") == 0


def test_what_was_agreed_on_waits_for_the_end_of_the_towns_pause() -> None:
    mind = make_opening_mind()
    mind.services = replace(mind.services, pause_seconds=600)
    mind.attention.talked[BOB] = moment(mind, NEAR).now - 100
    assert live(mind, NEAR) is None  # she goes on with what she does
    assert live(mind, NEAR.later(490)) is None  # at which she might begin
    assert list_first_fields(mind) == []  # no words that nobody may say
    ready = NEAR.later(510)
    assert live(mind, ready) == HELLO
