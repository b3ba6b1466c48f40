"""Looking at a stranger's files runs none of their code: whatever is imported leaves a file."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.run import PolicySpec, RunOptions, run
from genagents_env.study.report import measure_study
from genagents_env.study.sweep import SweepFolder
from tests.cli.conftest import Run
from tests.cli.test_policy_trust import CANARY, POLICY
from tests.run.towns import make_spec
from tests.study.sweep.small_sweeps import create_sweep, run_in

IMPORTED = Path("imported")
MEASURE = f"{CANARY}\n\ndef ticks(data):\n    return float(data.last_tick)\n"
PLUGIN = "[genagents_env.policies]\nstranger = strangers_module:Mine\n"
LOOKING = (
    "show run.sqlite",
    "hash run.sqlite",
    "report run.sqlite",
    "report run.sqlite --json",
    "export run.sqlite --out exported",
    "judge run.sqlite --model scripted -q",
    "judge run.sqlite --sheet sheet.csv",
    "judge run.sqlite --rubric believability --model scripted -q",
)


def test_looking_at_a_strangers_run_file_or_of_a_plug_in_imports_nothing(
    at_strangers: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in LOOKING:
        code, _, err = at_strangers(*command.split())
        assert (code in (0, 2), "Traceback" in err) == (True, False)
        assert not IMPORTED.exists(), command
    package = Path("site/strangers-1.0.dist-info")
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(PLUGIN)
    Path("site/strangers_module.py").write_text(CANARY + POLICY)
    monkeypatch.syspath_prepend(str(Path("site").resolve()))
    said = ("run", "tiny", "--hours", "0.01", "--policy", "stranger", "-q", "--force")
    assert at_strangers(*said)[0] == 0
    IMPORTED.unlink()
    monkeypatch.delitem(sys.modules, "strangers_module")
    for command in LOOKING[:5]:
        at_strangers(*command.split())
    assert not IMPORTED.exists()
    Path("site/strangers_module.py").rename("site/other_module.py")
    code, out, err = at_strangers("list", "policies")
    assert (code, "stranger  policy 'stranger' of the package strangers" in out) == (0, True)
    Path("site/other_module.py").rename("site/strangers_module.py")
    code, _, err = at_strangers("resume", "run.sqlite", "--hours", "0.01", "-q")  # installed code
    assert (code, err, IMPORTED.exists()) == (0, "", True)


@pytest.fixture
def at_strangers(genagents: Run) -> Run:
    """Return the command line beside a stranger's run file and the code that it names."""
    Path("mine.py").write_text(CANARY + POLICY)
    run(make_spec(ticks=3, policy=PolicySpec("mine.py:Mine")), "run.sqlite", RunOptions())
    IMPORTED.unlink()
    return genagents


@pytest.fixture
def folder(genagents: Run, tmp_path: Path) -> SweepFolder:
    """Return a stranger's finished sweep with a policy and a measure of their own."""
    Path("mine.py").write_text(CANARY + POLICY)
    Path("own.py").write_text(MEASURE)
    own = {"name": "own", "policy": "mine.py:Mine"}
    sweep = create_sweep(tmp_path, seeds=1, arms=[own], measures=["utterances", "own.py:ticks"])
    for trial in sweep.trials:
        run_in(sweep, trial)
    IMPORTED.unlink()
    return SweepFolder(sweep.path)


def test_a_report_on_a_strangers_sweep_imports_neither_its_policies_nor_its_measures(
    folder: SweepFolder, genagents: Run
) -> None:
    code, out, err = genagents("report", str(folder.path), "--json")
    assert (code, IMPORTED.exists()) == (0, False)
    told = json.loads(out)
    assert [run["state"] for run in told["runs"]] == ["finished"]
    assert [one["name"] for one in told["measures"]] == ["utterances"]
    assert "own.py:ticks is code in a file and was not taken; `--trust-measures`" in err
    genagents("judge", str(folder.path), "--sheet", "sheet.csv")
    assert not IMPORTED.exists()
    known = measure_study(folder, trust_measures=True)
    assert known.names == ("utterances", "ticks")
    assert IMPORTED.exists()


def test_a_run_file_in_a_sweeps_folder_brings_no_policy_of_its_own(
    folder: SweepFolder, tmp_path: Path
) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "mine.py").write_text(CANARY + POLICY)
    (trial,), (cell,) = folder.trials, folder.cells
    path = folder.run_file(trial)
    path.unlink()
    spec = replace(cell.spec, policy=PolicySpec(f"{evil}/mine.py:Mine"))
    run(spec, path, RunOptions(interviews=cell.options.interviews))
    IMPORTED.unlink(missing_ok=True)
    measure_study(SweepFolder(folder.path))
    (status,) = SweepFolder(folder.path).read_statuses()
    assert status.state == "finished"
    assert not IMPORTED.exists()
