import json
from datetime import datetime

import pytest

from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.errors import ConfigError
from genagents_env.percept import Conversation, Result
from genagents_env.policy import Policy
from genagents_env.run.policies import load_policy
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


def scripted(seed: int = 0, **config: Value) -> Policy:
    policy = load_policy("scripted", **config)
    policy.reset({"Ann Ash": profile()}, seed, context())
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


def test_uses_the_routine_object_once() -> None:
    policy = scripted()
    noon = Moment(me=body("Cafe"), time=datetime.fromisoformat("2023-02-13T12:00"))
    bench = thing("Park/lawn/bench", "free", ("taken",))
    assert step(policy, noon) == Move("Park")
    there = noon.later(
        me=body("Park/lawn"), result=Result(True, "", arrived=True), objects=(bench,)
    )
    assert step(policy, there) == Move("Park/lawn/bench")
    near = thing("Park/lawn/bench", "free", ("taken",), usable=True)
    beside = there.later(result=Result(True, "", arrived=True), objects=(near,))
    assert isinstance(step(policy, beside), Interact)
    used = thing("Park/lawn/bench", "taken", ("free",), usable=True)
    assert step(policy, beside.later(objects=(used,))) == Idle("feeding ducks", "🙂")
    assert step(policy, beside.later(20, objects=(near,))) == Idle("feeding ducks", "🙂")


def test_waits_before_trying_a_closed_place_again() -> None:
    policy, away = scripted(), Moment(me=body("Park"))
    assert step(policy, away) == Move("Cafe")
    closed = Result(False, "the Cafe is closed")
    assert isinstance(step(policy, away.later(result=closed)), Idle)
    assert isinstance(step(policy, away.later(40)), Idle)
    assert step(policy, away.later(80)) == Move("Cafe")


def test_goes_to_bed_and_sleeps() -> None:
    policy, late = scripted(), Moment(time=datetime.fromisoformat("2023-02-13T23:05"))
    bed = thing("Ann's house/bedroom/Ann's bed", "made", ("slept in", "unmade"))
    assert step(policy, late) == Move("Ann's house/bedroom")
    home = late.later(
        me=body("Ann's house/bedroom"), result=Result(True, "", arrived=True), objects=(bed,)
    )
    assert step(policy, home) == Move(bed.id)
    near = thing(bed.id, "made", ("slept in", "unmade"), usable=True)
    beside = home.later(result=Result(True, "", arrived=True), objects=(near,))
    assert step(policy, beside) == Interact(bed.id, "slept in")
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


def test_a_refused_greeting_does_not_count_as_told() -> None:
    policy, seen = scripted(), Moment(people=(person(BOB),))
    speak(policy, seen)
    step(policy, seen.later(400, result=Result(False, "out of earshot")))
    again = speak(policy, seen.later(3600))
    assert PARTY.statement in again.text


def test_passes_on_what_it_heard_without_growing_the_sentence() -> None:
    policy = load_policy("scripted")
    policy.reset({"Ann Ash": profile(facts=())}, 0, context())
    words = speech(BOB, f"Hello, Ann! Have you heard? {PARTY.statement}", ("party",))
    step(policy, Moment(people=(person(BOB),), conversation=talk(BOB), heard=(words,)))
    step(policy, Moment().later(30))
    told = speak(policy, Moment(people=(person("Cid Cedar"),)).later(120))
    assert told.text == f"Good morning, Cid! Have you heard? {PARTY.statement}"


def test_quotes_what_was_heard_in_other_words() -> None:
    policy = load_policy("scripted")
    policy.reset({"Ann Ash": profile(facts=())}, 0, context())
    step(policy, Moment(heard=(speech(BOB, "There is a party!", ("party",), addressed=False),)))
    told = speak(policy, Moment(people=(person("Cid Cedar"),)).later(120))
    assert f"{BOB} says: “There is a party!”" in told.text


