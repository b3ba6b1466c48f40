"""Opening a conversation: finding first words, getting within earshot, giving up."""

import pytest

from genagents_env.actions import Idle, Move, Talk
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.percept import Conversation, Result
from genagents_env.policies.smallville import dialogue
from genagents_env.policies.smallville.mind import SmallvilleMind
from tests.policies.percepts import Moment, Value, body, person
from tests.policies.smallville.minds import (
    by_fields,
    dialogue_of,
    fields_of,
    list_requests,
    live,
    make_mind,
    make_observation,
    moment,
)

BOB = "Bob Birch"
TALK = Conversation(1, ("Ann Ash", BOB), None, True, 8)
APART = "Bob Birch is out of earshot"


def make_speech_rule(text: str = "Good morning.", end: bool = False) -> Rule:
    """Return a rule that goes up to people and says this."""
    return by_fields(
        {
            "choice": {"choice": "talk", "what": "", "minutes": 1},
            "relationship": {"relationship": "an old friend"},
            "say": {"say": text, "end": end},
        }
    )


def list_asked_fields(mind: SmallvilleMind) -> list[str]:
    return [fields_of(request)[0] for request in list_requests(mind)]


def make_opening_mind(rule: Rule, **config: Value) -> tuple[SmallvilleMind, Moment]:
    """Return a mind that has just made up its mind to speak to Bob, who is in sight."""
    mind = make_mind(rule, **config)
    seen = Moment(people=(person(BOB, distance=6),))
    live(mind, seen, [make_observation(BOB, f"{BOB} is reading")])
    return mind, seen


def test_whoever_opens_stays_for_the_answer() -> None:
    mind, now = make_opening_mind(make_speech_rule("Hello, Bob.", end=True))
    assert dialogue_of(mind).unsaid == "Hello, Bob."
    assert not dialogue_of(mind).leaving
    said = live(mind, now.later(10, conversation=TALK))
    assert said == Idle("talking with Bob Birch", "💬")
    assert [line.text for line in dialogue_of(mind).lines] == ["Hello, Bob."]


@pytest.mark.parametrize("rule", [make_speech_rule(""), always_invalid], ids=["mute", "invalid"])
def test_without_first_words_nothing_is_opened_and_nothing_remembered(rule: Rule) -> None:
    mind = make_mind(rule)
    now = moment(mind, Moment())
    dialogue.begin(mind, BOB, now)
    action = live(mind, Moment())
    assert action is None
    assert mind.dialogue is None
    assert mind.attention.talked == {BOB: 0}
    assert not len(mind.stream)


def test_someone_out_of_earshot_is_walked_up_to_and_spoken_to() -> None:
    mind, now = make_opening_mind(make_speech_rule("Hello, Bob."))
    far = now.later(10, result=Result(False, APART))
    assert live(mind, far) == Move(BOB, "walking up to Bob Birch", "💬")
    assert live(mind, now.later(20)) == Move(BOB, "walking up to Bob Birch", "💬")
    near = now.later(30, people=(person(BOB, distance=2),))
    assert live(mind, near) == Talk(BOB, "Hello, Bob.", doing="talking with Bob Birch", emoji="💬")
    assert list_asked_fields(mind) == ["choice", "relationship", "say"]


def test_one_who_cannot_be_reached_is_given_up_after_three_minutes() -> None:
    mind, now = make_opening_mind(make_speech_rule("Hello, Bob."))
    steps = [
        live(mind, now.later(10 * k, result=Result(k != 1, APART if k == 1 else "")))
        for k in range(1, 25)
    ]
    assert steps[:18] == [Move(BOB, "walking up to Bob Birch", "💬")] * 18
    assert steps[18:] == [None] * 6
    assert mind.attention.talked == {BOB: 190}
    assert "remember" not in list_asked_fields(mind)
    assert (mind.last, mind.going) == ("", "")


@pytest.mark.parametrize("why", ["you two talked just now; give it some time", "that is full"])
def test_a_refused_opening_leaves_only_when_it_was(why: str) -> None:
    mind, now = make_opening_mind(make_speech_rule("Hello, Bob."))
    assert live(mind, now.later(10, result=Result(False, why))) is None
    assert mind.dialogue is None
    assert mind.attention.talked == {BOB: 10}
    assert not len(mind.stream)
    assert list_asked_fields(mind) == ["choice", "relationship", "say"]


def test_nobody_is_spoken_to_who_fell_asleep_meanwhile_nor_when_it_got_late() -> None:
    for change in ({"people": (person(BOB, asleep=True),)}, {"time": Moment().later(54_000).time}):
        mind, now = make_opening_mind(make_speech_rule(), latency_ticks={"converse": 2})
        action = live(mind, now.later(10, **change))
        assert action is None
        assert mind.dialogue is None
        assert live(mind, now.later(20)) is None


def test_while_one_thinks_of_the_first_words_one_stays() -> None:
    mind, now = make_opening_mind(make_speech_rule("Hello, Bob."), latency_ticks={"converse": 2})
    actions = [live(mind, now.later(10 * k)) for k in range(1, 5)]
    assert actions[:3] == [Idle("turning to Bob Birch", "💬")] * 3
    assert getattr(actions[3], "text", "") == "Hello, Bob."


def test_the_sleeping_neither_speak_nor_think_of_words() -> None:
    mind, now = make_opening_mind(make_speech_rule("Hello, Bob."), latency_ticks={"converse": 5})
    assert live(mind, now.later(10, me=body(asleep=True))) is None
    assert mind.dialogue is None
    assert live(mind, now.later(60, me=body(asleep=True))) is None
    assert list_asked_fields(mind).count("say") == 0
