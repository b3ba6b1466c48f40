"""Scenarios that say nothing wrong and yet cannot be lived in are refused before anybody tries."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from genagents_env import town_v0
from genagents_env.cli.app import app
from genagents_env.errors import ConfigError, ScenarioError
from genagents_env.scenario import load_scenario, validate_folder
from tests.campaigns import scenario_folders

TOWN = """
name = "large"
title = "Large"
town = "Large"
start = 2023-02-13T08:00:00
hours = 1
"""
HOUSE = '[[sectors]]\nname = "House {}"\narenas = [{{ name = "room", size = [4, 4] }}]\n'
PERSON = '[[people]]\nname = "Person {0}"\npersona = "Person {0} lives"\nhome = "House {1}"\n'
FACT = "[[facts]]\nid = \"f{0}\"\nstatement = \"It is {0}.\"\npatterns = ['x{0}', 'y{0}']\n"


def write_town(folder: Path, people: int, houses: int, more: str = "", top: str = TOWN) -> Path:
    homes = "".join(HOUSE.format(i) for i in range(houses))
    (folder / "scenario.toml").write_text(top + homes + more, encoding="utf-8")
    (folder / "people").mkdir()
    for first in range(0, people, 1000):
        crowd = (PERSON.format(i, i % houses) for i in range(first, min(people, first + 1000)))
        (folder / "people" / f"from_{first}.toml").write_text("".join(crowd), encoding="utf-8")
    return folder


MET = '[[questions]]\nid = "met"\ntext = "Do you know {person}?"\nabout = "everyone"\n'
FACTS = "".join(FACT.format(i) for i in range(5000))
START = "2023-02-13T08:00:00"


@pytest.mark.parametrize(
    ("people", "houses", "more", "start", "said"),
    [
        (9000, 1, "", START, "people: at most 4000 entries are allowed"),
        (1400, 1, "", START, 'people: 1400 of 1400 people at once in "House 0" would need about'),
        (3000, 1500, "", START, "people: 3000 people and 1501 rooms and objects would take about"),
        (300, 50, MET, START, "questions: 300 people would give 89700 answers; at most"),
        (2, 1, FACTS, START, "facts: at most 100 entries are allowed"),
        (2, 1, "", "9999-12-31T23:59:59", "start: the year is 9999; from 1000 to 9000"),
        (2, 1, "", "0001-01-01T00:00:00", "start: the year is 1; from 1000 to 9000"),
    ],
    ids=["people", "a crowd", "rooms", "answers", "patterns", "late", "early"],
)
def test_what_is_too_much_is_refused_with_its_cost(
    people: int, houses: int, more: str, start: str, said: str, tmp_path: Path
) -> None:
    town = TOWN.replace(START, start)
    (fault,) = validate_folder(write_town(tmp_path, people, houses, more, town))
    assert fault.startswith(f"scenario.toml:{said}")


def test_many_people_are_no_crowd_but_in_one_place_by_an_option(tmp_path: Path) -> None:
    folder = write_town(tmp_path, 1000, 125)
    assert validate_folder(folder) == []
    with pytest.raises(ScenarioError, match=r'^place: 1000 of 1000 people at once in "House 0"'):
        load_scenario(folder, place="House 0")


def test_validate_says_how_long_a_large_town_takes(tmp_path: Path) -> None:
    top = TOWN.replace("hours = 1\n", "hours = 1000\n")
    folder = write_town(tmp_path, 500, 100, top=top)
    said = CliRunner().invoke(app, ["validate", str(folder)])
    assert said.exit_code == 0
    assert "valid; about 0.1 s a tick" in said.output
    assert "hours for its 1000 hours" in " ".join(said.output.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start": "10:00"}, "start: 2023-02-13 10:00:00 is not before the end, 2023-02-13 09:10"),
        ({"start": "9999-12-31T23:59:59", "hours": 1}, "tiny: start: the year is 9999; from 1000"),
        ({"start": 5}, "start: 5 is not allowed; text is"),
        ({"start": datetime(2023, 2, 13, 9, tzinfo=UTC)}, "start: it has a time zone"),
        ({"hours": 0}, "tiny: hours: 0.0 is not allowed; more than 0 is"),
        ({"hours": float("nan")}, "tiny: hours: nan is not a finite number"),
        ({"hours": 1e308}, "tiny: hours: 1e+308 is not allowed; at most 8784 is"),
        ({"hours": 10**400}, "hours: it has 401 digits; at most 18 are allowed"),
        ({"hours": "3"}, "hours: '3' is not allowed; a number is"),
        ({"seconds_per_tick": 4000}, "tiny: seconds_per_tick: 4000 is not allowed; at most 3"),
        ({"seconds_per_tick": 1.5}, "seconds_per_tick: 1.5 is not allowed; a whole number is"),
        ({"vision_radius": 65}, "tiny: rules.vision_radius: 65 is not allowed; at most 64 is"),
        ({"max_cycles": "1"}, "max_cycles: '1' is not allowed; a whole number is"),
        ({"people": [5]}, "people: 5 is not allowed; text is"),
        ({"place": 5}, "place: 5 is not allowed; text is"),
        ({"percepts": "yes"}, "percepts: "),
        ({"actions": "voice"}, "actions: "),
        ({"ids": "numbers"}, "ids: "),
        ({"render_mode": "hologram"}, "render_mode: "),
        ({"reward": "fame"}, "reward: "),
        ({"start": "late"}, "start: "),
        ({"vision_radius": 0}, "vision_radius: "),
        ({"max_cycles": 0}, "max_cycles: "),
        ({"scenario": None}, "scenario: None is not allowed; a name or folder is"),
    ],
)
def test_every_argument_of_an_environment_is_refused_in_a_sentence(
    options: Mapping[str, object], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        town_v0.parallel_env(**options)  # type: ignore[arg-type]  # what a user may give
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_generated_folders_are_lived_in_or_refused_with_file_and_key() -> None:
    scenario_folders.main(folders=12)
