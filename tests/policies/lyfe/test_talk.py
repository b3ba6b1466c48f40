"""Talk: what is heard, whose turn it is, what is said, who owes an answer, how words repeat."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.percept import Conversation, HeardWords, Result
from genagents_env.policies.lyfe import act, options, questions, repetition, senses, talk, turns
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeOption, OpenQuestion, WorkItem
from tests.policies.harness import moment, think
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value, body, person, profile, speech

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


@pytest.mark.parametrize("words", ["dan", "Dan Dorn", "Well, Dan: what now?", "No Danish, Dane."])
def test_who_is_named_need_not_wait_but_not_by_a_name_within_a_word(words: str) -> None:
    waits = {delays(NAMES, words, "Ann Ash", event)["Dan Dorn"] for event in range(10)}
    assert (waits == {0}) is ("Danish" not in words)


ANN, CAT = NAMES[0], NAMES[2]


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


def test_one_who_was_spoken_to_may_talk_though_a_talk_has_just_ended() -> None:
    mind = hear((ANN, "Well."), (BEN, "Tell me of the knife."))
    talk = Conversation(1, (ANN, BEN), None, True, 99)
    now = moment(mind, Moment(conversation=talk).later(20, conversation=talk))
    assert questions.is_addressed(mind, now)
    assert questions.is_addressed(hear((BEN, "Where were you?")), now)
    turns.note_said(mind, "What knife.", now)
    assert not questions.is_addressed(mind, now)


def sense(mind: LyfeMind, percept: Moment) -> LyfeMind:
    asyncio.run(senses.perceive(mind, moment(mind, percept)))
    return mind


def make_heard(text: str, event: int = 7, addressed: bool = True) -> HeardWords:
    return HeardWords("speech", BEN, text, addressed, False, (), event)


def test_who_is_far_or_asleep_is_not_near_unless_on_the_telephone() -> None:
    far, near = person("Cat Cole", distance=6), person(BEN, distance=5)
    mind = sense(make_mind(), Moment(people=(near, person("Dan Dorn", asleep=True), far)))
    assert mind.near == [BEN]
    assert mind.people == [BEN, "Dan Dorn", "Cat Cole"]
    talk = Conversation(1, ("Ann Ash", "Eve Elm"), None, True, 9)
    assert sense(mind, Moment(conversation=talk)).near == ["Eve Elm"]


def test_overheard_words_do_not_interrupt_unless_they_name_one() -> None:
    mind = make_mind()
    mind.fresh = False
    sense(mind, Moment(heard=(make_heard("Nice weather.", addressed=False),)))
    assert not mind.fresh
    sense(mind, Moment(heard=(make_heard("Ann would like it.", addressed=False),)))
    assert mind.fresh


LOST = Moment(result=Result(False, "someone else was speaking"))
ANSWERED = replace(LOST, heard=(make_heard("Ah."),))


@pytest.mark.parametrize(
    ("percepts", "unsaid", "said"),
    [
        pytest.param([Moment()], "", ["Good morning."], id="said"),
        pytest.param([LOST], "Good morning.", [], id="kept where another spoke over them"),
        pytest.param([LOST, LOST], "", [], id="but once"),
        pytest.param([ANSWERED], "", ["Ah."], id="made anew once one was answered"),
    ],
)
def test_ones_own_words_are_remembered_once_they_were_said(
    percepts: list[Moment], unsaid: str, said: list[str]
) -> None:
    mind = make_mind()
    mind.last, mind.turn.unsaid = "Talk", "Good morning."
    for percept in percepts:
        sense(mind, percept)
    assert (mind.turn.unsaid, [item.text for item in mind.work]) == (unsaid, said)
    assert mind.turn.mine is (said == ["Good morning."])


OWN, HEARD = True, False
ASKED = "Who did it?"


def make_uttering_mind(*utterances: tuple[str, bool], **config: Value) -> LyfeMind:
    mind = make_mind(**config)

    async def all_of_them() -> None:
        for text, own in utterances:
            await repetition.note_utterance(mind, text, own)

    asyncio.run(all_of_them())
    return mind


@pytest.mark.parametrize(
    ("times", "above", "repetitive"), [(2, 0.9, False), (3, 0.9, True), (9, 1.0, False)]
)
def test_three_repeats_more_alike_than_the_threshold_are_repetitive(
    times: int, above: float, repetitive: bool
) -> None:
    mind = make_uttering_mind((ASKED, OWN), *[(ASKED, HEARD)] * times, repetition_above=above)
    assert repetition.is_repetitive(mind) is repetitive


@pytest.mark.parametrize(
    ("whose", "noted"),
    [("both", ["a", "b", "a"]), ("own", ["a", "a"]), ("heard", ["b"])],
)
def test_whose_utterances_count_is_configured(whose: str, noted: list[str]) -> None:
    said = (("a", OWN), ("b", HEARD), ("", OWN), ("", HEARD), ("a", OWN))
    mind = make_uttering_mind(*said, repetition_of=whose)
    assert mind.uttered == noted
