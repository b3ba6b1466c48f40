import json
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.report import measure_runs, write_report
from genagents_env.report.results import SweepResults, measure_sweep
from genagents_env.run import RunOptions
from genagents_env.run import run as live
from genagents_env.sweep.folder import SweepFolder
from tests.report.planted import cake

EXPERIMENT = """
name = "pair"
question = "Who talks?"
seeds = 2
baseline = "idle"
primary = ["heard.tea", "mine.py:ticks"]
measures = ["conversations", "no_such_measure", "mine.py:broken"]
scenario = "tiny"
hours = 0.1
model = "scripted:neighbour"
embedder = "hashed"
[[arms]]
name = "idle"
policy = "idle"
[[arms]]
name = "scripted"
policy = "scripted"
"""
OWN = '''
def ticks(record):
    """Ticks lived. All of them."""
    return record.last_tick


def broken(record):
    raise KeyError("sugar")
'''


@pytest.fixture
def folder(tmp_path: Path) -> SweepFolder:
    (tmp_path / "pair.toml").write_text(EXPERIMENT)
    (tmp_path / "mine.py").write_text(OWN)
    made = SweepFolder.create(tmp_path / "sweep", tmp_path / "pair.toml")
    for trial in made.trials:
        live(
            trial.spec, made.run_file(trial), RunOptions(model=trial.model, embedder=trial.embedder)
        )
    return SweepFolder(made.path)


def about(known: SweepResults, words: str) -> bool:
    return any(words in caution for caution in known.cautions)


def test_a_sweep_is_measured(folder: SweepFolder) -> None:
    seen: list[tuple[int, int]] = []
    known = measure_sweep(
        folder, lambda done, total: seen.append((done, total)), trust_measures=True
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert known.count("finished") == 4
    assert known.primary == ("heard.tea", "ticks")
    assert known.names[-1] == "conversations"
    assert [one.second for one in known.contrasts] == ["scripted"] * 3
    assert about(known, "no measure 'no_such_measure'")
    assert about(known, "4 measurements failed")
    assert about(known, "KeyError")
    for run in known.runs:
        assert len(run.hash) == len(run.scenario) == 64
        assert run.values["ticks"] == run.tick
        assert run.plot_data is not None
        assert run.plot_data.names == ("Ada Brook", "Ben Carver")
        for row in run.plot_data.stays:
            assert sum(row) == pytest.approx(run.plot_data.seconds)
        assert run.narrative is not None
        assert run.narrative.lines == len(run.narrative.happened)
    assert len(known.problems) == 1  # the measure that nobody knows
    assert known.titles["ticks"] == "Ticks lived"
    json.dumps(known.as_json(), allow_nan=False)


@pytest.mark.slow
def test_processes_read_the_same(folder: SweepFolder) -> None:
    seen: list[int] = []
    alone = measure_sweep(folder, trust_measures=True)
    apart = measure_sweep(folder, lambda done, _: seen.append(done), workers=2, trust_measures=True)
    assert apart.as_json() == alone.as_json()
    assert seen == [1, 2, 3, 4]


def test_a_damaged_a_missing_and_an_empty_file_leave_the_rest_standing(folder: SweepFolder) -> None:
    changed, missing, empty, _ = folder.trials
    path = folder.run_file(changed)
    whole = path.read_bytes()
    place = whole.rindex(b'"text"') if b'"text"' in whole else whole.rindex(b'"doing"')
    path.write_bytes(whole[:place] + b'"t3xt_"'[: len(b'"text"')] + whole[place + 6 :])
    folder.run_file(missing).unlink()
    folder.run_file(empty).write_bytes(b"")
    known = measure_sweep(SweepFolder(folder.path), trust_measures=True)
    states = [run.state for run in known.runs]
    assert states == ["damaged", "due", "due", "finished"]
    assert known.runs[0].problem
    assert known.runs[0].values == {}
    assert all(cell.mean is None or cell.mean.n == 1 for cell in known.cells)
    write_report(known)


def test_a_file_of_no_trial_is_told_and_not_used(folder: SweepFolder) -> None:
    text = (folder.path / "experiment.toml").read_text()
    (folder.path / "experiment.toml").write_text(text.replace("hours = 0.1", "hours = 0.05"))
    known = measure_sweep(SweepFolder(folder.path), trust_measures=True)
    assert known.count("due") == 4
    assert about(known, "4 run files in the folder belong to no trial")
    assert "No run has finished yet" in known.finding
    write_report(known)


def test_verdicts_of_judges_that_cannot_be_read_are_told(folder: SweepFolder) -> None:
    (folder.path / "verdicts.jsonl").write_text("nonsense\n")
    known = measure_sweep(folder, trust_measures=True)
    assert about(known, "What judges said is left out")
    assert known.judged == ()


def test_run_files_are_a_sweep_without_a_plan(tmp_path: Path) -> None:
    first, second = (
        cake(tmp_path / "a.sqlite"),
        cake(tmp_path / "b.sqlite", status="paused", seed=2),
    )
    results = measure_runs([first, second, first])
    assert results.plan is None
    assert [(run.file, run.seed, run.state) for run in results.runs] == [
        (first, 1, "finished"),
        (second, 2, "stopped"),
    ]
    assert {run.condition for run in results.runs} == {group.condition for group in results.groups}
    assert results.runs[0].condition.name == "cake, 2 agents: lyfe option_action=false, toy"
    assert results.title == "cake: 2 runs"
    assert list(results.as_json()) == ["runs", "published"]
    with pytest.raises(ConfigError, match="needs a folder"):
        write_report(results)
