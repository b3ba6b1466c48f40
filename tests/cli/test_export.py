"""`genagents export` writes the page where a page is named, and lines where a folder is."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.run.towns import run_town


@pytest.fixture
def recorded(genagents: Run) -> Run:
    run_town(Path("run.sqlite"), ticks=12)
    return genagents


@pytest.mark.parametrize(
    "words",
    [
        ("run.html",),
        ("--out", "run.html"),
        ("--out", "run.html", "--format", "html"),
        ("run.html", "--format", "html"),
    ],
)
def test_the_page_is_written_where_it_is_named(recorded: Run, words: tuple[str, ...]) -> None:
    code, out, err = recorded("export", "run.sqlite", *words)
    assert (code, err) == (0, "")
    assert out.startswith("run.html  (")
    assert Path("run.html").read_bytes().startswith(b"<!doctype html>")


def test_the_format_option_wins_where_the_ending_says_nothing(recorded: Run) -> None:
    assert recorded("export", "run.sqlite", "--out", "page", "--format", "html")[0] == 0
    assert Path("page").is_file()
    assert recorded("export", "run.sqlite", "--out", "lines.html", "--format", "jsonl")[0] == 0
    assert Path("lines.html/events.jsonl").is_file()


def test_where_to_has_to_be_said(recorded: Run) -> None:
    code, _, err = recorded("export", "run.sqlite")
    assert code == 2
    assert "run.html" in err
    assert "--out" in err


def test_several_runs_make_no_page(recorded: Run) -> None:
    code, _, err = recorded("export", "run.sqlite", "run.sqlite", "page.html")
    assert code == 2
    assert "--format chat" in err
    assert not Path("page.html").exists()


def test_a_page_is_not_written_where_it_cannot_be(recorded: Run) -> None:
    Path("taken.html").mkdir()
    code, _, err = recorded("export", "run.sqlite", "taken.html")
    assert code == 2
    assert "taken.html cannot be written" in err
