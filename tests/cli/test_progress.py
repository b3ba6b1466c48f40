from datetime import datetime, timedelta

import pytest

from genagents_env.cli.progress import show_progress
from genagents_env.run import Progress

START = datetime.fromisoformat("2023-02-13T09:00")


def moment(tick: int, calls: int = 0, *, asking: bool = False) -> Progress:
    return Progress(tick, 100, START + timedelta(seconds=10 * tick), calls, 50 * calls, 0.5, asking)


def test_elsewhere_than_on_a_terminal_a_line_is_printed_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with show_progress(quiet=False) as watch:
        assert watch is not None
        watch(moment(0, asking=True))
        for tick in range(1, 101):
            watch(moment(tick, 3))
        watch(moment(100, 4, asking=True))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("Mon 09:01 10 of 100 ticks, ")
    assert lines[-1].endswith("ticks/s, 3 calls, 150 tokens, $0.5000")


def test_a_quiet_run_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(quiet=True) as watch:
        assert watch is None
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_a_bar_tells_of_interviews(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with show_progress(quiet=False) as watch:
        assert watch is not None
        watch(moment(0, 2, asking=True))
    assert "interviews, 2 calls" in capsys.readouterr().err
