import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError, RunLocked
from genagents_env.record.lock import RunLock
from genagents_env.study.sweep import SweepFolder, SweepOptions, SweepProgress, sweep
from tests.study.sweep.kills import (
    driver,
    finish,
    has_no_orphans,
    kill_midway,
    output_file,
    writers,
)
from tests.study.sweep.small_sweeps import compare_policies, events, hashes, town, whole, write_trap


def test_a_sweep_lives_each_trial_once_and_knows_it_afterwards(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    policies = {"one": "scripted", "two": "reactive"}
    folder, told = compare_policies(tmp_path, policies), list[SweepProgress]()
    names = [trial.name for trial in folder.pilots]
    assert sweep(folder, SweepOptions(workers=2, trials=names)).total == 2
    assert sorted(events(folder, "finished")) == sorted(names)
    swept = sweep(folder, SweepOptions(workers=2, watch=told.append))
    assert (swept.total, swept.finished, swept.stopped, swept.failed) == (4, 4, 0, 0)
    assert (swept.exit_code, swept.problems) == (0, ())
    assert swept.message == "all 4 trials are finished"
    assert swept.spent.calls > 0
    first = whole(folder)
    started = folder.log.read()[0]
    assert (started["event"], started["workers"], started["backend"]) == ("started", 2, "loky")
    assert told
    assert all(o.total == 4 and o.finished + len(o.running) <= 4 for o in told)
    # Again, and with a seed more: only that is lived.
    request.getfixturevalue("in_process")
    assert sweep(SweepFolder(folder.path)).finished == 4
    more = compare_policies(tmp_path, policies, seeds=3)
    assert sweep(more, SweepOptions(workers=1)).finished == 6
    assert first.items() < whole(more).items()


@pytest.mark.usefixtures("in_process")
def test_files_that_cannot_be_used_are_told_set_aside_and_lived_again(tmp_path: Path) -> None:
    folder = compare_policies(tmp_path, {"one": "reactive"}, seeds=9)
    sweep(folder)
    before, files = whole(folder), [folder.run_file(trial) for trial in folder.trials]
    empty, foreign, zeros, stump, short, head, newer, changed, fine = files
    empty.write_bytes(b"")
    foreign.write_bytes(b"not a run file")
    zeros.write_bytes(b"SQLite format 3\0" + b"\0" * 5000)
    stump.write_bytes(stump.read_bytes()[:50])
    short.write_bytes(short.read_bytes()[:-1])
    data = head.read_bytes()
    head.write_bytes(data[:100] + b"\xff" * 4000 + data[4100:])
    sqlite3.connect(newer).execute("PRAGMA user_version=99").close()
    with closing(sqlite3.connect(changed)) as file:  # its head, status and length are whole
        file.execute("UPDATE events SET data = '{}' WHERE id = (SELECT min(id) FROM events)")
        file.commit()
    states = {one.name: one.state for one in folder.read_statuses()}
    assert [states[path.stem] for path in files] == ["due", *["damaged"] * 6, *["finished"] * 2]
    swept = sweep(SweepFolder(folder.path), SweepOptions(workers=1))
    assert (swept.exit_code, swept.finished) == (0, 9)
    assert hashes(folder) == before
    for path in files[:-1]:
        assert sum(str(path) in problem for problem in swept.problems) == 1, swept.problems
        assert (folder.path / "damaged" / f"{path.stem}-1.sqlite").exists()
    assert folder.set_aside(folder.trials[0]).name == f"{empty.stem}-2.sqlite"
    assert fine.exists()
    assert len(events(folder, "set aside")) == 8
    assert sorted(set(events(folder, "finished"))) == sorted(before)


@pytest.mark.usefixtures("in_process")
def test_a_trial_that_fails_stops_no_other_and_is_tried_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    write_trap(tmp_path, "raise ImportError('no such library')")
    folder = compare_policies(tmp_path, {"fine": "scripted", "broken": "trap.py:Trap"})
    assert len(folder.trials) == 4
    mark.touch()
    swept = sweep(folder, SweepOptions(workers=1))
    assert (swept.exit_code, swept.finished, swept.failed) == (1, 2, 2)
    assert sum("no such library" in problem for problem in swept.problems) == 2
    assert "genagents sweep " in swept.message
    mark.unlink()
    assert sweep(SweepFolder(folder.path), SweepOptions(workers=1)).exit_code == 0
    whole(folder)


@pytest.mark.usefixtures("in_process")
def test_the_end_of_the_budget_stops_what_costs_and_nothing_else(tmp_path: Path) -> None:
    policies = {"dear": "reactive", "free": "scripted"}
    small, large = ({"total": {"calls": calls}} for calls in (12, 500))
    folder = compare_policies(tmp_path / "a", policies, seeds=3, budget=small)
    swept = sweep(folder, SweepOptions(workers=1))
    assert swept.exit_code == 3
    assert swept.finished >= 3
    assert 1 <= swept.stopped <= 2
    assert swept.spent.calls <= 12
    assert "[budget]" in swept.message
    assert "genagents sweep " in swept.message
    assert len(events(folder, "stopped")) < 3, "some were not begun at all"
    more = compare_policies(tmp_path / "a", policies, seeds=3, budget=large)
    assert sweep(more, SweepOptions(workers=1)).exit_code == 0
    unstopped = compare_policies(tmp_path / "b", policies, seeds=3)
    sweep(unstopped, SweepOptions(workers=1))
    assert whole(more) == whole(unstopped)


def test_what_is_not_allowed_is_refused_before_anything_runs(tmp_path: Path) -> None:
    folder = compare_policies(tmp_path, {"one": "scripted"})
    for settings, what in (
        (SweepOptions(workers=0), "workers: 0"),
        (SweepOptions(backend="rai"), 'did you mean "ray"'),
        (SweepOptions(trials=["nobody"]), "'nobody'"),
    ):
        with pytest.raises(ConfigError, match=what):
            sweep(folder, settings)
    lock = RunLock(folder.path / "ledger.sqlite")  # one folder has one sweep at a time
    with pytest.raises(RunLocked):
        sweep(folder)
    lock.release()
    assert folder.log.read() == []


def at_work(folder: SweepFolder, process: "subprocess.Popen[bytes]") -> None:
    """Wait until two runs are under way, neither for the first time in its life."""
    while process.poll() is None and not (len(writers(folder)) == 2 and events(folder, "finished")):
        time.sleep(0.02)
    assert process.poll() is None, output_file(folder.path).read_text()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_every_run_at_a_tick_and_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    folder = town(tmp_path, seeds=6)
    process = driver(folder.path, 2)
    at_work(folder, process)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.terminate()
    assert process.wait(60) == 128 + number
    told = output_file(folder.path).read_text()
    assert f"genagents sweep {folder.path}" in told
    assert "Traceback" not in told
    assert has_no_orphans(folder)
    assert 1 <= len(events(folder, "stopped")) <= 2
    assert events(folder, "worker died") == []
    finish(folder, 2)


@pytest.mark.slow
def test_killed_workers_and_a_killed_sweep_leave_no_trace(tmp_path: Path) -> None:
    folder = town(tmp_path / "killed", 8)
    kill_midway(folder)
    assert finish(folder, 2, 2.0, 3.0) == finish(town(tmp_path / "serial", 8), 1)
