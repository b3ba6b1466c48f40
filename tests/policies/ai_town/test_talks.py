"""Turns, words and good-byes in a talk of two; groups and who speaks next in one of several."""

import json

import pytest

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.llm.calls import CompletionRequest
from genagents_env.percept import Conversation, Result, SeenPerson
from genagents_env.policies.ai_town import act, converse, groups, perceive, pursue, signs
from genagents_env.policies.ai_town.mind import AiTownMind, TalkState
from tests.policies.ai_town.minds import BEA, make_mind, talk_with
from tests.policies.harness import fields_of, list_requests, moment, think
from tests.policies.percepts import Moment, Value, person, speech

CY, DEE, ME = "Cy Cole", "Dee Dunn", "Ann Ash"
NEAR = Moment(people=(person(BEA, 1),), conversation=Conversation(1, (ME, BEA), None, True, 9))


def lines(count: int, last: str = BEA) -> list[tuple[str, str]]:
    """Return so many lines, taken in turns, of which somebody's is the last."""
    return [(last if at % 2 == 0 else ME, f"word {at}") for at in range(count)][::-1]


@pytest.mark.parametrize(
    ("talk", "seconds", "due"),
    [
        (talk_with(BEA, mine=True), 0, "start"),  # who invited speaks first
        (talk_with(BEA, mine=False), 40, ""),
        (talk_with(BEA, mine=False), 50, "start"),  # where the silence is awkward
        (talk_with(BEA, lines=[(BEA, "Hello!")]), 0, "continue"),  # said at second -10
        (talk_with(BEA, lines=[(BEA, "Hello!")]), -1, ""),  # a longer pause
        (talk_with(BEA, lines=[(ME, "Hello!")]), 40, ""),
        (talk_with(BEA, lines=[(ME, "Hello!")]), 50, "continue"),
        (talk_with(BEA, lines=lines(8), started=-600), 0, "continue"),
        (talk_with(BEA, lines=lines(9), started=-600), 0, "leave"),
        (talk_with(BEA, lines=lines(2), started=-601), 0, "leave"),
    ],
)
def test_what_is_due_in_a_talk_of_two(talk: TalkState, seconds: int, due: str) -> None:
    mind = make_mind(message_seconds=10 if seconds >= 0 else 20)
    assert converse.find_due(mind, talk, moment(mind, NEAR.later(max(0, seconds)))) == due


def test_a_lock_keeps_one_silent_for_fifteen_seconds() -> None:
    mind = make_mind()
    mind.talk = talk_with(BEA, lines=[(BEA, "Hello!")])
    due = []
    for tick in range(4):
        typing = (person(BEA, 1, f"{signs.TYPING} {ME}"),)
        now = moment(mind, NEAR.later(100 + 10 * tick, people=typing))
        perceive.perceive(mind, now)
        due.append(converse.find_due(mind, mind.talk, now))
    assert due == ["", "continue", "continue", "continue"]  # seen since second 90
    of_another = (person(BEA, 1, f"{signs.TYPING} {CY}"),)
    perceive.perceive(mind, moment(mind, NEAR.later(150, people=of_another)))
    assert mind.talk.typing == -1


def speak(mind: AiTownMind, percept: Moment, kind: str = "continue") -> None:
    queries = converse.make_queries(mind, moment(mind, percept))
    assert [query.purpose for query in queries] == [f"converse.{kind}"]
    think(mind, queries, percept)


def say(words: str) -> Value:
    return lambda request: json.dumps({"say": words})


def test_words_become_part_of_the_talk_once_the_town_let_them_and_are_tried_twice() -> None:
    mind = make_mind(say("I am well."))
    mind.talk = talk_with(BEA, lines=[(BEA, "How are you?")])
    speak(mind, NEAR)
    step = act.choose_action(mind, moment(mind, NEAR))
    assert step == Talk(None, "I am well.", doing=f"talking with {BEA}", emoji="💬")
    refused = NEAR.later(10, result=Result(False, "someone else was speaking"))
    perceive.perceive(mind, moment(mind, refused))
    assert (mind.talk.unsaid, len(mind.talk.lines)) == ("I am well.", 1)
    act.choose_action(mind, moment(mind, refused))
    perceive.perceive(mind, moment(mind, NEAR.later(20)))
    assert (mind.talk.unsaid, mind.talk.lines[-1].text) == ("", "I am well.")
    assert mind.talk.lines[-1].at == 10
    speak(mind, NEAR.later(100))
    for tick in (11, 12):
        act.choose_action(mind, moment(mind, NEAR.later(10 * tick - 10)))
        again = refused.later(10 * tick - 10, result=refused.result)
        perceive.perceive(mind, moment(mind, again))
    assert (mind.talk.unsaid, len(mind.talk.lines)) == ("", 2)


