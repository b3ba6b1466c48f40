"""The scripted policy among hand-made percepts, and on the real party: word travels by mouth."""

import json
from datetime import datetime

import pytest

from genagents_env import town_v0
from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.env import TownEnv
from genagents_env.percept import Conversation, Result
from genagents_env.policy import Policy, RecalledMemory
from genagents_env.run.policies import load_policy
from genagents_env.scenario.schema import Fact
from genagents_env.world.events import Event
from tests.policies.percepts import (
    PARTY,
    Moment,
    Value,
    body,
    context,
    infos,
    person,
    profile,
    speech,
    thing,
)

BOB = "Bob Birch"
ARRIVED = Result(True, "", arrived=True)


def scripted(
    seed: int = 0, *, facts: tuple[Fact, ...] = (PARTY,), config: Value = None, **changes: Value
) -> Policy:
    policy = load_policy("scripted", **(config or {}))
    policy.reset({"Ann Ash": profile(facts=facts, **changes)}, seed, context())
    return policy


def step(policy: Policy, moment: Moment) -> Action:
    return policy.act({moment.agent: {}}, infos(moment))[moment.agent]


def speak(policy: Policy, moment: Moment) -> Talk:
    """Step at the same place until something is said, which takes a few ticks at most."""
    for k in range(40):
        action = step(policy, moment.later(10 * k))
        if isinstance(action, Talk):
            return action
    raise AssertionError("nothing was said")


def talk(*members: str) -> Conversation:
    return Conversation(1, ("Ann Ash", *members), None, True, 8)


def test_walks_to_the_routine_place_and_does_what_it_says() -> None:
    policy, away = scripted(), Moment(me=body("Ann's house"))
    assert step(policy, away) == Move("Cafe")
    there = away.later(me=body("Cafe"), result=Result(True, "", arrived=True))
    assert step(policy, there) == Idle("serving coffee", "☕")
    assert step(policy, there.later()) == Idle("serving coffee", "☕")


def test_waits_before_trying_a_closed_place_again() -> None:
    policy, away = scripted(), Moment(me=body("Park"))
    assert step(policy, away) == Move("Cafe")
    closed = Result(False, "the Cafe is closed")
    assert isinstance(step(policy, away.later(result=closed)), Idle)
    assert isinstance(step(policy, away.later(40)), Idle)
    assert step(policy, away.later(80)) == Move("Cafe")


@pytest.mark.parametrize(
    ("bed", "lying", "sleeps_in"),
    [("Ann's bed", "slept in", None), ("Bett", "belegt", ("Ann's house/bedroom/Bett", "belegt"))],
    ids=["judged by its name", "as the scenario says"],
)
def test_goes_to_bed_and_sleeps(bed: str, lying: str, sleeps_in: tuple[str, str] | None) -> None:
    policy = scripted(sleeps_in=sleeps_in)
    late = Moment(time=datetime.fromisoformat("2023-02-13T23:05"))
    bed = f"Ann's house/bedroom/{bed}"
    far, near = (thing(bed, "made", (lying, "unmade"), usable=can) for can in (False, True))
    assert step(policy, late) == Move("Ann's house/bedroom")
    home = late.later(me=body("Ann's house/bedroom"), result=ARRIVED, objects=(far,))
    assert step(policy, home) == Move(bed)
    beside = home.later(result=ARRIVED, objects=(near,))
    assert step(policy, beside) == Interact(bed, lying)
    assert step(policy, beside.later(me=body("Ann's house/bedroom", asleep=True))) == Idle()


def test_greets_once_and_tells_the_fact_once_per_listener() -> None:
    policy, seen = scripted(), Moment(people=(person(BOB),))
    first = speak(policy, seen)
    assert first == Talk(BOB, f"Good morning, Bob! Have you heard? {PARTY.statement}")
    waiting = step(policy, seen.later(conversation=talk(BOB)))
    assert isinstance(waiting, Idle)
    answered = seen.later(20, conversation=talk(BOB), heard=(speech(BOB, "Oh, nice!"),))
    leaving = step(policy, answered)
    assert isinstance(leaving, Talk)
    assert leaving.leave
    assert "heard" not in leaving.text
    said = [step(policy, seen.later(30 + 60 * k)) for k in range(200)]
    assert not any(isinstance(action, Talk) for action in said)


