"""The scripted baseline on the real party: does word travel, and only by mouth?"""

import pytest

from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.policy import Policy
from genagents_env.run.policies import load_policy
from genagents_env.world.events import Event
from tests.policies.percepts import Value

SEED = 4


def run_hours(hours: float, start: str, **config: Value) -> tuple[TownEnv, list[Event]]:
    """Live some hours; return the environment and all events."""
    env = town_v0.parallel_env("valentines_party", start=start, hours=hours, percepts=True)
    observations, infos = env.reset(seed=SEED)
    policy = begun(env, **config)
    events = list(env.events)
    while env.agents:
        observations, _, _, _, infos = env.step(policy.act(observations, infos))
        events += env.events
    return env, events


def begun(env: TownEnv, **config: Value) -> Policy:
    policy = load_policy("scripted", **config)
    policy.reset(env.profiles(), SEED, env.context())
    return policy


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
    _, events = run_hours(1, "12:00")
    known = {"party": {"Isabella Rodriguez"}, "candidacy": {"Sam Moore"}}
    learnt = [event for event in events if event.agent is not None and event.kind == "learn"]
    for event in learnt:
        assert event.data["source"] in known[event.data["fact"]]
        known[event.data["fact"]].add(str(event.agent))
    assert len(known["party"]) > 2


@pytest.mark.parametrize("config", [{"mute": True}, {"share": 0.0}])
def test_without_sharing_nothing_spreads(config: dict[str, Value]) -> None:
    _, events = run_hours(1, "12:00", **config)
    assert not learners(events, "party")
    talked = any(event.kind == "say" for event in events)
    assert talked is not config.get("mute", False)
