from pathlib import Path

import pytest

from tests.study.sweep.kills import run_serially, run_with_kills


@pytest.mark.slow
def test_killed_workers_and_a_killed_sweep_leave_no_trace(tmp_path: Path) -> None:
    kills, hashes = run_with_kills(tmp_path / "killed", runs=16, every=2.5, before=1, after=2)
    assert kills >= 2
    assert hashes == run_serially(tmp_path / "serial", 16)