def test_nobody_is_spoken_to_from_farther_than_words_carry() -> None:
    far = Moment(people=(person(BOB, distance=5),))
    assert PARTY.statement in speak(scripted(hearing_radius=5), far).text
    with pytest.raises(AssertionError, match="nothing was said"):
        speak(scripted(hearing_radius=4), far)


def test_passes_on_what_it_heard_without_growing_the_sentence() -> None:
    policy = load_policy("scripted")
    policy.reset({"Ann Ash": profile(facts=())}, 0, context())
    words = speech(BOB, f"Hello, Ann! Have you heard? {PARTY.statement}", ("party",))
    step(policy, Moment(people=(person(BOB),), conversation=talk(BOB), heard=(words,)))
    step(policy, Moment().later(30))
    told = speak(policy, Moment(people=(person("Cid Cedar"),)).later(120))
    assert told.text == f"Good morning, Cid! Have you heard? {PARTY.statement}"


def test_mute_says_nothing_and_leaves_conversations() -> None:
    policy = scripted(config={"mute": True})
    assert not isinstance(step(policy, Moment(people=(person(BOB),))), Talk)
    spoken = Moment(conversation=talk(BOB), heard=(speech(BOB, "Hello"),))
    assert step(policy, spoken) == Talk(None, "", leave=True)


def test_share_is_the_probability_of_telling() -> None:
    there = Moment(people=(person(BOB),))
    minds = (scripted(seed, config={"share": 0.5}) for seed in range(60))
    told = sum(PARTY.statement in speak(mind, there).text for mind in minds)
    assert abs(told - 30) <= 15


def test_an_interview_tells_what_was_heard_and_by_which_event() -> None:
    policy = scripted(facts=())
    asked = ["Did you know there is going to be a party?", "Any news?", "Whom did you meet?"]
    answers = [answer.text for answer in policy.interview("Ann Ash", asked)]
    assert answers[0].startswith("No")
    assert answers[1:] == ["Nothing that was new to me.", "Nobody."]
    words = speech(BOB, f"Hello, Ann! Have you heard? {PARTY.statement}", ("party",))
    step(policy, Moment(heard=(words,)))
    before = policy.state()
    told = policy.interview("Ann Ash", [*asked, "Have you heard about the new mayor?"])
    assert PARTY.statement in told[0].text
    assert [answer.text for answer in told[1:3]] == [PARTY.statement, f"I met {BOB}."]
    assert {answer.evidence for answer in told[:3]} == {(words.event_id,)}
    assert told[3].text.startswith("No")
    assert policy.interview("Ann Ash", asked, 2) == told[:3]  # every repeat answers alike
    assert policy.state() == before


def test_an_interview_tells_whom_one_knows_or_heard() -> None:
    policy = scripted(facts=(), relationships={"Cid Cedar": "the baker"})
    asked = [f"Do you know of {name}?" for name in (BOB, "Cid Cedar", "Dot Dale", "Ann Ash")]
    answers = policy.interview("Ann Ash", asked)
    assert [answer.text[:3] for answer in answers] == ["No,", "Yes", "No,", "No,"]
    assert (answers[1].text, answers[1].evidence) == ("Yes. I know Cid Cedar: the baker.", ())
    step(policy, Moment(heard=(speech(BOB, "Hello!"),)))
    told = policy.interview("Ann Ash", asked)[0]
    assert (told.text, told.evidence) == (f"Yes. I know {BOB}.", (7,))


# Secrets, and what is remembered.

THEFT = Fact(id="theft", statement="Ann took the silver.", patterns=("silver",), secret=True)
FALL = Fact(id="fall", statement="Bob fell into the pond.", patterns=("pond",), secret=True)
FALLEN = Moment(heard=(speech("Dee Dogwood", f"Have you heard? {FALL.statement}", ("fall",)),))
THERE = Moment(me=body("Cafe"), people=(person(BOB),)).later(600)


def test_a_shared_surname_is_no_answer_and_words_without_blanks_are() -> None:
    fire = "\u4eca\u591c\u306f\u82b1\u706b\u5927\u4f1a\u3060\u3002"  # fireworks tonight
    mayor = Fact(id="mayor", statement="Sam Moore is running for mayor.", patterns=("mayor",))
    policy = scripted(facts=(mayor, Fact(id="fire", statement=fire, patterns=("\u82b1\u706b",))))
    asked = ("Do you know of Jennifer Moore?", "Do you know of Sam Moore?", "\u82b1\u706b\u306f?")
    answers = [answer.text for answer in policy.interview("Ann Ash", asked)]
    assert answers == ["No, I have not heard of that.", f"Yes. {mayor.statement}", f"Yes. {fire}"]


