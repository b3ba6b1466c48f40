"""`genagents list`: scenarios, policies, tasks, measures and keys."""

from pathlib import Path

import pytest

from genagents_env import __version__
from genagents_env.scenario import load_scenario, validate_folder
from genagents_env.scenario.key_reference import format_key_reference
from genagents_env.study.evaluate.measures import DEFAULT, format_measure_table, list_measures
from genagents_env.train.tasks import TASKS
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("measures verified.party", "verified.party  Verified diffusion (share)\n"),
        ("measures verified.party", "source: Park et al. 2023, section 7.1"),
        ("measures own.py:quiet", "quiet  How quiet it is (a number)\n"),
        ("measures --markdown", format_measure_table()),
        ("measures --json", '"default": true'),
        ("measures density --json", '"definition": "'),
        ("keys rules", "[rules]: Rules of the world"),
        ("keys rules", "  vision_radius  whole number; 1 to 64; default 8\n      How far people"),
        ("keys rules", "Tables within (genagents list keys TABLE): rules.conversation\n"),
        ("keys", "people.routine, "),
        ("keys --markdown", format_key_reference()),
        ("tasks", "errand  Put a thing in another room"),
        *(("tasks", f"{one.people} agents, {one.horizon} ticks") for one in TASKS.values()),
        *(("tasks", f"{name}  ") for name in TASKS),
        ("tasks errand", "seeds held out: 1000000 to 1009999, in 128 towns"),
        ("tasks errand", 'town_v0.rl_env("errand")'),
        ("tasks meet", "solution 0.86"),
        ("scenarios", "\nmayoral_election"),
        ("policies", "\nscripted"),
    ],
)
def test_what_there_is_is_listed_and_described(genagents: Run, asked: str, said: str) -> None:
    Path("own.py").write_text("def quiet(record):\n    'How quiet it is.'\n    return 1\n")
    code, out, _ = genagents("list", *asked.split())
    assert (code, said in out) == (0, True)


def test_measures_are_listed_with_those_of_a_report_marked(genagents: Run) -> None:
    rows = [line.split() for line in genagents("list", "measures")[1].splitlines()]
    assert [row[0] for row in rows] == [one.name for one in list_measures()]
    assert {row[0] for row in rows if row[1] == "*"} == set(DEFAULT)
    assert genagents("--version") == (0, f"genagents-env {__version__}\n", "")


def test_an_episode_is_described_with_the_places_people_and_goals_of_its_seed(
    genagents: Run,
) -> None:
    """Seeds of one town deal its goals among its people in different ways."""
    told = {}
    for seed in (5, 1_000_000, *(128 * k + 5 for k in range(1, 8))):
        told[seed] = genagents("list", "tasks", "errand", "--seed", str(seed))[1]
    drawn = TASKS["errand"].draw(1_000_000)
    assert all(word in told[1_000_000] for word in (drawn.town, *(p.name for p in drawn.people)))
    assert told[5].count("put ") == TASKS["errand"].people
    assert len(set(told.values())) > 2


def test_a_drawn_town_is_written_as_a_folder_that_other_commands_take(genagents: Run) -> None:
    code, out, _ = genagents("list", "tasks", "errand", "--seed", "3", "--out", "errand_3")
    assert (code, "errand_3: errand, seed 3" in out) == (0, True)
    assert validate_folder("errand_3") == []
    drawn = TASKS["errand"].draw(3).model_copy(update={"name": "errand_3"})
    assert load_scenario("errand_3") == drawn
    text = Path("errand_3/scenario.toml").read_text()
    assert text.startswith("# Drawn by: genagents list tasks errand --seed 3\n")
    for command in ("run errand_3 --policy scripted -q", "map draw errand_3 --out errand_3.png"):
        assert genagents(*command.split())[0] == 0, command
