"""The town of SakuraMachi and what takes place there: who knows what, and who comes to know."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from genagents_env import town_v0
from genagents_env.run.policies import load_policy
from genagents_env.scenario import (
    Person,
    Scenario,
    first_memories,
    list_scenario_names,
    load_scenario,
)
from genagents_env.scenario.checks import check
from genagents_env.scenario.patterns import finds_any
from genagents_env.scenario.schema import Fact, ValueCheck
from genagents_env.study.evaluate.checks import find_value

SHORT = ["murder_mystery", "murder_mystery_hard", "activity_fair", "medicine"]
TOWN = ["sakura_machi", *SHORT]
CASTS = [(name, cast) for name in SHORT for cast in load_scenario(name).casts]
MURDER = load_scenario("murder_mystery")
FAIR = load_scenario("activity_fair")
FRANCESCO = "Francesco Bianchi"


def texts(person: Person) -> Iterator[str]:
    yield from first_memories(person)
    yield from person.recent_memories
    yield from (person.goal, *person.traits)
    yield from (tie.about for tie in person.relationships)
    yield from (entry.doing for entry in person.routine)


def states(fact: Fact, text: str) -> bool:
    return finds_any(fact.patterns, text)


def fact(scenario: Scenario, id_: str) -> Fact:
    return next(one for one in scenario.facts if one.id == id_)


@cache
def run_scenario(name: str, cast: str | None = None, seed: int = 0) -> tuple[Any, ...]:
    """Live a scenario with the policy `scripted`; return its events."""
    env = town_v0.parallel_env(load_scenario(name, cast), percepts=True)
    observations, infos = env.reset(seed=seed)
    policy = load_policy("scripted")
    policy.reset(env.profiles(), seed, env.context())
    events = list(env.events)
    while env.agents:
        observations, _, _, _, infos = env.step(policy.act(observations, infos))
        events += env.events
    return tuple(events)


def learners(events: tuple[Any, ...], fact: str) -> set[str]:
    return {e.agent for e in events if e.kind == "learn" and e.data["fact"] == fact}


@pytest.mark.parametrize(("name", "cast"), CASTS)
def test_every_cast_is_a_scenario_without_faults(name: str, cast: str) -> None:
    scenario = load_scenario(name, cast)
    assert len(scenario.people) == int(cast)
    assert check(scenario) == []
    assert Scenario.model_validate_json(scenario.model_dump_json()) == scenario


@pytest.mark.parametrize("name", list_scenario_names())
def test_every_fact_recognises_its_own_statement(name: str) -> None:
    for one in load_scenario(name).facts:
        assert states(one, one.statement), one.id


@pytest.mark.parametrize("name", TOWN)
def test_a_fact_stands_in_the_memories_of_those_who_know_it_and_nowhere_else(name: str) -> None:
    scenario = load_scenario(name)
    for one in scenario.facts:
        found = {p.name for p in scenario.people if any(states(one, text) for text in texts(p))}
        assert found == set(one.known_by), one.id
        assert not any(states(one, question.text) for question in scenario.questions), one.id


@pytest.mark.parametrize("name", TOWN)
def test_no_statement_tells_of_a_secret_beside_its_own(name: str) -> None:
    facts = load_scenario(name).facts
    secrets = [one for one in facts if one.secret]
    assert not [
        (s.id, o.id) for s in secrets for o in facts if o is not s and states(s, o.statement)
    ]


@pytest.mark.parametrize("name", ["murder_mystery", "murder_mystery_hard"])
@pytest.mark.parametrize("cast", ["3", "9"])
def test_all_meet_the_testimony_spreads_and_secrets_do_not(name: str, cast: str) -> None:
    events = run_scenario(name, cast)
    said = [event for event in events if event.kind == "say"]
    assert len({agent for event in said for agent in event.data["heard_by"]}) == int(cast)
    assert len({event.agent for event in said}) == int(cast)
    scenario = load_scenario(name, cast)
    assert len(learners(events, "testimony")) >= min(4, int(cast) - 1)
    assert "Lizhi Chen" in learners(events, "testimony")
    for one in scenario.facts:
        if one.secret:
            assert not learners(events, one.id), one.id


def test_the_chain_of_the_medicine_can_be_closed_by_talking() -> None:
    events = run_scenario("medicine")
    assert learners(events, "pain") == {"Ravi Patel", "Aaliyah Williams"}
    assert "Aaliyah Williams" in learners(events, "remedy")
    assert "Ravi Patel" in learners(events, "plant")


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("Francesco Bianchi, because Dmitri saw him.", FRANCESCO),
        ("Dmitri saw it all, so the biggest suspect is Francesco.", FRANCESCO),
        ("From what Ravi says I believe the murderer must be Richard Smith.", "Richard Smith"),
        ("I suspect Dmitri. Francesco is a kind man.", "Dmitri Ivanov"),
        ("I do not know.", None),
    ],
)
def test_suspect_check_finds_the_named_person(answer: str, named: str | None) -> None:
    (suspect,) = MURDER.checks
    assert isinstance(suspect, ValueCheck)
    assert find_value(suspect, answer) == named


@pytest.mark.parametrize(
    ("answer", "clubs"),
    [
        ("I want to join the anime club.", ["anime club"]),
        ("Soccer, of course!", ["soccer club"]),
        ("Either the anime or the soccer club.", ["anime club", "soccer club"]),
        ("The club that Yi is in.", []),
        ("Whichever club Arjun joins, even if it is anime.", []),
        ("A music club.", []),
    ],
)
def test_club_check_finds_the_named_club(answer: str, clubs: list[str]) -> None:
    (club,) = FAIR.checks
    assert isinstance(club, ValueCheck)
    assert club.several == "otherwise"
    value = find_value(club, answer)
    assert value == (club.otherwise if len(clubs) > 1 else clubs[0] if clubs else None)


@pytest.mark.slow
def test_the_quiet_day_runs_and_word_of_the_lanterns_gets_round() -> None:
    events = run_scenario("sakura_machi")
    assert learners(events, "lanterns")
    assert ("Haruto Tanaka", "shrine") in {
        (e.agent, e.data["place"]) for e in events if e.kind == "arrive"
    }
