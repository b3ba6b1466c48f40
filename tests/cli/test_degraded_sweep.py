"""A sweep counts its degraded runs, says so, and leaves them out of its means."""

import json
from pathlib import Path

import pytest

from genagents_env.report import measure_sweep
from genagents_env.report.page import format_markdown
from genagents_env.report.sections import make_sections
from genagents_env.sweep import SweepFolder
from tests.cli.conftest import Run
from tests.cli.test_degraded import UNTIL

STUDY = """
name = "tired"
scenario = "tiny"
hours = 0.04
seeds = 3
interviews = false
primary = ["utterances"]
measures = ["utterances", "policy_errors"]
{more}
[[arms]]
name = "scripted"
policy = "scripted"
[[arms]]
name = "tired"
policy = "mine.py:Tired"
"""


SWEEP = ("sweep", "study.toml", "--out", "out", "-q", "--workers", "2", "--no-report")


def write_study(more: str = "") -> None:
    Path("mine.py").write_text(UNTIL)
    Path("study.toml").write_text(STUDY.format(more=more))


@pytest.mark.slow
def test_a_degraded_run_is_counted_said_and_in_no_mean(genagents: Run) -> None:
    write_study()
    code, out, err = genagents(*SWEEP)
    assert code == 4
    assert "6 of 6 runs are finished, 1 of them degraded" in out
    assert "degraded: policy tired failed in 20 of 28 decisions" in err
    results = measure_sweep(SweepFolder("out"))
    sizes = {c.compared.label: len(c.values) for c in results.cells if c.measure == "utterances"}
    assert sizes == {"scripted": 3, "tired": 2}
    assert {one.n for one in results.contrasts} == {2}
    assert results.excluded == 1
    assert any("in 1 finished run a policy failed" in words for words in results.cautions)
    page = format_markdown(results, make_sections(results, ()), ())
    assert page.count("1 finished run is left out: degraded.") == 3
    assert "6 finished \\(1 degraded, 1 of them left out\\)" in page
    code, out, _ = genagents("report", "out", "--json", "--degraded", "include")
    told = json.loads(out)
    assert code == 0
    assert [run["excluded"] for run in told["runs"] if "excluded" in run] == [False]
    assert {one["n"] for one in told["contrasts"]} == {3}
    code, out, err = genagents("sweep", "--resume", "out", "-q", "--no-report")
    assert code == 4
    assert "6 of 6 runs are finished, 1 of them degraded" in out
    assert "degraded: policy tired failed" in err


@pytest.mark.slow
def test_a_study_may_include_degraded_runs(genagents: Run) -> None:
    write_study('degraded = "include"')
    assert genagents(*SWEEP)[0] == 4
    results = measure_sweep(SweepFolder("out"))
    assert results.excluded == 0
    assert {one.n for one in results.contrasts} == {3}
    assert any("They are in the means, as asked" in words for words in results.cautions)
    write_study('degraded = "maybe"')
    code, _, err = genagents("sweep", "study.toml", "--out", "out", "-q")
    assert (code, "degraded" in err) == (2, True)


@pytest.mark.slow
def test_a_strict_sweep_stops_a_run_at_its_first_policy_error(genagents: Run) -> None:
    write_study()
    code, out, err = genagents(*SWEEP, "--strict")
    assert code == 1
    assert "5 of 6 runs are finished (" in out
    assert "failed for Ada Brook at tick 5: ValueError: out of ideas; --strict stopped" in err
    code, out, _ = genagents(*SWEEP)
    assert code == 4
    assert "6 of 6 runs are finished, 1 of them degraded" in out
