import asyncio
import json

import pytest

from genagents_env.actions import Talk
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.percept import Conversation
from genagents_env.policies.lyfe import act, options, senses, talk
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeOption
from tests.policies.harness import list_requests, moment, think
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value, person, speech

BEN = "Ben Birch"
TALK = Conversation(1, ("Ann Ash", BEN), None, True, 99)
HERE = Moment(people=(person(BEN),), conversation=TALK)


def make_speech_rule(words: str) -> Rule:
    return lambda request: json.dumps({"say": words})


def talker(rule: Rule, **config: Value) -> LyfeMind:
    mind = make_mind(rule, **config)
    mind.option = LyfeOption("talk", target=BEN, subgoal="ask of the river")
    mind.near = mind.people = [BEN]
    return mind


def spoken(rule: Rule, percept: Moment = HERE, **config: Value) -> LyfeMind:
    mind = talker(rule, **config)
    think(mind, talk.make_queries(mind, moment(mind, percept)), percept)
    return mind


def test_an_utterance_is_one_call_and_one_action() -> None:
    mind = spoken(make_speech_rule("Did you see the river?"))
    assert len(list_requests(mind)) == 1
    action = act.choose_action(mind, moment(mind, HERE))
    assert action == Talk(
        None, "Did you see the river?", doing=f"talking with {BEN}", emoji=action.emoji
    )


@pytest.mark.parametrize(
    "rule", [always_invalid, *map(make_speech_rule, (" ", "[NONE]", "None.", "(silence)"))]
)
def test_one_may_stay_silent_and_is_not_asked_again(rule: Rule) -> None:
    mind = spoken(rule)
    assert (mind.turn.unsaid, mind.option.kind) == ("", "talk")
    assert not talk.make_queries(mind, moment(mind, HERE))


def test_words_are_out_of_date_when_somebody_spoke_meanwhile() -> None:
    mind = talker(make_speech_rule("Well, I never."), latency_ticks={"talk": 1})
    think(mind, talk.make_queries(mind, moment(mind, HERE)), HERE)
    later = HERE.later(10, conversation=TALK, heard=(speech(BEN, "Never mind."),))
    asyncio.run(senses.perceive(mind, moment(mind, later)))
    think(mind, [], later)
    assert mind.turn.unsaid == ""


@pytest.mark.parametrize(
    ("words", "away"),
    [
        ("Let's go to the park.", True),
        ("I\u2019ll go and ask her.", True),
        ("Let it go.", False),
        ("The ducks head south.", False),
    ],
)
def test_words_that_mean_going_end_the_talk(words: str, away: bool) -> None:
    mind = spoken(make_speech_rule(words))
    act.choose_action(mind, moment(mind, HERE))
    options.settle(mind, moment(mind, HERE.later(conversation=TALK)))
    assert mind.option.kind == ("decide" if away else "talk")
    assert (mind.option.only == ["go", "find"]) is away
