import pytest

from genagents_env.cli.progress import show_sweep_progress
from genagents_env.sweep import SweepProgress
from genagents_env.sweep.spending.protocol import TrialProgress


def progress(finished: int, calls: int, seconds: float, *running: str) -> SweepProgress:
    how = {name: TrialProgress(60, 1080, 3, 30, None, False) for name in running}
    return SweepProgress(4, finished, 0, 0, 0, how, calls, 10 * calls, None, seconds, None)


def test_a_long_run_shows_once_a_minute_and_each_run_as_it_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with show_sweep_progress(quiet=False) as watch:
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


def test_of_one_run_alone_it_is_told_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with show_sweep_progress(quiet=False) as watch:
        assert watch is not None
        watch(progress(1, 0, 1.0, "lyfe-s0"))
        watch(progress(2, 0, 2.0, "lyfe-s0", "lyfe-s1"))
    assert capsys.readouterr().err.splitlines() == [
        "1 of 4 runs, lyfe-s0 running (60 of 1,080 ticks)",
        "2 of 4 runs, 2 running",
    ]
