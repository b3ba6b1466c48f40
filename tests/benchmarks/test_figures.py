from pathlib import Path

import pytest

from benchmarks import figures
from benchmarks.figure_runs import FigureRun, compute_fingerprint
from benchmarks.figure_tables import TABLES
from benchmarks.figure_values import read_values
from tests.study.report.planted import cake

TINY = FigureRun("tiny", "tiny --policy scripted --hours 2", "tiny --policy scripted --hours 0.1")


def test_tables_are_put_between_their_marks_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(figures, "TABLES", {"one": lambda known: iter([f"| {known['run']} |"])})
    text = "Before.\n\n<!-- figures: one -->\n| old |\n<!-- /figures -->\n\n| old |\n"
    filled = figures.fill_blocks(text, {"run": 7})
    assert filled == ("Before.\n\n<!-- figures: one -->\n\n| 7 |\n\n<!-- /figures -->\n\n| old |\n")
    assert figures.fill_blocks(filled, {"run": 7}) == filled
    assert figures.find_blocks(filled) == ["one"]


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


def test_every_document_names_tables_that_there_are() -> None:
    for path in figures.DOCUMENTS:
        assert set(figures.find_blocks(path.read_text())) <= set(TABLES), path.name
