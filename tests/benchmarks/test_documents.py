"""Figures in documents are those of the runs, and the runs would come out the same today."""

from pathlib import Path

import pytest

from benchmarks.figure_runs import RUNS, compute_fingerprint
from benchmarks.figure_tables import TABLES
from benchmarks.figures import DOCUMENTS, fill_blocks, find_blocks, load_figures

KNOWN = load_figures()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_shows_the_figures_of_the_runs(path: Path) -> None:
    """If it does not: `python -m benchmarks.figures --write`."""
    text = path.read_text()
    assert fill_blocks(text, KNOWN) == text


def test_every_table_is_in_a_document() -> None:
    shown = [name for path in DOCUMENTS for name in find_blocks(path.read_text())]
    assert sorted(shown) == sorted(TABLES)


def test_the_figures_are_of_the_declared_runs_and_of_no_others() -> None:
    assert {name: entry["command"] for name, entry in KNOWN.items()} == {
        run.name: run.command for run in RUNS
    }


@pytest.mark.parametrize("short", dict.fromkeys(run.short for run in RUNS))
def test_the_runs_would_come_out_the_same_today(short: str) -> None:
    """If they do not: `python -m benchmarks.figures` lives those that are stale."""
    names = [run.name for run in RUNS if run.short == short]
    now = compute_fingerprint(short)
    assert {name: KNOWN[name]["fingerprint"] for name in names} == dict.fromkeys(names, now)