@pytest.mark.parametrize(("late_words", "kept"), [("drop", ""), ("say", "I am well.")])
def test_words_thought_of_too_long_are_dropped_unless_the_fault_is_on(
    late_words: str, kept: str
) -> None:
    mind = make_mind(say("I am well."), latency_ticks={"converse": 2}, late_words=late_words)
    mind.talk = talk_with(BEA, lines=[(BEA, "How are you?")], members=[BEA])
    speak(mind, NEAR)
    waiting = act.choose_action(mind, moment(mind, NEAR))
    assert waiting == Idle(f"{signs.TYPING} {BEA}", "💭")
    perceive.perceive(mind, moment(mind, NEAR.later(10, heard=(speech(BEA, "Well?"),))))
    think(mind, [], NEAR.later(20))
    assert mind.talk.unsaid == kept


# Groups.


def at(name: str, x: int, y: int, doing: str = "out for a walk") -> SeenPerson:
    return SeenPerson(name, "Cafe", (x, y), max(abs(x - 1), abs(y - 1)), doing, "🚶", False, 0)


def group_mind(rule: Value = None, **config: Value) -> AiTownMind:
    return make_mind(rule or say("Hello all!"), preset="2023", **config)


def test_a_group_is_everybody_near_somebody_of_it() -> None:
    mind = group_mind()
    people = (at(BEA, 2, 2), at(CY, 4, 2), at(DEE, 6, 3))  # from 1,1: 2, then 2, then 3 steps
    assert groups.find_group(mind, moment(mind, Moment(people=people))) == [BEA, CY]
    mind.ignored = [BEA]
    assert groups.find_group(mind, moment(mind, Moment(people=people))) == []
    mind.ignored = []
    busy = (at(BEA, 2, 2, f"talking with {DEE}"), at(CY, 2, 1))
    assert groups.find_group(mind, moment(mind, Moment(people=busy))) == [CY]


def group_after(looks_at: str, leave: bool = False, who: str = CY) -> tuple[AiTownMind, Moment]:
    """Return a mind of a group in which Bea has spoken, looking at somebody, and its percept."""

    def rule(request: CompletionRequest) -> str:
        told = {"leave": leave, "who": who, "say": "Indeed."}
        return json.dumps({name: told[name] for name in fields_of(request)})

    mind = group_mind(rule)
    mind.talk = TalkState([BEA, CY], "talking", 0, mine=False, started=0)
    doing = f"talking with {ME}, looking at {looks_at}"
    percept = Moment(
        people=(at(BEA, 2, 2, doing), at(CY, 2, 1, f"listening to {BEA}")),
        conversation=Conversation(1, (BEA, ME), None, True, 9),
    ).later(10, heard=(speech(BEA, "What a day!"),))
    perceive.perceive(mind, moment(mind, percept))
    return mind, percept


def test_whom_the_speaker_looks_at_speaks_next_and_chooses_the_next() -> None:
    mind, percept = group_after(ME)
    speak(mind, percept, "walk_away")
    asked = [fields_of(request) for request in list_requests(mind)]
    assert asked == [["leave"], ["say"], ["who"]]
    step = act.choose_action(mind, moment(mind, percept))
    assert isinstance(step, Talk)
    assert step.doing == f"talking with {BEA} and {CY}, looking at {CY}"
    assert signs.find_gaze(step.doing) == CY
    mind, percept = group_after(CY)
    assert converse.make_queries(mind, moment(mind, percept)) == ()