def test_never_greets_a_sleeper_nor_someone_far() -> None:
    far = Moment(people=(person(BOB, asleep=True), person("Cid Cedar", distance=7)))
    assert not isinstance(step(scripted(), far), Talk)


def test_mute_says_nothing_and_leaves_conversations() -> None:
    policy = scripted(mute=True)
    assert not isinstance(step(policy, Moment(people=(person(BOB),))), Talk)
    spoken = Moment(conversation=talk(BOB), heard=(speech(BOB, "Hello"),)).later(0)
    assert step(policy, spoken) == Talk(None, "", leave=True)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_share_is_the_probability_of_telling(share: float) -> None:
    told = 0
    for seed in range(60):
        action = speak(scripted(seed, share=share), Moment(people=(person(BOB),)))
        told += PARTY.statement in action.text
    assert abs(told - 60 * share) <= (15 if share else 0)


def test_bad_config_is_refused() -> None:
    with pytest.raises(ConfigError, match="share"):
        load_policy("scripted", share=2.0)


def test_state_round_trip_gives_the_same_further_actions() -> None:
    one, seen = scripted(), Moment(people=(person(BOB),))
    speak(one, seen)
    step(one, seen.later(conversation=talk(BOB)))
    two = scripted()
    two.load_state(json.loads(json.dumps(one.state())))
    assert two.state() == one.state()
    for k in range(2, 30):
        words = (speech(BOB, "Nice."),) if k == 3 else ()
        now = seen.later(10 * k, conversation=talk(BOB) if k < 6 else None, heard=words)
        assert step(one, now) == step(two, now)


def test_an_interview_tells_what_was_heard_and_by_which_event() -> None:
    policy = load_policy("scripted")
    policy.reset({"Ann Ash": profile(facts=())}, 0, context())
    question = ["Did you know there is going to be a party?"]
    assert policy.interview("Ann Ash", question)[0].text.startswith("No")
    words = speech(BOB, f"Hello, Ann! Have you heard? {PARTY.statement}", ("party",))
    step(policy, Moment(heard=(words,)))
    before = policy.state()
    told = policy.interview("Ann Ash", [*question, "Who is running for mayor?"])
    assert PARTY.statement in told[0].text
    assert told[0].evidence == (words.event_id,)
    assert told[1].text.startswith("No")
    assert policy.state() == before


def test_an_interview_tells_whom_one_knows_or_heard() -> None:
    policy = load_policy("scripted")
    ties = {"Cid Cedar": "the baker"}
    policy.reset({"Ann Ash": profile(facts=(), relationships=ties)}, 0, context())
    asked = [f"Do you know of {name}?" for name in (BOB, "Cid Cedar", "Dot Dale", "Ann Ash")]
    answers = policy.interview("Ann Ash", asked)
    assert [answer.text[:3] for answer in answers] == ["No,", "Yes", "No,", "No,"]
    assert answers[1].text == "Yes. I know Cid Cedar: the baker."
    assert answers[1].evidence == ()
    step(policy, Moment(heard=(speech(BOB, "Hello!"),)))
    told = policy.interview("Ann Ash", asked)[0]
    assert (told.text, told.evidence) == (f"Yes. I know {BOB}.", (7,))


def test_an_open_question_is_answered_by_all_news_and_everybody_met() -> None:
    policy = load_policy("scripted")
    policy.reset({"Ann Ash": profile(facts=())}, 0, context())
    asked = ["Any news?", "Whom did you meet?"]
    first = policy.interview("Ann Ash", asked)
    assert [answer.text for answer in first] == ["Nothing that was new to me.", "Nobody."]
    words = speech(BOB, f"Hello, Ann! Have you heard? {PARTY.statement}", ("party",))
    step(policy, Moment(heard=(words,)))
    told = policy.interview("Ann Ash", asked)
    assert [answer.text for answer in told] == [PARTY.statement, f"I met {BOB}."]
    assert {answer.evidence for answer in told} == {(words.event_id,)}
    (other,) = policy.interview("Ann Ash", ["Have you heard about the new mayor?"])
    assert other.text.startswith("No")
