import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genagents_env.errors import ConfigError, RunLocked
from genagents_env.record import canonical_hash
from genagents_env.record.lock import RunLock
from genagents_env.study.sweep.design.cells import Trial
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.trial_status import StudyRun
from tests.study.sweep.small_sweeps import ARMS, create_sweep, run_in, trials, write_experiment


@pytest.fixture
def sweep(tmp_path: Path) -> SweepFolder:
    return create_sweep(tmp_path)


def _states(folder: SweepFolder) -> list[str]:
    return [one.state for one in folder.read_statuses()]


def _read_status(folder: SweepFolder, trial: Trial) -> StudyRun:
    return next(one for one in folder.read_statuses() if one.name == trial.name)


# Beginning, and going on.


def test_a_new_folder_in_which_nothing_began_is_gone_and_nothing_else(tmp_path: Path) -> None:
    create_sweep(tmp_path).discard_unused()
    assert not (tmp_path / "out").exists()
    begun = create_sweep(tmp_path)
    (begun.runs / "some.sqlite").write_text("")
    begun.discard_unused()
    (begun.runs / "some.sqlite").unlink()
    create_sweep(tmp_path).discard_unused()  # it was there before
    assert begun.experiment_file.is_file()


def test_a_new_folder_has_all_that_a_resume_needs(sweep: SweepFolder, tmp_path: Path) -> None:
    again = SweepFolder(sweep.path)
    assert again.experiment == sweep.experiment
    assert again.base == tmp_path
    assert again.trials == sweep.trials == trials(tmp_path)
    assert _states(again) == ["due"] * 4
    assert again.log.read() == []
    assert again.runs.is_dir()


def test_a_folder_that_is_no_sweep_says_how_to_begin_one(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", write_experiment(tmp_path)):
        with pytest.raises(ConfigError, match=r"genagents sweep .* begins one"):
            SweepFolder(path)


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("x")
    with pytest.raises(ConfigError, match="other things"):
        create_sweep(tmp_path)
    assert os.listdir(tmp_path / "out") == ["thesis.tex"]
    (tmp_path / "out" / "thesis.tex").rename(tmp_path / "out" / ".base.json.77")  # a draft
    assert len(create_sweep(tmp_path).trials) == 4
    file = write_experiment(tmp_path)
    for place, told in ((file, "is a file"), (file / "out", "cannot be written")):
        with pytest.raises(ConfigError, match=told):
            SweepFolder.create(place, file)


@pytest.mark.parametrize("changes", [{"seeds": 0}, {"arms": [{"name": "a", "policy": "idel"}]}])
def test_a_wrong_experiment_leaves_nothing_behind_and_a_sweep_as_it_was(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    with pytest.raises(ConfigError):
        create_sweep(tmp_path, **changes)
    assert not (tmp_path / "out").exists()
    sweep = create_sweep(tmp_path)
    with pytest.raises(ConfigError):
        create_sweep(tmp_path, **changes)
    assert SweepFolder(sweep.path).trials == sweep.trials


def test_a_lost_experiment_and_an_unreadable_base_are_told(sweep: SweepFolder) -> None:
    (sweep.path / "base.json").write_text("{")
    with pytest.raises(ConfigError, match=r"base\.json cannot be read"):
        _ = SweepFolder(sweep.path).trials
    sweep.experiment_file.unlink()
    with pytest.raises(ConfigError, match="lost"):
        SweepFolder(sweep.path)


def test_where_the_base_is_gone_the_folder_serves(sweep: SweepFolder) -> None:
    (sweep.path / "base.json").write_text('{"base": "/none", "changes": {}}')
    assert SweepFolder(sweep.path).base == sweep.path
    assert len(SweepFolder(sweep.path).trials) == 4


def test_changes_are_kept_and_added_to(sweep: SweepFolder, tmp_path: Path) -> None:
    SweepFolder.create(sweep.path, write_experiment(tmp_path), {"model": "scripted"})
    assert {one.model for one in SweepFolder(sweep.path).cells} == {"scripted"}
    again = SweepFolder.reopen(sweep.path, {"seeds": 1})
    assert again.changes == {"model": "scripted", "seeds": 1}
    assert len(SweepFolder.reopen(sweep.path).trials) == 2
    assert again.base == tmp_path


# How trials stand.


def test_a_run_being_written_is_running(sweep: SweepFolder) -> None:
    trial = sweep.trials[0]
    path = run_in(sweep, trial)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    for data in (path.read_bytes(), b"not yet a database", path.read_bytes()[:5000]):
        path.write_bytes(data)
        lock = RunLock(path)
        try:
            standing = _read_status(sweep, trial)
            with pytest.raises(RunLocked):
                sweep.set_aside(trial)
        finally:
            lock.release()
        assert standing.state in ("stopped", "finished")
        assert standing.state == "finished" or standing.status == "running"
        assert path.exists()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[SweepFolder, Path, bytes]:
    """Return a sweep, the file of its first trial, and what a whole run in it looks like."""
    sweep = create_sweep(tmp_path_factory.mktemp("whole"))
    path = run_in(sweep, sweep.trials[0])
    return sweep, path, path.read_bytes()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_bytes_are_wrong_a_standing_is_told(
    whole: tuple[SweepFolder, Path, bytes], data: st.DataObject
) -> None:
    sweep, path, good = whole
    bad = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(good) - 1))
        with_ = data.draw(st.binary(min_size=1, max_size=300))
        bad[at : at + len(with_)] = with_
    path.write_bytes(bytes(bad[: data.draw(st.sampled_from([len(good), 700, 4096, 9000]))]))
    trial = sweep.trials[0]
    standing, verified = _read_status(sweep, trial), sweep.verify(trial, None)
    assert standing.state in ("finished", "stopped", "damaged")
    assert (standing.state == "damaged") == bool(standing.problem)
    assert verified.state != "finished" or canonical_hash(path)


