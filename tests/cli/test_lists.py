"""`genagents list`: scenarios, tasks, measures and keys."""

from pathlib import Path

import pytest

from genagents_env import __version__
from genagents_env.scenario import load_scenario, validate_folder
from genagents_env.scenario.key_reference import format_key_reference
from genagents_env.study.evaluate.measures import DEFAULT, format_measure_table, list_measures
from genagents_env.train.tasks import TASKS
from tests.cli.conftest import Run


def test_measures_are_listed(genagents: Run) -> None:
    code, out, _ = genagents("list", "measures")
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert [row[0] for row in rows] == [one.name for one in list_measures()]
    assert {row[0] for row in rows if row[1] == "*"} == set(DEFAULT)


def test_a_measure_is_described(genagents: Run) -> None:
    code, out, _ = genagents("list", "measures", "verified.party")
    assert code == 0
    assert out.startswith("verified.party  Verified diffusion (share)\n")
    assert "source: Park et al. 2023, section 7.1" in out


def test_a_users_own_measure_is_listed(genagents: Run) -> None:
    Path("own.py").write_text("def quiet(record):\n    'How quiet it is.'\n    return 1\n")
    code, out, _ = genagents("list", "measures", "own.py:quiet")
    assert code == 0
    assert out.startswith("quiet  How quiet it is (a number)\n")


def test_an_unknown_measure_is_refused(genagents: Run) -> None:
    code, _, err = genagents("list", "measures", "densty")
    assert code == 2
    assert "did you mean 'density'?" in err


def test_the_table_is_printed(genagents: Run) -> None:
    code, out, _ = genagents("list", "measures", "--markdown")
    assert code == 0
    assert out == format_measure_table()


def test_the_version_is_printed_without_a_command(genagents: Run) -> None:
    assert genagents("--version") == (0, f"genagents-env {__version__}\n", "")


def test_the_keys_of_a_table_are_listed(genagents: Run) -> None:
    code, out, _ = genagents("list", "keys", "rules")
    assert code == 0
    assert out.startswith("[rules]: Rules of the world")
    assert "  vision_radius  whole number; 1 to 64; default 8\n      How far people see" in out
    assert out.endswith("Tables within (genagents list keys TABLE): rules.conversation\n")
    assert "people.routine, " in genagents("list", "keys")[1]
    assert genagents("list", "keys", "--markdown")[1] == format_key_reference()
    code, _, err = genagents("list", "keys", "rulse")
    assert code == 2
    assert 'did you mean "rules"?' in err


def test_all_tasks_are_listed_with_people_ticks_and_what_they_are_about(genagents: Run) -> None:
    code, out, _ = genagents("list", "tasks")
    assert code == 0
    for task in TASKS.values():
        assert f"{task.name}  " in out
        assert f"{task.people} agents, {task.horizon} ticks" in out
    assert "errand  Put a thing in another room" in out


def test_a_task_is_described_with_seeds_and_how_to_train(genagents: Run) -> None:
    code, out, _ = genagents("list", "tasks", "errand")
    assert code == 0
    assert "seeds held out: 1000000 to 1009999, in 128 towns" in out
    assert 'town_v0.rl_env("errand")' in out
    assert "optimum: is known" in out


@pytest.mark.parametrize("seed", ["0", "1000000"])
def test_an_episode_is_described_with_places_and_goals(genagents: Run, seed: str) -> None:
    code, out, _ = genagents("list", "tasks", "errand", "--seed", seed)
    assert code == 0
    task = TASKS["errand"]
    drawn = task.draw(int(seed))
    assert drawn.town in out
    for person in drawn.people:
        assert person.name in out
    assert out.count("put ") == task.people


def test_the_goals_shown_are_those_of_the_seed(genagents: Run) -> None:
    """Seeds of one town deal its goals among its people in different ways."""
    told = {genagents("list", "tasks", "errand", "--seed", str(128 * k + 5))[1] for k in range(8)}
    assert len(told) > 1


def test_a_drawn_town_is_written_as_a_folder_that_other_commands_take(genagents: Run) -> None:
    code, out, _ = genagents("list", "tasks", "errand", "--seed", "3", "--out", "errand_3")
    assert code == 0
    assert "errand_3: errand, seed 3" in out
    assert validate_folder("errand_3") == []
    written = load_scenario("errand_3")
    assert written == TASKS["errand"].draw(3).model_copy(update={"name": "errand_3"})
    text = Path("errand_3/scenario.toml").read_text()
    assert text.startswith("# Drawn by: genagents list tasks errand --seed 3\n")
    for command in (
        ["validate", "errand_3"],
        ["run", "errand_3", "--policy", "scripted", "--out", "errand_3.sqlite", "-q"],
        ["map", "draw", "errand_3", "--out", "errand_3.png"],
    ):
        assert genagents(*command)[0] == 0, command


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["errant"], "task: no 'errant'; did you mean errand? (`genagents list tasks` lists them)"),
        (["--seed", "3"], "of which task? errand"),
        (["errand", "--seed", "3", "--out", "tiny"], "comes with the package"),
    ],
)
def test_a_wrong_request_for_a_task_is_refused_in_a_line(
    genagents: Run, asked: list[str], said: str
) -> None:
    code, _, told = genagents("list", "tasks", *asked)
    assert code == 2
    assert said in told


def test_nothing_is_replaced(genagents: Run) -> None:
    Path("mine").mkdir()
    code, _, told = genagents("list", "tasks", "errand", "--seed", "3", "--out", "mine")
    assert code == 2
    assert "nothing is replaced" in told
    assert list(Path("mine").iterdir()) == []


def test_a_run_has_no_solution(genagents: Run) -> None:
    for command in (
        ("run", "tiny", "--policy", "solution"),
        ("run", "tiny", "--policy", "Ada=solution"),
        ("compare", "tiny", "--policies", "solution,idle"),
    ):
        code, _, err = genagents(*command)
        assert code == 2
        assert "policy 'solution' plays the episodes of a task alone" in " ".join(err.split())


def test_the_solution_of_a_task_is_named_so(genagents: Run) -> None:
    assert "solution 0.86" in genagents("list", "tasks", "meet")[1]
    assert "scripted" not in genagents("list", "tasks")[1]
