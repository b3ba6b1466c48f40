import json
import os
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.record import RunReader
from genagents_env.study.evaluate.measures import find_measures
from genagents_env.study.report import StudyResults, measure_study, measuring, write_report
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.measured import measure_run, store_measured
from tests.study.sweep.small_sweeps import run_in

EXPERIMENT = """
name = "pair"
question = "Who talks?"
seeds = 2
baseline = "idle"
primary = ["heard.tea", "mine.py:ticks"]
measures = ["conversations", "heard.teaa", "no_such_measure", "mine.py:broken"]
scenario = "tiny"
hours = 0.1
model = "scripted:neighbour"
embedder = "hashed"
[factors]
policy = ["idle", "scripted"]
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
        run_in(made, trial)
    return SweepFolder(made.path)


def store(folder: SweepFolder) -> None:
    """Store what is measured of each run, as the workers of a sweep do."""
    measures, _ = find_measures(folder.experiment.list_measures(), folder.base)
    for trial in folder.trials:
        path = folder.run_file(trial)
        store_measured(path, measure_run(path, measures))


def about(known: StudyResults, words: str) -> bool:
    return any(words in caution for caution in known.cautions)


def test_a_sweep_is_measured(folder: SweepFolder) -> None:
    seen: list[tuple[int, int]] = []
    before = sorted(folder.runs.iterdir())
    known = measure_study(
        folder, lambda done, total: seen.append((done, total)), trust_measures=True
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert sorted(folder.runs.iterdir()) == before  # nothing is stored
    assert known.count("finished") == 4
    assert known.primary == ("heard.tea", "ticks")
    assert known.names[-1] == "conversations"
    assert [one.contrast.second for one in known.effects] == [("scripted",)] * 3
    assert about(known, "no measure 'no_such_measure'")
    assert about(known, "heard.teaa has no value in any run; there is heard.tea.")
    assert about(known, "4 measurements failed")
    assert about(known, "KeyError")
    for run in known.runs:
        assert run.measured is not None
        assert len(run.measured.hash) == len(run.measured.life) == 64
        assert run.measured.numbers["ticks"] > 0
        assert run.measured.people == 2
    assert len(known.problems) == 2  # the measure that nobody knows, and the key that none has
    assert known.title_of("ticks") == "Ticks lived"
    json.dumps(known.as_json(), allow_nan=False)


def test_what_was_measured_is_not_read_again(
    folder: SweepFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(folder)
    first = measure_study(folder, trust_measures=True)
    opened: list[Path] = []

    def watch(path: Path) -> RunReader:
        opened.append(path)
        return RunReader(path)

    monkeypatch.setattr("genagents_env.study.sweep.measured.RunReader", watch)
    assert measure_study(folder, trust_measures=True).rows == first.rows
    untrusted = measure_study(folder)  # runs no code, and shows what is stored
    assert not opened
    assert untrusted.values_of("ticks") == first.values_of("ticks")
    path = folder.run_file(folder.trials[0])
    os.utime(path, (1, 1))
    assert measure_study(folder, trust_measures=True).rows == first.rows
    assert opened == [path]
    (folder.base / "mine.py").write_text(OWN.replace("record.last_tick", "0"))
    assert set(measure_study(folder, trust_measures=True).values_of("ticks")["idle"].values()) == {
        0
    }
    assert len(opened) == 5


def test_values_that_somebody_else_wrote_are_data_or_nothing(folder: SweepFolder) -> None:
    store(folder)
    known = measure_study(folder, trust_measures=True)
    stored = folder.runs / f"{folder.run_file(folder.trials[0]).name}.values.json"
    for forged in (
        "{}",
        "[",
        '{"format": 1}',
        stored.read_text().replace('"format":1', '"format":9'),
    ):
        stored.write_text(forged)
        assert measure_study(folder, trust_measures=True).rows == known.rows


@pytest.mark.slow
def test_processes_read_the_same(folder: SweepFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "_BATCH", 1)
    seen: list[int] = []
    alone = measure_study(folder, trust_measures=True)
    apart = measure_study(folder, lambda done, _: seen.append(done), workers=2, trust_measures=True)
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
    known = measure_study(SweepFolder(folder.path), trust_measures=True)
    states = [run.state for run in known.runs]
    assert states == ["damaged", "due", "due", "finished"]
    assert known.runs[0].problem
    assert known.runs[0].measured is None
    assert [row.why for row in known.rows if not row.measure] == ["damaged", "due", "due"]
    write_report(known)


def test_runs_made_before_a_change_are_counted_and_told(folder: SweepFolder) -> None:
    store(folder)
    os.utime(folder.run_file(folder.trials[0]), (1, 1))
    text = (folder.path / "experiment.toml").read_text()
    changed = text.replace("hours = 0.1", "hours = 0.05").replace('"scripted"]', '"random"]')
    (folder.path / "experiment.toml").write_text(changed)
    known = measure_study(SweepFolder(folder.path), trust_measures=True)
    assert [run.state for run in known.runs] == ["finished", "due"] * 2
    assert known.runs[0].measured is not None
    assert known.runs[0].measured.modified == 10**9, "what is stored is of another file by now"
    assert [run.earlier for run in known.runs] == [True, False] * 2
    assert about(known, "2 run files in the folder belong to no trial")
    assert about(known, "2 runs were made before the scenario, a policy or this package changed")
    assert any(line.startswith("No run with random (policy) counts") for line in known.headlines)
    write_report(known)


def test_an_emptier_report_never_takes_the_place_of_a_fuller(folder: SweepFolder) -> None:
    page, *_ = write_report(measure_study(folder))
    before = page.read_bytes()
    for trial in folder.trials[:2]:
        folder.run_file(trial).unlink()
    with pytest.raises(ConfigError, match="counts 4 finished runs, this one would count 2"):
        write_report(measure_study(SweepFolder(folder.path)))
    assert page.read_bytes() == before


def test_verdicts_of_judges_that_cannot_be_read_are_told(folder: SweepFolder) -> None:
    (folder.path / "verdicts.jsonl").write_text("nonsense\n")
    known = measure_study(folder, trust_measures=True)
    assert about(known, "What judges said is left out")
    assert known.tables == ()
