from pathlib import Path

import pytest

from tests.sweep.kills import serial, survived


@pytest.mark.slow
def test_killed_workers_and_a_killed_sweep_leave_no_trace(tmp_path: Path) -> None:
    kills, hashes = survived(tmp_path / "killed", runs=24, every=2.5, before=1, after=2)
    assert kills >= 2
    assert hashes == serial(tmp_path / "serial", 24)
