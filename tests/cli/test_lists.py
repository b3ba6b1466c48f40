from pathlib import Path

from genagents_env import __version__
from genagents_env.evaluate.measure_catalog import format_measure_table
from genagents_env.evaluate.measures import DEFAULT, list_measure_names
from genagents_env.scenario.key_reference import format_key_reference
from tests.cli.conftest import Run


def test_measures_are_listed(genagents: Run) -> None:
    code, out, _ = genagents("list", "measures")
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert [row[0] for row in rows] == list_measure_names()
    assert {row[0] for row in rows if row[1] == "*"} == set(DEFAULT)


def test_a_measure_is_told(genagents: Run) -> None:
    code, out, _ = genagents("list", "measures", "verified.party")
    assert code == 0
    assert out.startswith("verified.party  Verified diffusion (share; more is better)\n")
    assert "source: Park et al. 2023, section 7.1" in out


def test_a_users_own_measure_is_listed(genagents: Run) -> None:
    Path("own.py").write_text("def quiet(record):\n    'How quiet it is.'\n    return 1\n")
    code, out, _ = genagents("list", "measures", "own.py:quiet")
    assert code == 0
    assert out.startswith("quiet  How quiet it is (a number)\n")


def test_an_unknown_measure_is_told(genagents: Run) -> None:
    code, _, err = genagents("list", "measures", "densty")
    assert code == 2
    assert "did you mean 'density'?" in err


def test_the_table_is_printed(genagents: Run) -> None:
    code, out, _ = genagents("list", "measures", "--markdown")
    assert code == 0
    assert out == format_measure_table()


def test_the_version_is_told_without_a_command(genagents: Run) -> None:
    assert genagents("--version") == (0, f"genagents-env {__version__}\n", "")


def test_the_keys_of_a_table_are_told(genagents: Run) -> None:
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
