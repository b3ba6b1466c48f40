"""What was paid for is counted without a ledger, not run again unasked, and not mistaken."""

import shutil
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Spend
from genagents_env.study.report import measure_study
from genagents_env.study.sweep import SweepFolder, SweepOptions, sweep
from genagents_env.study.sweep.files import LEDGER, LOG
from genagents_env.study.sweep.ledger import write_spend
from genagents_env.study.sweep.single import run_single
from genagents_env.study.sweep.trial_status import JUDGED
from tests.study.sweep.small_sweeps import compare_policies, events

pytestmark = pytest.mark.usefixtures("in_process")


def test_a_level_in_the_place_of_a_renamed_one_has_not_its_runs(tmp_path: Path) -> None:
    folder = compare_policies(tmp_path, {"one": "reactive", "two": "scripted"}, seeds=1)
    sweep(folder, SweepOptions(workers=1))
    text = folder.experiment_file.read_text()
    text = text.replace("one =", "uno =") + '\none = "idle"\n'
    folder.experiment_file.write_text(text)
    runs = {run.condition.name: run.state for run in measure_study(SweepFolder(folder.path)).runs}
    assert runs == {"uno": "finished", "two": "finished", "one": "due"}
    assert sweep(SweepFolder(folder.path), SweepOptions(workers=1)).finished == 3


def test_a_single_trial_is_not_paid_for_again_unasked(tmp_path: Path) -> None:
    folder = compare_policies(tmp_path, {"one": "reactive"}, seeds=1)
    sweep(folder, SweepOptions(workers=1))
    (trial,) = folder.trials
    folder.run_file(trial).unlink()
    with pytest.raises(ConfigError, match="would be run again"):
        run_single(SweepFolder(folder.path), "0")
    assert run_single(SweepFolder(folder.path), "0", anyway=True).state == "finished"


@pytest.mark.parametrize("lost", [[LEDGER], [LEDGER, LOG], [LEDGER, "runs"]])
def test_what_was_spent_is_known_without_the_ledger(tmp_path: Path, lost: list[str]) -> None:
    folder = compare_policies(tmp_path, {"one": "reactive"}, seeds=1)
    spent = sweep(folder, SweepOptions(workers=1)).spent
    assert spent.calls > 0
    for name in lost:
        path = folder.path / name
        path.unlink() if path.is_file() else shutil.rmtree(path)
    folder.runs.mkdir(exist_ok=True)
    again = SweepFolder(folder.path)
    with again.open_ledger() as ledger:
        assert ledger.spent == again.restored == spent
    with SweepFolder(folder.path).open_ledger() as ledger:
        assert ledger.spent == spent, "once"
    judges = Spend(3, 70)
    again.log.append(event=JUDGED, spent=write_spend(spent + judges), own=write_spend(judges))
    (folder.path / LEDGER).unlink()
    with SweepFolder(folder.path).open_ledger() as ledger:
        assert ledger.spent == spent + judges


def test_a_run_that_is_gone_is_told_and_paid_for_again_only_when_asked(tmp_path: Path) -> None:
    folder = compare_policies(tmp_path, {"dear": "reactive", "free": "scripted"}, seeds=1)
    sweep(folder, SweepOptions(workers=1))
    dear, free = (folder.run_file(trial) for trial in folder.trials)
    dear.rename(tmp_path / "away")
    free.unlink()
    with pytest.raises(ConfigError, match=f"1 finished run that asked .* such as {dear.name}"):
        sweep(SweepFolder(folder.path))
    text = folder.experiment_file.read_text()
    folder.experiment_file.write_text(text.replace("dear =", "otherwise ="))
    with pytest.raises(ConfigError, match="such as otherwise-s0-"):
        sweep(SweepFolder(folder.path))
    folder.experiment_file.write_text(text)
    (tmp_path / "away").rename(dear)
    swept = sweep(SweepFolder(folder.path))
    assert swept.problems == (f"{free.name} is gone, and the trial is run again",)
    dear.unlink()
    assert sweep(SweepFolder(folder.path), SweepOptions(anyway=True)).finished == 2
    assert len(events(folder, "finished")) == 2


def test_a_run_in_the_place_of_another_is_in_no_report(tmp_path: Path) -> None:
    folder = compare_policies(tmp_path, {"one": "scripted"})
    sweep(folder, SweepOptions(workers=1))
    first, second = (folder.run_file(trial) for trial in folder.trials)
    shutil.copy(first, second)
    values = [path.with_name(f"{path.name}.values.json") for path in (first, second)]
    for known in (False, True):
        if known:  # with what was measured, as `cp -a` has it
            shutil.copystat(first, second)
            shutil.copy(*values)
        results = measure_study(SweepFolder(folder.path))
        assert [run.state for run in results.runs] == ["finished", "damaged"]
        assert f"{second} is another run than the one that finished" in results.problems[0]
    folder.log.path.rename(tmp_path / "log")  # what it noted is not needed for that
    assert measure_study(SweepFolder(folder.path)).runs[1].state == "damaged"
    (tmp_path / "log").rename(folder.log.path)
    assert "another run" in sweep(SweepFolder(folder.path)).problems[0]
    assert {run.state for run in measure_study(SweepFolder(folder.path)).runs} == {"finished"}


def test_an_experiment_that_is_refused_changes_nothing_in_the_folder(tmp_path: Path) -> None:
    folder = compare_policies(tmp_path, {"one": "reactive"}, seeds=1)
    sweep(folder, SweepOptions(workers=1))
    before = {
        path: path.read_text() for path in folder.path.glob("*.*") if path.suffix != ".sqlite"
    }
    other = compare_policies(tmp_path, {"one": "reactive"}, seeds=1, hours=0.01)
    with pytest.raises(ConfigError, match="another folder"):
        sweep(other)
    other.discard_unused()
    assert {path: path.read_text() for path in before} == before
