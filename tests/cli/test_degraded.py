"""Degraded runs and sweeps are reported as such, and left out of means."""

import json
from pathlib import Path

import pytest

from genagents_env.study.report import measure_runs, measure_study
from genagents_env.study.report.study_tables import make_study_sections
from genagents_env.study.report.writing import format_study
from genagents_env.study.sweep import SweepFolder
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
    during = "DEGRADED: policy tired failed for Ada Brook at tick 5: ValueError: out of ideas; who"
    for told in (f"genagents: DEGRADED: {WORDS}", during, ", 2 policy errors"):
        assert told in err
    assert err.count(during) == 1
    assert f"DEGRADED: {WORDS}" in tired("show", "run.sqlite")[2]
    assert f"DEGRADED: {WORDS}" in tired("report", "run.sqlite")[1]
    assert "4 finished, but degraded" in " ".join(tired("--help")[1].replace("│", " ").split())
    assert tired(*RUN, "--out", "a.sqlite", "--policy", "Ada=idle", "--policy", "Ben=idle")[0] == 0
    files = [Path("a.sqlite"), Path("run.sqlite")]
    assert [run.name for run in measure_runs(files).runs if run.counted] == ["a.sqlite"]
    known = measure_runs(files, degraded="include")
    assert (len([run for run in known.runs if run.counted]), known.excluded) == (2, 0)


def test_strict_stops_at_the_first_error_and_says_how_to_go_on(tired: Run) -> None:
    code, out, err = tired(*RUN, "--strict", "-q")
    assert code == 4
    assert "failed for Ada Brook at tick 5: ValueError: out of ideas; --strict stopped" in err
    assert "(4 ticks): failed" in out
    Path("mine.py").write_text(FIXED)
    code, _, err = tired("resume", "run.sqlite", "-q", "--strict", "--trust", "mine.py:Tired")
    assert (code, err) == (0, "")


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_degraded_run_is_counted_reported_and_in_no_mean_but_where_a_study_asks(
    genagents: Run,
) -> None:
    write_study()
    code, out, err = genagents(*SWEEP, "--strict")
    assert (code, "5 of 6 runs are finished (" in out) == (1, True)
    assert "failed for Ada Brook at tick 5: ValueError: out of ideas; --strict stopped" in err
    for again in (SWEEP, ("sweep", "out", "-q")):
        code, out, err = genagents(*again)
        assert (code, "6 of 6 runs are finished, 1 of them degraded" in out) == (4, True)
        assert "degraded: policy tired failed in 20 of 28 decisions" in err
    results = measure_study(SweepFolder("out"))
    sizes = {label: len(own) for label, own in results.values_of("utterances").items()}
    assert (sizes, results.excluded) == ({"scripted": 3, "tired": 2}, 1)
    assert {one.n for one in results.effects} == {2}
    assert any("Degraded: 1 finished run (" in words for words in results.cautions)
    page = format_study(results, list(make_study_sections(results)))
    assert page.count("1 finished run is left out: degraded.") == 2
    assert "6 finished (1 degraded, 1 of them left out)" in page
    code, out, _ = genagents("report", "out", "--json", "--degraded", "include")
    told = json.loads(out)
    assert not any(run["excluded"] for run in told["runs"])
    assert {one["n"] for one in told["effects"]} == {3}
    write_study('degraded = "include"')
    assert genagents(*SWEEP)[0] == 4
    results = measure_study(SweepFolder("out"))
    assert (results.excluded, {one.n for one in results.effects}) == (0, {3})
    assert any("They are in the means, as asked" in words for words in results.cautions)


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
STUDY = """
name = "tired"
scenario = "tiny"
hours = 0.04
seeds = 3
interviews = false
primary = ["utterances"]
measures = ["utterances", "policy_errors"]
{more}
[factors]
policy = {{ scripted = "scripted", tired = "mine.py:Tired" }}
"""
SWEEP = ("sweep", "study.toml", "--out", "out", "-q", "--workers", "1")


def write_study(more: str = "") -> None:
    Path("mine.py").write_text(UNTIL)
    Path("study.toml").write_text(STUDY.format(more=more))


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_level_whose_first_runs_are_degraded_stops_the_study(tired: Run) -> None:
    """More seeds would cost as much, and be in no mean."""
    Path("study.toml").write_text(STUDY.format(more=""))
    code, out, err = tired(*SWEEP)
    assert (code, "2 of 6 runs are finished, 1 of them degraded" in out) == (2, True)
    assert (
        "with tired (policy) every finished run of the first seed is degraded (policy tired failed"
        in err
    )
    code, out, _ = tired("sweep", "out", "-q", "--anyway")
    assert (code, "6 of 6 runs are finished, 3 of them degraded" in out) == (4, True)