def test_journals_go_with_the_file(sweep: SweepFolder) -> None:
    trial = sweep.trials[0]
    path = run_in(sweep, trial)
    path.with_name(f"{path.name}-wal").write_bytes(b"wal")
    away = sweep.set_aside(trial)
    assert away.with_name(f"{away.name}-wal").read_bytes() == b"wal"
    assert list(sweep.runs.iterdir()) == []


def test_a_run_other_than_the_one_that_finished_is_damaged(sweep: SweepFolder) -> None:
    trial = sweep.trials[0]
    path = run_in(sweep, trial)
    sweep.log.append(event="finished", trial=trial.name, hash=canonical_hash(path))
    assert sweep.verify(trial, sweep.log.read_histories()[trial.suffix]).state == "finished"
    sweep.log.append(event="finished", trial=trial.name, hash="0" * 64)
    assert "another run" in sweep.verify(trial, sweep.log.read_histories()[trial.suffix]).problem


def test_a_folder_in_place_of_a_run_is_no_damage(sweep: SweepFolder) -> None:
    trial = sweep.trials[0]
    sweep.run_file(trial).mkdir()
    standing = _read_status(sweep, trial)
    assert standing.state == "failed"
    assert sweep.run_file(trial).name in standing.problem


# The log.


def test_a_torn_line_spoils_no_other(sweep: SweepFolder) -> None:
    path = sweep.path / "log.jsonl"
    sweep.log.append(event="one", message="naïve \ud800 \n line")
    path.write_bytes(path.read_bytes() + b'{"event": "torn", "mess')
    (line,) = sweep.log.read()
    assert (line["event"], line["message"]) == ("one", "naïve \ud800 \n line")
    assert line["at"].endswith("+00:00")
    sweep.log.append(event="two")
    path.write_bytes(path.read_bytes() + b"[3]\n\xff\xfe\n\n" + b"[" * 100_000 + b"\n")
    sweep.log.append(event="three")
    assert [line["event"] for line in sweep.log.read()] == ["one", "two", "three"]


def test_the_last_try_having_failed_makes_a_trial_failed(sweep: SweepFolder) -> None:
    trial, other = sweep.trials[:2]
    sweep.log.append(event="failed", trial=trial.name, message="it needs \x1b[31mlyre")
    assert _read_status(sweep, trial).state == "failed"
    assert _read_status(sweep, trial).problem == "it needs lyre"
    assert _states(sweep)[:2] == ["failed", "due"]
    sweep.log.append(event="begun", trial=trial.name)
    assert _read_status(sweep, trial).state == "due"
    sweep.log.append(event="failed", trial=other.name, message="x")
    run_in(sweep, other)
    assert _read_status(sweep, other).state == "finished"


# An experiment that changes.


def _rename_arms(*names: str) -> list[dict[str, str]]:
    return [{**arm, "name": name} for arm, name in zip(ARMS, names, strict=True)]


@pytest.mark.parametrize(
    ("changes", "states"),
    [
        ({"seeds": 3}, ["finished"] * 4 + ["due"] * 2),
        ({"arms": [ARMS[0], {"name": "new", "policy": "reactive"}]}, ["finished", "due"] * 2),
        ({"arms": _rename_arms("nobody moves", "scripted")}, ["finished"] * 4),
    ],
    ids=["a seed more", "an arm removed, and one added", "names that change places"],
)
def test_runs_stay_with_what_defines_them(
    sweep: SweepFolder, tmp_path: Path, changes: dict[str, object], states: list[str]
) -> None:
    hashes = {trial.identity: canonical_hash(run_in(sweep, trial)) for trial in sweep.trials}
    again = create_sweep(tmp_path, **changes)
    assert _states(again) == states
    done = [trial for trial in again.trials if trial.identity in hashes]
    assert len(done) == states.count("finished")
    for trial in done:
        assert canonical_hash(again.run_file(trial)) == hashes[trial.identity]
    unknown = again.find_unknown_runs()
    assert len(unknown) == len(hashes) - len(done)
    files = [*map(again.run_file, done), *unknown]
    assert sorted(again.runs.iterdir()) == sorted(files)
    assert _states(create_sweep(tmp_path)) == ["finished"] * 4


def test_a_changed_scenario_makes_strangers_and_new_work(tmp_path: Path) -> None:
    text = 'extends = "tiny"\nname = "own"\ntitle = "Own"\n'
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "scenario.toml").write_text(text)
    sweep = create_sweep(tmp_path, scenario="own", seeds=1)
    path = run_in(sweep, sweep.trials[0])
    (tmp_path / "own" / "scenario.toml").write_text(text + 'description = "New."\n')
    looked_at = SweepFolder(sweep.path)  # as it was planned
    assert _states(looked_at) == ["finished", "due"]
    again = SweepFolder.reopen(sweep.path)
    assert again.find_unknown_runs() == (path,)
    assert _states(again) == ["due", "due"]
    assert again.find_earlier(again.trials[0]) == path
    assert again.find_earlier(again.trials[1]) is None
