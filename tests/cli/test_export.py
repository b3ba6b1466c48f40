"""`genagents export` writes the page where a page is named, and lines where a folder is."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.run.towns import run_town


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("run.html", "run.html"),
        ("--out run.html", "run.html"),
        ("--out page --format html", "page"),
        ("run.html --format html", "run.html"),
        ("--out lines.html --format jsonl", "lines.html/events.jsonl"),
    ],
)
def test_a_page_or_lines_are_written_where_they_are_named(
    genagents: Run, words: str, made: str
) -> None:
    run_town(Path("run.sqlite"), ticks=12)
    code, out, err = genagents("export", "run.sqlite", *words.split())
    assert (code, err) == (0, "")
    assert made in out
    begin = b'{"agent":' if made.endswith("jsonl") else b"<!doctype html>"
    assert Path(made).read_bytes().startswith(begin)
