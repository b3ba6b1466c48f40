import asyncio
import json
from collections.abc import Mapping

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule
from genagents_env.percept import HeardWords
from genagents_env.policies.lyfe import monitor, senses
from genagents_env.policies.lyfe.mind import LyfeMind
from tests.policies.harness import list_requests, moment, think
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value

SUMMARY = "I heard that the bridge is closed. I want to know why."


def reply_summary(request: CompletionRequest) -> str:
    return json.dumps({"summary": SUMMARY})


def hear_words(mind: LyfeMind, said: Mapping[int, str], tick: int = 0) -> Moment:
    """Let the mind hear words, by their event, and return the percept."""
    words = (
        HeardWords("speech", "Ben Birch", text, True, False, (), at) for at, text in said.items()
    )
    percept = Moment(tick=tick, heard=tuple(words))
    asyncio.run(senses.perceive(mind, moment(mind, percept)))
    return percept


def hear_numbered(mind: LyfeMind, *numbers: int, tick: int = 0) -> Moment:
    return hear_words(mind, {number: f"Word {number}." for number in numbers}, tick)


def update_summary(mind: LyfeMind, percept: Moment) -> bool:
    """Let the mind bring its summary up to date where it is due; return whether it was."""
    thoughts = monitor.make_queries(mind, moment(mind, percept))
    think(mind, thoughts, percept)
    return bool(thoughts)


def quiet(rule: Rule = reply_summary, **config: Value) -> LyfeMind:
    """Return a mind of which nothing is new; its monitor answers at once."""
    mind = make_mind(rule, **{"latency_ticks": {}, **config})
    mind.feedback = False
    return mind


def test_five_new_events_make_a_summary_that_rests_on_them() -> None:
    mind = quiet()
    assert not update_summary(mind, hear_numbered(mind, 1, 2, 3, 4))
    assert update_summary(mind, hear_numbered(mind, 5))
    assert mind.summary.text == SUMMARY
    shown = list_requests(mind)[0].messages[-1].content
    assert all(f"Word {number}." in shown for number in (1, 2, 3, 4, 5))
    assert mind.news == []


def test_it_is_never_made_of_the_same_again() -> None:
    mind = quiet()
    senses.notice_oneself(mind, "I could not go to the park.", 0, feedback=True)
    assert update_summary(mind, Moment())
    mind.feedback = True
    assert not update_summary(mind, Moment().later())
    assert len(list_requests(mind)) == 1


def test_it_takes_effect_beside_what_one_does() -> None:
    mind = quiet(latency_ticks={"monitor": 2})
    update_summary(mind, hear_numbered(mind, *range(5)))
    assert mind.summary.text == ""
    assert mind.is_busy("monitor")
    percept = hear_numbered(mind, *range(5, 10), tick=1)
    assert not update_summary(mind, percept)  # one at a time
    think(mind, [], Moment().later(20))
    assert mind.summary.text == SUMMARY


def test_each_sentence_rests_on_what_it_is_most_like() -> None:
    def rule(request: CompletionRequest) -> str:
        return json.dumps({"summary": "I hear that the bridge is closed. My boat leaks."})

    mind = quiet(rule)
    said = {40: "The bridge is closed.", 41: "What a day!", 42: "Nobody likes turnips."}
    percept = hear_words(mind, said)
    mind.feedback = True
    update_summary(mind, percept)
    first, second = mind.summary.parts
    assert (first.text, first.events) == ("I hear that the bridge is closed.", [40])
    assert (second.text, second.events) == ("My boat leaks.", [])
