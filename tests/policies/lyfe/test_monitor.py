import asyncio
import json

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.percept import HeardWords
from genagents_env.policies.lyfe import monitor, narrative, senses, states
from genagents_env.policies.lyfe.mind import LyfeMind
from tests.policies.harness import list_requests, moment, think
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value

SUMMARY = "I heard that the bridge is closed. I want to know why."


def reply_summary(request: CompletionRequest) -> str:
    return json.dumps({"summary": SUMMARY})


def hear_words(mind: LyfeMind, *numbers: int, tick: int = 0) -> Moment:
    """Let the mind hear so many words, and return the percept."""
    words = (HeardWords("speech", "Ben Birch", f"Word {n}.", True, False, (), n) for n in numbers)
    percept = Moment(tick=tick, heard=tuple(words))
    asyncio.run(senses.perceive(mind, moment(mind, percept)))
    return percept


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
    assert not update_summary(mind, hear_words(mind, 1, 2, 3, 4))
    assert update_summary(mind, hear_words(mind, 5))
    assert mind.summary.text == SUMMARY
    shown = list_requests(mind)[0].messages[-1].content
    assert all(f"Word {number}." in shown for number in (1, 2, 3, 4, 5))
    assert mind.news == []


def test_news_of_the_agent_itself_needs_no_company() -> None:
    mind = quiet()
    senses.notice_oneself(mind, "I could not go to the park.", 0, feedback=True)
    assert update_summary(mind, Moment())


def test_it_is_never_made_of_the_same_again() -> None:
    mind = quiet()
    senses.notice_oneself(mind, "I could not go to the park.", 0, feedback=True)
    assert update_summary(mind, Moment())
    mind.feedback = True
    assert not update_summary(mind, Moment().later())
    assert len(list_requests(mind)) == 1


def test_the_old_summary_goes_into_the_new_one() -> None:
    mind = quiet()
    for tick, number in enumerate((0, 5)):
        update_summary(mind, hear_words(mind, *range(number, number + 5), tick=tick))
    assert SUMMARY[:20] in list_requests(mind)[1].messages[-1].content
    assert mind.summary.updates == 2


def test_it_takes_effect_beside_what_one_does() -> None:
    mind = quiet(latency_ticks={"monitor": 2})
    update_summary(mind, hear_words(mind, *range(5)))
    assert mind.summary.text == ""
    assert mind.is_busy("monitor")
    percept = hear_words(mind, *range(5, 10), tick=1)
    assert not update_summary(mind, percept)  # one at a time
    think(mind, [], Moment().later(20))
    assert mind.summary.text == SUMMARY


def test_without_a_usable_reply_the_old_summary_stays() -> None:
    mind = quiet(always_invalid)
    mind.summary.text = "I know my goal."
    update_summary(mind, hear_words(mind, *range(5)))
    assert mind.summary.text == "I know my goal."
    assert mind.summary.updates == 0


def test_switched_off_it_is_never_asked_and_observations_stand_in_its_place() -> None:
    mind = quiet(self_monitor=False)
    mind.summary.text = "never shown"
    percept = hear_words(mind, *range(6))
    assert not update_summary(mind, percept)
    shown = json.dumps(states.format_summary(mind))
    assert "never shown" not in shown
    assert "Word 0." in shown or "Word 1." in shown


def test_each_sentence_rests_on_what_it_is_most_like() -> None:
    def rule(request: CompletionRequest) -> str:
        return json.dumps({"summary": "I hear that the bridge is closed. My boat leaks."})

    mind = quiet(rule)
    said = {40: "The bridge is closed.", 41: "What a day!", 42: "Nobody likes turnips."}
    words = (
        HeardWords("speech", "Ben Birch", text, True, False, (), at) for at, text in said.items()
    )
    percept = Moment(heard=tuple(words))
    asyncio.run(senses.perceive(mind, moment(mind, percept)))
    mind.feedback = True
    update_summary(mind, percept)
    first, second = mind.summary.parts
    assert (first.text, first.events) == ("I hear that the bridge is closed.", [40])
    assert (second.text, second.events) == ("My boat leaks.", [])


def test_what_a_sentence_rests_on_outlasts_the_words_it_came_from() -> None:
    mind = quiet(lambda request: json.dumps({"summary": "The bridge is closed, Ben says."}))
    words = HeardWords("speech", "Ben Birch", "The bridge is closed.", True, False, (), 70)
    asyncio.run(senses.perceive(mind, moment(mind, Moment(heard=(words,)))))
    mind.feedback = True
    update_summary(mind, Moment())
    for tick in (1, 2):
        update_summary(mind, hear_words(mind, *range(100 * tick, 100 * tick + 6), tick=tick))
    assert [item.event for item in mind.work] == [202, 203, 204, 205]
    assert [part.events for part in mind.summary.parts] == [[70]]


def test_a_thought_and_the_agents_own_words_rest_on_what_led_to_them() -> None:
    mind = quiet()
    made_of = [("Ben Birch said: the bridge is closed", [3]), ("I like boats", []), ("Ducks", [9])]
    assert asyncio.run(narrative.find_events(mind, "So the bridge is closed.", made_of)) == [3]
    assert asyncio.run(narrative.find_events(mind, "I like boats a lot.", made_of)) == []
    assert asyncio.run(narrative.find_events(mind, "", made_of)) == []


def test_what_is_done_is_not_to_stand_as_still_to_be_done() -> None:
    mind = quiet()
    assert update_summary(mind, hear_words(mind, 1, 2, 3, 4, 5))
    assert "meant to be done once it is done" in list_requests(mind)[0].messages[0].content
