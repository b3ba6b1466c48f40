"""Figures in documents are those of the runs, and the runs would come out the same today."""

import re
from pathlib import Path

import pytest

from benchmarks import figures
from benchmarks.figure_runs import RUNS, FigureRun, compute_fingerprint, live
from benchmarks.figure_tables import TABLES
from benchmarks.figures import DOCUMENTS, ROOT, fill_blocks, find_blocks, load_figures
from genagents_env.record import canonical_hash

KNOWN = load_figures()
# Of those that last a minute or less: a town by rule, and either mind of a paper.
CHEAP = ("town_scripted", "story_3_0", "hour_smallville_0")
PAGES = {*DOCUMENTS, *ROOT.glob("examples/**/README.md"), *ROOT.glob("scenarios/**/README.md")}
HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,64}\b")


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


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEAP)
def test_a_cheap_run_has_the_documented_hash(name: str, tmp_path: Path) -> None:
    """If it has not: `python -m benchmarks.figures NAME` lives it, and writes what it comes to."""
    path = tmp_path / "run.sqlite"
    live(next(run for run in RUNS if run.name == name), path)
    assert canonical_hash(path) == KNOWN[name]["hash"]


def test_every_hash_in_a_document_is_one_that_is_compared() -> None:
    """With figures.json, or with a shipped run, as `test_shipped_runs` does."""
    shipped = (ROOT / "examples" / "runs" / "README.md").read_text()
    known = {entry["hash"] for entry in KNOWN.values() if "hash" in entry}
    for page in PAGES:
        for found in HASH.findall(page.read_text()):
            assert found in shipped or any(one.startswith(found) for one in known), page


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
