"""A disk that is full or fails at any write of a run, or turns a bit of its file."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from genagents_env.errors import DiskError
from genagents_env.record import canonical_hash
from tests.campaigns import bit_flips
from tests.run.towns import resume_town, run_town


def test_a_disk_that_is_full_as_a_run_begins_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "run.sqlite"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse)
        with pytest.raises(DiskError) as stop:
            run_town(path, ticks=3)
    reason = "cannot be written (No space left on device); no run was begun: begin it again once"
    assert f"{path} {reason}" in str(stop.value)
    assert not list(tmp_path.iterdir())
    assert run_town(path, ticks=3).status == "finished"


def test_a_disk_that_is_full_at_a_tick_is_named_as_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"

    def fill(phase: str, tick: int) -> None:
        if (phase, tick) == ("mid-write", 2):
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    with pytest.raises(DiskError) as stop:
        run_town(path, ticks=3, on_phase=fill)
    assert str(stop.value).startswith(f"{path}: the disk is full; what was written before is in")
    assert f"`genagents resume {path}`" in str(stop.value)
    whole = tmp_path / "whole.sqlite"
    run_town(whole, ticks=3)
    resume_town(path)
    assert canonical_hash(path) == canonical_hash(whole)


@pytest.mark.slow
def test_a_turned_bit_of_a_finished_file_is_noticed_or_harmless(tmp_path: Path) -> None:
    found, misses = bit_flips.flip_finished(tmp_path, 50, seed=2)
    assert not misses
    assert found["noticed as it was read"] > 10


@pytest.mark.slow
def test_a_turned_bit_of_a_killed_runs_log_or_a_stopped_one_changes_no_hash(tmp_path: Path) -> None:
    found, misses = bit_flips.flip_killed(tmp_path, 15, seed=2)
    assert not misses
    assert found.total() == 15
    assert {
        "resumed from tick 10 to the clean hash",
        "resumed from tick -1 to the clean hash",
        "noticed by resume",
    } <= set(found)
