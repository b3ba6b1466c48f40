"""Shipped scenarios are valid, say what they say, and what happens in them is what pages say."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from genagents_env import town_v0
from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.run.policies import load_policy
from genagents_env.scenario import (
    Person,
    Scenario,
    first_memories,
    lay_out,
    list_scenario_names,
    load_scenario,
    validate_folder,
)
from genagents_env.scenario.checks import check
from genagents_env.scenario.patterns import finds_any
from genagents_env.scenario.schema import Fact, ValueCheck
from genagents_env.study.evaluate.checks import find_value
from genagents_env.study.evaluate.measures import load_measure
from genagents_env.study.evaluate.measures.doors import (
    find_attempts,
    find_noon_guests,
    find_waits,
)
from genagents_env.study.evaluate.run_data import RunData
from tests.scenario.test_layout import assert_is_a_town, assert_walls_are_whole

PARTY = load_scenario("valentines_party")


@pytest.mark.parametrize("name", list_scenario_names())
def test_every_shipped_scenario_is_valid_and_says_what_it_is(name: str) -> None:
    assert validate_folder(name) == []
    scenario = load_scenario(name)
    assert scenario.name == name
    plan = lay_out(scenario)
    assert_is_a_town(plan)
    assert_walls_are_whole(plan)
    shipped = Path(__file__).parents[2] / "scenarios"
    (folder,) = [path.parent for path in shipped.rglob("scenario.toml") if path.parent.name == name]
    assert folder.parent in (shipped, shipped / "stories")
    assert (folder / "README.md").read_text().startswith(f"# {name}\n")
    assert not list(folder.rglob("*.py"))
    assert load_scenario(folder) == scenario
    assert load_scenario(folder / "scenario.toml") == scenario
    for one in scenario.facts:
        assert states(one, one.statement), one.id
    for cast in scenario.casts:
        part = load_scenario(name, cast)
        assert len(part.people) == int(cast)
        assert check(part) == []
        assert Scenario.model_validate_json(part.model_dump_json()) == part


def test_fifty_of_the_three_hundred_pairs_know_each_other() -> None:
    names = {person.name for person in PARTY.people}
    assert len(names) == 25
    ties = {frozenset((p.name, tie.to)) for p in PARTY.people for tie in p.relationships}
    pairs = {frozenset(pair) for pair in combinations(sorted(names), 2)}
    assert len(pairs) == 300
    assert len(ties & pairs) == len(ties) == 50
    both_ways = sum(len(person.relationships) for person in PARTY.people)
    assert both_ways == 100


SAID = {
    "valentines_party": [
        (["party"], "Would you like to come to the Valentine's Day party at Hobbs Cafe tomorrow?"),
        (["party"], "Isabella is giving a party on February 14th, from five to seven."),
        (["candidacy"], "Have you heard? Sam Moore is running for mayor."),
        (["candidacy"], "I\u2019ve heard the new candidate is Sam."),
        ([], "I wonder who will run for mayor this year."),
        ([], "I like parties."),
    ],
    "mayoral_election": [
        (["candidacy"], "Sam Moore is running for mayor in the coming local election."),
        (
            ["speech"],
            "Sam Moore gives a public talk about his plans for the town in Johnson Park "
            "on February 14th from 4 pm to 5 pm.",
        ),
        (["speech"], "Will you come to my speech in the park tomorrow at four?"),
        (["candidacy", "speech"], "Sam Moore, the candidate, gives a speech in Johnson Park."),
    ],
    "murder_mystery": [
        (["testimony"], "I saw Francesco leave the hotel with a bloody knife."),
        (["argument"], "Francesco and Ahmed were arguing in the street yesterday."),
        (["time_of_death"], "He was killed around 8 PM."),
        (["last_seen"], "I saw Ahmed enter the hotel at 7:30 PM."),
        (["murder"], "I killed Ahmed, I confess."),
        (["one_night"], "Francesco and I slept together once."),
        (["who_called"], "I found Ahmed dead this morning."),
        ([], "Could Francesco have killed Ahmed?"),
        ([], "I never killed Ahmed."),
        ([], "Who called the police?"),
    ],
    "murder_mystery_hard": [
        (["testimony"], "I saw Francesco leaving the hotel in a hurry."),
        (["testimony"], "At the hotel I saw Francesco run away."),
        ([], "Francesco sometimes visits me at the hotel."),
    ],
}


@pytest.mark.parametrize("name", SAID)
def test_facts_are_recognised_in_what_is_said(name: str) -> None:
    facts = load_scenario(name).facts
    heard = [([one.id for one in facts if states(one, said)], said) for _, said in SAID[name]]
    assert heard == SAID[name]


def test_the_example_in_the_readme_is_a_valid_scenario(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "scenarios" / "README.md").read_text()
    (example,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "scenario.toml").write_text(example)
    assert validate_folder(tmp_path) == []
    assert_is_a_town(lay_out(load_scenario(tmp_path)))


SHORT = ["murder_mystery", "murder_mystery_hard", "activity_fair", "medicine"]
SAKURA = ["sakura_machi", *SHORT]
MURDER = load_scenario("murder_mystery")
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


@pytest.mark.parametrize("name", SAKURA)
def test_a_fact_stands_in_the_memories_of_those_who_know_it_and_nowhere_else(name: str) -> None:
    scenario = load_scenario(name)
    for one in scenario.facts:
        found = {p.name for p in scenario.people if any(states(one, text) for text in texts(p))}
        assert found == set(one.known_by), one.id
        assert not any(states(one, question.text) for question in scenario.questions), one.id
        others = [o.id for o in scenario.facts if o is not one and states(one, o.statement)]
        assert not (one.secret and others), one.id


@pytest.mark.parametrize(("name", "cast"), [("murder_mystery", "9"), ("murder_mystery_hard", "3")])
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


@pytest.mark.slow
def test_the_quiet_day_runs_and_word_of_the_lanterns_gets_round() -> None:
    events = run_scenario("sakura_machi")
    assert learners(events, "lanterns")
    assert ("Haruto Tanaka", "shrine") in {
        (e.agent, e.data["place"]) for e in events if e.kind == "arrive"
    }


PAGE = Path(__file__).parents[2] / "scenarios" / "house_rules" / "README.md"
BATH, SHOP = "Students' house/bathroom", "Corner shop/sales room"
KEYS = {
    "refused_full": [BATH],
    "refused_closed": [SHOP],
    "before_door": [BATH, SHOP],
    "after_hours": [SHOP],
    "overcrowded": [BATH],
    "bar_at_noon": ["came", "drank"],
}


def live(path: Path, policy: str) -> RunData:
    spec = RunSpec(TownConfig("house_rules"), policy=PolicySpec(policy))
    assert run(spec, path / "run.sqlite", RunOptions(interviews=False)).status == "finished"
    return RunData(RunReader(path / "run.sqlite"))


def measure_all(data: RunData) -> dict[str, list[float | None]]:
    taken = {name: load_measure(name).take(data) for name in KEYS}
    return {name: [taken[name][f"{name}.{key}"] for key in keys] for name, keys in KEYS.items()}


def test_everyday_routines_bring_all_three_about(tmp_path: Path) -> None:
    data = live(tmp_path, "scripted")
    with data.reader:
        measured = measure_all(data)
        tried = {(one.agent, one.place) for one in find_attempts(data)}
        waited = {(one.agent, one.place) for one, _ in find_waits(data)}
        guests = find_noon_guests(data)
    shown = dict(re.findall(r"^\| `(\w+)` \|.*\| ([\d., ]+) \|$", PAGE.read_text(), re.MULTILINE))
    assert {name: [float(n) for n in cells.split(", ")] for name, cells in shown.items()} == {
        name: [pytest.approx(value, abs=0.05) for value in values]
        for name, values in measured.items()
    }
    kilian, lotte, jette = "Kilian Voss", "Lotte Haas", "Jette Brandt"
    assert tried == {(kilian, BATH), (lotte, BATH), (kilian, SHOP), (lotte, SHOP)}
    assert waited == {(kilian, BATH), (lotte, BATH), (kilian, SHOP)}
    assert guests == (frozenset({jette, lotte}), frozenset({jette, lotte}))