def test_whom_nobody_knows_to_have_heard_a_greeting_was_not_met() -> None:
    policy = scripted(facts=())
    step(policy, Moment(heard=(speech(BOB, "Hello!"),)))
    speak(policy, Moment(people=(person("Cy Oak"),)).later(100))
    (answer,) = policy.interview("Ann Ash", ["Whom did you meet?"])
    assert (answer.text, answer.evidence) == (f"I met {BOB}.", (7,))


def test_a_secret_known_from_the_start_is_not_passed_on_even_if_others_know_it() -> None:
    assert "silver" not in speak(scripted(facts=(THEFT,)), THERE).text
    told = speak(scripted(facts=(THEFT, PARTY)), THERE).text
    assert "silver" not in told
    assert PARTY.statement in told
    policy = scripted(facts=(THEFT,))
    step(policy, Moment(heard=(speech("Dee Dogwood", "Ann took the silver!", ("theft",)),)))
    assert "silver" not in speak(policy, THERE).text


def test_secrets_are_part_of_the_state_and_older_states_are_read() -> None:
    policy, other = scripted(facts=(THEFT, PARTY)), scripted(facts=())
    kept = json.loads(json.dumps(policy.state()))
    assert kept["Ann Ash"]["secrets"] == ["theft"]
    other.load_state(kept)
    assert other.state() == policy.state()
    del kept["Ann Ash"]["secrets"]
    other.load_state(kept)
    assert other.state()["Ann Ash"]["secrets"] == []


def test_memories_are_what_one_knows_and_what_one_heard_with_its_event() -> None:
    policy = scripted()
    assert policy.memories("Ann Ash") == [RecalledMemory(PARTY.statement)]
    step(policy, FALLEN)
    before = policy.state()
    assert policy.memories("Ann Ash")[1] == RecalledMemory(FALL.statement, (7,))
    assert policy.state() == before


SEED = 4


def run_hours(hours: float, start: str, **config: Value) -> tuple[TownEnv, list[Event]]:
    """Live some hours; return the environment and all events."""
    env = town_v0.parallel_env("valentines_party", start=start, hours=hours, percepts=True)
    observations, infos = env.reset(seed=SEED)
    policy = load_policy("scripted", **config)
    policy.reset(env.profiles(), SEED, env.context())
    events = list(env.events)
    while env.agents:
        observations, _, _, _, infos = env.step(policy.act(observations, infos))
        events += env.events
    return env, events


def learners(events: list[Event], fact: str) -> set[str]:
    return {e.agent for e in events if e.agent and e.kind == "learn" and e.data["fact"] == fact}


@pytest.mark.slow
def test_the_party_spreads_over_a_day_and_everyone_sleeps_at_night() -> None:
    env, events = run_hours(20, "06:00")
    assert len(learners(events, "party")) >= 8
    assert len(learners(events, "candidacy")) >= 8
    assert 100 < sum(event.kind == "say" for event in events) < 3000
    visited = {(e.agent, e.data["place"]) for e in events if e.kind == "arrive"}
    assert ("Isabella Rodriguez", "Hobbs Cafe/cafe") in visited
    assert env.world.snapshot.asleep.sum() >= 15
    assert sum(state == "slept in" for state in env.world.snapshot.object_states) >= 15


def test_nobody_hears_a_fact_but_from_someone_who_knows_it() -> None:
    _, events = run_hours(0.5, "12:00")
    known = {"party": {"Isabella Rodriguez"}, "candidacy": {"Sam Moore"}}
    learnt = [event for event in events if event.agent is not None and event.kind == "learn"]
    for event in learnt:
        assert event.data["source"] in known[event.data["fact"]]
        known[event.data["fact"]].add(str(event.agent))
    assert len(known["party"]) > 2


def test_without_sharing_people_talk_and_nothing_spreads() -> None:
    _, events = run_hours(0.25, "12:00", share=0.0)
    assert not learners(events, "party")
    assert any(event.kind == "say" for event in events)
