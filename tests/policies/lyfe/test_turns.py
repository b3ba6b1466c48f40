import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.percept import Conversation
from genagents_env.policies.lyfe import turns
from genagents_env.policies.lyfe.mind import LyfeMind, WorkItem
from tests.policies.harness import moment
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, body, profile

NAMES = ("Ann Ash", "Ben Birch", "Cat Cole", "Dan Dorn", "Eve Elm", "Fay Fern", "Gil Gorse")


def item(text: str, speaker: str, event: int = 5) -> WorkItem:
    return WorkItem(text, 0, speaker, event)


def listener(name: str, group: tuple[str, ...]) -> tuple[LyfeMind, Moment]:
    """Return the mind of one of a group in conversation, and its moment."""
    who = profile(agent=name, name=name)
    mind = make_mind(who=who)
    mind.near = [other for other in group if other != name]
    talk = Conversation(1, group, None, True, 99)
    return mind, Moment(agent=name, me=body(), conversation=talk)


def delays(group: tuple[str, ...], text: str, speaker: str, event: int) -> dict[str, int]:
    """Return after how long each listener may speak once the words have sounded."""
    found = {}
    for name in group:
        if name != speaker:
            mind, percept = listener(name, group)
            now = moment(mind, percept)
            turns.note_heard(mind, item(text, speaker, event), now)
            found[name] = mind.turn.delay
    return found


@given(size=st.integers(3, 7), event=st.integers(0, 500))
def test_all_who_hear_it_draw_one_order_in_which_no_two_share_a_place(
    size: int, event: int
) -> None:
    group = NAMES[:size]
    waits = delays(group, "Good day to all of you.", group[0], event)
    assert sorted(waits.values()) == [5 * place for place in range(size - 1)]


def test_the_order_is_drawn_anew_for_every_utterance() -> None:
    first = {
        min(waits, key=waits.__getitem__)
        for event in range(40)
        if (waits := delays(NAMES, "Well.", NAMES[0], event))
    }
    assert first == set(NAMES[1:])


@pytest.mark.parametrize("words", ["dan", "Dan Dorn", "Well, Dan: what now?", "No Danish, Dane."])
def test_who_is_named_need_not_wait_but_not_by_a_name_within_a_word(words: str) -> None:
    waits = {delays(NAMES, words, "Ann Ash", event)["Dan Dorn"] for event in range(10)}
    assert (waits == {0}) is ("Danish" not in words)


def test_the_agent_listens_while_words_sound_and_waits_after_its_own() -> None:
    mind, percept = listener("Ann Ash", NAMES[:2])
    now = moment(mind, percept)
    turns.note_heard(mind, item("Ann, what did you see last night by the river?", "Ben Birch"), now)
    sounding = turns.count_seconds(mind, "Ann, what did you see last night by the river?")
    assert 5 < sounding <= mind.config.sounding_seconds
    heard_for = now.now - mind.services.seconds_per_tick
    early = moment(mind, percept.later(sounding - 11))
    late = moment(mind, percept.later(max(0, heard_for + sounding)))
    assert not turns.may_speak(mind, early)
    assert turns.may_speak(mind, late)
    turns.note_said(mind, "Nothing at all.", late)
    assert not turns.may_speak(mind, moment(mind, percept.later(10_000)))


def test_the_rule_of_the_place_comes_first() -> None:
    mind, percept = listener("Ann Ash", NAMES[:2])
    assert turns.may_speak(mind, moment(mind, percept))
    silent = Conversation(1, NAMES[:2], "Ben Birch", False, 99)
    assert not turns.may_speak(mind, moment(mind, percept.later(conversation=silent)))
