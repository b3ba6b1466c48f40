import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.llm.budget import Spend
from genagents_env.record import RunWriter, canonical_hash
from genagents_env.record.lock import RunLock
from genagents_env.run import Limits, RunOptions, run
from genagents_env.study.sweep.worker import Job, run_trial
from tests.study.sweep.small_sweeps import compare_policies, write_trap


def job(path: Path, policy: str = "reactive", **changes: object) -> Job:
    folder = compare_policies(path, {"arm": policy}, seeds=1)
    (trial,), (cell,) = folder.trials, folder.cells
    plain = Job(
        trial=trial.name,
        spec=cell.spec,
        path=folder.run_file(trial),
        ledger=None,
        options=replace(cell.options, concurrency=4),
        judge=False,
        measures=("utterances",),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # whatever a test changes


def make_trap(path: Path, deed: str) -> Job:
    """A job whose policy does `deed` as it is made, though not when the trials are."""
    write_trap(path, deed)
    made = job(path, "trap.py:Trap")
    (path / "mark").touch()
    return made


def test_a_job_is_the_run_it_describes(tmp_path: Path) -> None:
    given = job(tmp_path)
    given.path.touch()  # as one leaves it who is killed at its first breath
    result = run_trial(given)
    again = run_trial(given)
    assert (again.spent, again.hash, again.tick) == (Spend(), result.hash, result.tick)
    assert result.spent.calls > 0
    alone = tmp_path / "alone.sqlite"
    run(given.spec, alone, RunOptions(model="scripted:neighbour", embedder="hashed"))
    assert (result.state, result.status, result.message) == ("finished", "finished", "")
    assert result.hash == canonical_hash(given.path) == canonical_hash(alone)
    assert result.tick > 0
    assert result.seconds > 0


def test_a_file_that_is_no_run_is_told_and_left_alone(tmp_path: Path) -> None:
    given = job(tmp_path)
    with closing(sqlite3.connect(":memory:")) as foreign:  # somebody else's
        foreign.execute("CREATE TABLE letters (text)")
        letters = foreign.serialize()
    for content in (b"no run file at all" * 100, b"SQLite format 3\0" + b"\7" * 5000, letters):
        given.path.write_bytes(content)
        result = run_trial(given)
        assert (result.state, result.status) == ("failed", "damaged"), result.message
        assert str(given.path) in result.message
        assert given.path.read_bytes() == content


def test_whatever_a_policy_raises_is_one_line_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    for number, deed in enumerate(
        ("raise ValueError('sk-very-secret\\nfell out')", "raise SystemExit(4)", "import no_such")
    ):
        (tmp_path / str(number)).mkdir()
        result = run_trial(make_trap(tmp_path / str(number), deed))
        assert (result.state, result.status) == ("failed", "failed")
        assert result.message
        assert "\n" not in result.message
        assert "sk-very-secret" not in result.message


def test_a_part_that_is_used_up_leaves_a_run_that_goes_on(tmp_path: Path) -> None:
    given = job(tmp_path / "a")
    half = run_trial(replace(given, total=Limits(calls=2)))
    assert (half.status, half.spent.calls) == ("budget_exhausted", 2)
    assert sorted(given.path.parent.iterdir()) == [given.path]  # its ledger was elsewhere
    assert run_trial(given).hash == run_trial(job(tmp_path / "b")).hash


def test_a_file_that_its_killed_writer_still_holds_is_waited_for(tmp_path: Path) -> None:
    given = job(tmp_path)
    lock = RunLock(given.path)
    threading.Timer(0.5, lock.release).start()
    assert run_trial(given).state == "finished"


def test_a_signal_before_the_run_listens_stops_it_at_a_tick(tmp_path: Path) -> None:
    given = make_trap(tmp_path, "signal.raise_signal(signal.SIGTERM)")
    result = run_trial(given)
    assert (result.state, result.status) == ("stopped", "interrupted")
    with RunWriter.open(given.path) as writer:
        assert writer.last_checkpoint == result.tick
    (tmp_path / "mark").unlink()
    assert run_trial(given).state == "finished"
