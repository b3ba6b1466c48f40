import re
from itertools import combinations
from pathlib import Path

import pytest

from genagents_env.scenario import (
    lay_out,
    list_scenario_names,
    load_scenario,
    validate_folder,
)
from genagents_env.scenario.patterns import finds_any
from tests.scenario.test_layout import assert_is_a_town, assert_walls_are_whole

PARTY = load_scenario("valentines_party")
TOWN = lay_out(PARTY)


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


def test_fifty_of_the_three_hundred_pairs_know_each_other() -> None:
    names = {person.name for person in PARTY.people}
    assert len(names) == 25
    ties = {frozenset((p.name, tie.to)) for p in PARTY.people for tie in p.relationships}
    pairs = {frozenset(pair) for pair in combinations(sorted(names), 2)}
    assert len(pairs) == 300
    assert len(ties & pairs) == len(ties) == 50
    both_ways = sum(len(person.relationships) for person in PARTY.people)
    assert both_ways == 100


def test_the_party_and_the_candidacy_are_each_known_to_one() -> None:
    party, candidacy = PARTY.facts
    assert party.known_by == ("Isabella Rodriguez",)
    assert candidacy.known_by == ("Sam Moore",)
    (gathering,) = PARTY.gatherings
    assert (gathering.start.isoformat(), gathering.end.isoformat()) == (
        "2023-02-14T17:00:00",
        "2023-02-14T19:00:00",
    )
    cafe = next(sector for sector in TOWN.sectors if sector.name == gathering.place)
    assert all(any(h.contains(m) for h in cafe.hours) for m in range(17 * 60, 19 * 60))


SAID = {
    "valentines_party": [
        (["party"], "Would you like to come to the Valentine's Day party at Hobbs Cafe tomorrow?"),
        (["party"], "Isabella is giving a party on February 14th, from five to seven."),
        (["candidacy"], "Have you heard? Sam Moore is running for mayor."),
        (["candidacy"], "I\u2019ve heard the new candidate is Sam."),
        ([], "Valentine's Day is tomorrow. What will you do?"),
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
        ([], "Let us talk in the park."),
    ],
    "murder_mystery": [
        (["testimony"], "I saw Francesco leave the hotel with a bloody knife."),
        (["argument"], "Francesco and Ahmed were arguing in the street yesterday."),
        (["cheating"], "Ahmed was cheating on her with Yi."),
        (["time_of_death"], "He was killed around 8 PM."),
        (["caller"], "It was a woman who called me."),
        (["reception"], "There was no one at the hotel reception."),
        (["last_seen"], "I saw Ahmed enter the hotel at 7:30 PM."),
        (["murder"], "I killed Ahmed, I confess."),
        (["one_night"], "Francesco and I slept together once."),
        (["who_called"], "I found Ahmed dead this morning."),
        ([], "Could Francesco have killed Ahmed?"),
        ([], "I never killed Ahmed."),
        ([], "The knife is missing. Francesco has a restaurant."),
        ([], "Who called the police?"),
    ],
    "murder_mystery_hard": [
        (["testimony"], "I saw Francesco leaving the hotel in a hurry."),
        (["testimony"], "At the hotel I saw Francesco run away."),
        ([], "Francesco sometimes visits me at the hotel."),
    ],
}


@pytest.mark.parametrize(
    ("name", "facts", "said"),
    [(name, facts, said) for name, rows in SAID.items() for facts, said in rows],
)
def test_facts_are_recognised_in_what_is_said(name: str, facts: list[str], said: str) -> None:
    heard = [f.id for f in load_scenario(name).facts if finds_any(f.patterns, said)]
    assert heard == facts


def test_the_example_in_the_readme_is_a_valid_scenario(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "scenarios" / "README.md").read_text()
    (example,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "scenario.toml").write_text(example)
    assert validate_folder(tmp_path) == []
    assert_is_a_town(lay_out(load_scenario(tmp_path)))
