"""docs/architecture.md is a map of files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
FILE = re.compile(r"`([\w./-]+\.(?:py|md|toml|json|ts)|\.ci/run)`")
WAYS = dict(re.findall(r"^### (.+)\n\n((?:\d+\. .+\n)+)", PAGE, re.M))


def test_every_file_named_is_there() -> None:
    assert len(WAYS) == 6
    named = {path for path in FILE.findall(PAGE) if "/" in path}
    assert len(named) > 60
    assert sorted(path for path in named if not (ROOT / path).is_file()) == []


@pytest.mark.parametrize("way", WAYS)
def test_a_way_is_a_file_a_line_and_enters_none_twice(way: str) -> None:
    lines = WAYS[way].splitlines()
    files = [FILE.search(line.split(": ")[0]) for line in lines]
    assert None not in files
    assert len({found[1] for found in files if found}) == len(lines) > 4


def test_each_question_is_answered_by_one_file() -> None:
    rows = re.findall(r"^\| (.+\?) \| (.+) \|$", PAGE, re.M)
    assert len(rows) >= 25
    assert len({question for question, _ in rows}) == len(rows)
    answers = [answer.split(" (")[0] for _, answer in rows]  # what else one may need is in brackets
    assert [answer for answer in answers if not FILE.fullmatch(answer)] == []
