"""What scripted people keep to themselves, and what they say they remember."""

import json

from genagents_env.actions import Talk
from genagents_env.policy import Policy, RecalledMemory
from genagents_env.run.policies import load_policy
from genagents_env.scenario.schema import Fact
from tests.policies.percepts import PARTY, Moment, body, context, infos, person, profile, speech

THEFT = Fact(id="theft", statement="Ann took the silver.", patterns=("silver",), secret=True)
FALL = Fact(id="fall", statement="Bob fell into the pond.", patterns=("pond",), secret=True)
BOB = person("Bob Birch")


def ann(*facts: Fact) -> Policy:
    policy = load_policy("scripted")
    policy.reset({"Ann Ash": profile(facts=facts)}, 0, context())
    return policy


def speak(policy: Policy, moment: Moment) -> str:
    for k in range(40):
        action = policy.act({"Ann Ash": {}}, infos(moment.later(10 * k)))["Ann Ash"]
        if isinstance(action, Talk):
            return action.text
    raise AssertionError("nothing was said")


def test_a_secret_known_from_the_start_is_not_passed_on() -> None:
    there = Moment(me=body("Cafe"), people=(BOB,))
    assert "silver" not in speak(ann(THEFT), there)
    told = speak(ann(THEFT, PARTY), there)
    assert "silver" not in told
    assert PARTY.statement in told


def test_who_hears_of_a_secret_passes_it_on() -> None:
    policy = ann(PARTY)
    heard = speech("Dee Dogwood", "Have you heard? Bob fell into the pond.", ("fall",))
    policy.act({"Ann Ash": {}}, infos(Moment(heard=(heard,))))
    policy.states["Ann Ash"].facts.pop("party")  # type: ignore[attr-defined]
    later = Moment(me=body("Cafe"), people=(BOB,)).later(600)
    assert FALL.statement in speak(policy, later)


def test_hearing_a_secret_of_its_own_from_another_does_not_make_the_agent_tell_it() -> None:
    policy = ann(THEFT)
    heard = speech("Dee Dogwood", "Ann took the silver!", ("theft",))
    policy.act({"Ann Ash": {}}, infos(Moment(heard=(heard,))))
    assert "silver" not in speak(policy, Moment(me=body("Cafe"), people=(BOB,)).later(600))


def test_secrets_are_part_of_the_state_and_older_states_are_read() -> None:
    policy, other = ann(THEFT, PARTY), ann()
    kept = json.loads(json.dumps(policy.state()))
    assert kept["Ann Ash"]["secrets"] == ["theft"]
    other.load_state(kept)
    assert other.state() == policy.state()
    del kept["Ann Ash"]["secrets"]
    other.load_state(kept)
    assert other.state()["Ann Ash"]["secrets"] == []


def test_memories_are_what_one_knows_and_what_one_heard_with_its_event() -> None:
    policy = ann(PARTY)
    assert policy.memories("Ann Ash") == [RecalledMemory(PARTY.statement)]
    heard = speech("Dee Dogwood", "Have you heard? Bob fell into the pond.", ("fall",))
    policy.act({"Ann Ash": {}}, infos(Moment(heard=(heard,))))
    before = policy.state()
    assert policy.memories("Ann Ash")[1] == RecalledMemory(FALL.statement, (heard.event_id,))
    assert policy.state() == before


def test_every_repeat_of_an_interview_answers_alike() -> None:
    policy = ann(PARTY)
    asked = ["Is there a party on Tuesday?"]
    assert policy.interview("Ann Ash", asked, 2) == policy.interview("Ann Ash", asked)
