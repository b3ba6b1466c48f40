"""The progress of runs, sweeps and dry runs, on a terminal and elsewhere."""

from datetime import datetime, timedelta
from itertools import count
from types import SimpleNamespace

import pytest

from genagents_env.cli.progress import show_progress, show_sweep_progress
from genagents_env.llm.budget import Spend
from genagents_env.run import Progress
from genagents_env.study.sweep import SweepProgress
from genagents_env.study.sweep.design.cells import Condition, Trial
from genagents_env.study.sweep.progress import ProgressTracker

START = datetime.fromisoformat("2023-02-13T09:00")


def moment(tick: int, calls: int = 0, *, asking: bool = False) -> Progress:
    return Progress(tick, 100, START + timedelta(seconds=10 * tick), calls, 50 * calls, 0.5, asking)


def test_elsewhere_than_on_a_terminal_a_line_is_printed_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(monotonic=count(1.0, 0.05).__next__)  # a twentieth of a second apart
    monkeypatch.setattr("genagents_env.cli.progress.time", clock)
    with show_progress(quiet=False) as watch:
        assert watch is not None
        watch(moment(0, asking=True))
        for tick in range(1, 101):
            watch(moment(tick, 3))
        watch(moment(100, 4, asking=True))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("Mon 09:01 10 of 100 ticks, ")
    assert lines[-1].endswith(" 19.8 ticks/s, 3 calls, 150 tokens, $0.5000")


def test_running_trials_and_a_known_rest_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for running, hours, words in (
        (("lyfe-s0",), None, "lyfe-s0 running (60 of 1,080 ticks)"),
        (("lyfe-s0", "lyfe-s1"), None, "2 running"),
        ((), 0.005, "less than a minute left"),
        ((), 0.5, "30 min left"),
        ((), 25.25, "25 h 15 min left"),
    ):
        with show_sweep_progress() as watch:
            assert watch is not None
            watch(progress(1, 0, 1.0, *running, left=hours))
        assert capsys.readouterr().err.splitlines() == [f"1 of 4 runs, {words}"]


def test_bar_on_a_terminal_shows_interviews(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with show_progress(quiet=False) as watch:
        assert watch is not None
        watch(moment(0, 2, asking=True))
    assert "interviews, 2 calls" in capsys.readouterr().err


def progress(
    finished: int, calls: int, seconds: float, *running: str, left: float | None = None
) -> SweepProgress:
    how = {name: Progress(60, 1080, START, 3, 30, None) for name in running}
    return SweepProgress(4, finished, 0, 0, 0, how, calls, 10 * calls, None, seconds, left)


def test_a_long_run_shows_once_a_minute_and_each_run_as_it_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with show_sweep_progress() as watch:
        assert watch is not None
        for second in range(0, 200, 5):
            watch(progress(0, second, float(second)))
        watch(progress(1, 200, 201.0))
        watch(progress(1, 201, 202.0))
        watch(progress(4, 300, 203.0))
    assert capsys.readouterr().err.splitlines() == [
        "0 of 4 runs, 60 calls, 600 tokens",
        "0 of 4 runs, 120 calls, 1,200 tokens",
        "0 of 4 runs, 180 calls, 1,800 tokens",
        "1 of 4 runs, 200 calls, 2,000 tokens",
        "4 of 4 runs, 300 calls, 3,000 tokens",
    ]


def test_no_rest_is_estimated_from_runs_of_other_conditions() -> None:
    a, b = (Condition(name, (name,), "", name) for name in "ab")
    (a0, b0, a1) = trials = Trial(a, 0), Trial(b, 0), Trial(a, 1)
    tracker = ProgressTracker(trials, 1)
    tracker.note(a0.name, "finished", seconds=36.0)
    assert tracker.count(Spend()).hours_left is None  # b may take any time
    tracker.note(b0.name, "finished", seconds=7200.0)
    assert tracker.count(Spend()).hours_left == pytest.approx(0.01)
    tracker.note(a1.name, "failed")
    assert tracker.count(Spend()).hours_left == 0
