from pathlib import Path

import pytest

from benchmarks import figures
from benchmarks.figure_runs import FigureRun, compute_fingerprint
from benchmarks.figure_values import read_values
from tests.study.report.planted import cake

TINY = FigureRun("tiny", "tiny --policy scripted --hours 2", "tiny --policy scripted --hours 0.1")


def test_a_run_is_stale_by_its_command_and_by_what_it_comes_to_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(figures, "compute_fingerprint", lambda command: f"now {command}")
    entry = {"command": TINY.command, "fingerprint": f"now {TINY.short}"}
    assert figures.is_stale(TINY, {})
    assert not figures.is_stale(TINY, {"tiny": entry})
    assert figures.is_stale(TINY, {"tiny": {**entry, "command": "tiny --policy idle"}})
    assert figures.is_stale(TINY, {"tiny": {**entry, "fingerprint": "then"}})


def test_a_fingerprint_is_of_what_happens() -> None:
    """The policy and the seed are part of it; living it again changes nothing."""
    command = "tiny --policy {} --seed 0 --start 08:00 --hours 0.1"
    scripted = compute_fingerprint(command.format("scripted"))
    compute_fingerprint.cache_clear()
    assert compute_fingerprint(command.format("scripted")) == scripted
    assert compute_fingerprint(command.format("idle")) != scripted


def test_values_are_counted_from_the_record(tmp_path: Path) -> None:
    values = read_values(cake(tmp_path / "run.sqlite"))
    assert values["calls"] == {"talk": 3, "controller": 1}
    assert (values["people"], values["answers"]) == (2, 1)
    days = values["days"]
    assert isinstance(days, dict)
    assert days["longest"] == 2