def test_who_walks_away_leaves_without_a_word() -> None:
    mind, percept = group_after(ME, leave=True)
    speak(mind, percept, "walk_away")
    assert act.choose_action(mind, moment(mind, percept)) == Talk(None, "", leave=True)


@pytest.mark.parametrize("ends", [True, False])
def test_once_somebody_walks_away_a_group_is_over_for_all(ends: bool) -> None:
    mind = group_mind(ends_for_all=ends)
    mind.talk = talk_with(BEA, CY, DEE, lines=[(CY, "I must go.")], members=[BEA, CY, DEE])
    left = Moment(conversation=Conversation(1, (ME, BEA, DEE), None, True, 9))
    perceive.perceive(mind, moment(mind, left))
    assert mind.talk.leaving is ends


ASK = signs.write_invitation


def live(mind: AiTownMind, percept: Moment) -> Action:
    """Return what a mind does at a percept, without a model."""
    now = moment(mind, percept)
    perceive.perceive(mind, now)
    pursue.advance(mind, now)
    return act.choose_action(mind, now)


def stroll(**config: Value) -> AiTownMind:
    mind = make_mind(**config)
    mind.pursuit.heading, mind.pursuit.since = "Park", 0
    return mind


def with_people(*people: SeenPerson, **changes: Value) -> Moment:
    return Moment(people=people, **changes)


def members(*names: str) -> Conversation:
    return Conversation(1, names, None, True, 9)


def test_nobody_out_of_reach_asleep_busy_or_elsewhere_is_invited() -> None:
    other_room = SeenPerson(BEA, "Park", (2, 2), 2, "reading", "📖", False, 0)
    for seen in (
        person(BEA, 9),
        person(BEA, asleep=True),
        person(BEA, doing=f"talking with {CY}"),
        other_room,
    ):
        assert isinstance(live(stroll(), with_people(seen)), Move), seen


def invite(mind: AiTownMind) -> Moment:
    percept = with_people(person(BEA, 5)).later(100)
    mind.pursuit.since = 100
    assert isinstance(live(mind, percept), Talk)
    return percept


def answer(chance: float, *heard: str) -> tuple[AiTownMind, Action]:
    """Return a mind that heard these people's invitations, and what it does."""
    mind = make_mind(accept_chance=chance)
    words = tuple(speech(name, ASK(ME)) for name in heard)
    people = tuple(person(name, 4, f"waiting for {ME}") for name in heard)
    return mind, live(mind, Moment(heard=words, people=people))


def test_whoever_is_invited_comes_or_declines_by_chance() -> None:
    _, yes = answer(1.0, BEA, CY)  # of two the first counts
    doing = f"walking up to {BEA}"
    assert yes == Talk(BEA, signs.write_acceptance(BEA), doing=doing, emoji="💬")
    mind, no = answer(0.0, BEA)
    assert no == Talk(None, signs.write_refusal(BEA), doing="staying where one is", emoji="💬")
    live(mind, Moment().later(10))
    assert (mind.talk, mind.declined) == (None, {BEA: 10})


def test_of_two_who_invite_each_other_the_last_by_name_comes() -> None:
    mind = stroll(accept_chance=0.0)  # Ann is before Bea
    percept = invite(mind)
    heard = percept.later(10, heard=(speech(BEA, ASK(ME)),))
    assert isinstance(live(mind, heard), Idle)
    assert mind.talk is not None
    assert mind.talk.stage == "inviting"
    other = stroll(accept_chance=0.0)
    early = with_people(person("Abe Aal", 5)).later(100)
    other.pursuit.since = 100
    assert isinstance(live(other, early), Talk)
    step = live(other, early.later(10, heard=(speech("Abe Aal", ASK(ME)),)))
    assert isinstance(step, Talk)
    assert (step.to, step.text) == ("Abe Aal", signs.write_acceptance("Abe Aal"))


def test_at_night_one_goes_to_bed_and_invites_nobody() -> None:
    night = with_people(person(BEA)).later(16 * 3600)
    mind = stroll()
    assert isinstance(live(mind, night), Move)
    assert mind.talk is None
    awake = stroll(sleep=False)
    awake.pursuit.since = 16 * 3600
    assert isinstance(live(awake, night), Talk)
