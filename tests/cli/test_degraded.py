"""Whoever looks at a degraded run reads that it is one."""

from pathlib import Path

import pytest

from genagents_env.report import measure_runs
from tests.cli.conftest import Run
from tests.run.test_degraded import FIXED, TIRED

RUN = ("run", "tiny", "--hours", "0.04", "--policy", "mine.py:Tired")
WORDS = "policy tired failed in 20 of 28 decisions"


@pytest.fixture
def tired(genagents: Run) -> Run:
    """Return the command line beside a policy that raises from tick 5 on."""
    Path("mine.py").write_text(TIRED)
    return genagents


def test_a_run_whose_policy_fails_has_an_exit_code_of_its_own_and_says_who_idled(
    tired: Run,
) -> None:
    code, out, err = tired(*RUN)
    assert code == 4
    assert f"DEGRADED: {WORDS} (Ada Brook, Ben Carver idled)" in out
    assert f"genagents: DEGRADED: {WORDS}" in err
    during = "DEGRADED: policy tired failed for Ada Brook at tick 5: ValueError: out of ideas; who"
    assert err.count(during) == 1
    assert ", 2 policy errors" in err
    code, out, err = tired("show", "run.sqlite")
    assert code == 0
    assert f"DEGRADED: {WORDS}" in err
    code, out, err = tired("report", "run.sqlite")
    assert f"DEGRADED: {WORDS}" in out
    assert "4 finished, but degraded" in " ".join(tired("--help")[1].replace("│", " ").split())


def test_strict_stops_at_the_first_error_and_says_how_to_go_on(tired: Run) -> None:
    code, out, err = tired(*RUN, "--strict", "-q")
    assert code == 4
    assert "failed for Ada Brook at tick 5: ValueError: out of ideas; --strict stopped" in err
    assert "(4 ticks): failed" in out
    Path("mine.py").write_text(FIXED)
    code, _, err = tired("resume", "run.sqlite", "-q", "--strict", "--policy", "mine.py:Tired")
    assert (code, err) == (0, "")


def test_runs_of_a_condition_are_averaged_without_the_degraded_one(tired: Run) -> None:
    own = ("run", "tiny", "--hours", "0.04", "-q", "--no-interviews", "--policy-config", "until=4")
    Path("mine.py").write_text(UNTIL)
    assert tired(*own, "--policy", "mine.py:Tired", "--out", "a.sqlite", "--seed", "1")[0] == 4
    assert tired(*own, "--policy", "mine.py:Tired", "--out", "b.sqlite", "--seed", "2")[0] == 0
    files = [Path("a.sqlite"), Path("b.sqlite")]
    (group,) = measure_runs(files).groups
    assert [one.path.name for one in group.counted] == ["b.sqlite"]
    assert [one.path.name for one in group.excluded] == ["a.sqlite"]
    (group,) = measure_runs(files, degraded="include").groups
    assert (len(group.counted), group.excluded) == (2, ())
    code, _, err = tired("report", "a.sqlite", "--degraded", "maybe")
    assert (code, "--degraded" in err) == (2, True)


UNTIL = """
from genagents_env.actions import Idle
from genagents_env.policy import Policy


class Tired(Policy):
    name = "tired"

    def __init__(self, until=4):
        self.until = until

    def reset(self, profiles, seed, context):
        self.ticks, self.seed = 0, seed

    def act(self, observations, infos):
        self.ticks += 1
        if self.seed == 1 and self.ticks > self.until:
            raise ValueError("out of ideas")
        return {agent: Idle() for agent in observations}
"""
