"""docs/architecture.md: a map of files that are there, and of how large each folder may be."""

import re
from collections import Counter
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


TOP = ("genagents_env", "policies", "examples", "benchmarks", "tests")
_ROW = re.compile(r"^\| `([^`]+)` \| ([\d,]+) \| ([\d,]+) \|$", re.M)


def name_folder(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    if parts[0] not in TOP[:2]:
        return parts[0]
    return "/".join(parts[:2]) if len(parts) > 2 else f"{parts[0]}/*.py"


def count_folders() -> dict[str, tuple[int, int]]:
    """Return lines and files of Python by folder; links and what is no source are left out."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for top in TOP:
        for path in (ROOT / top).rglob("*.py"):
            if "node_modules" in path.parts:
                continue
            lines[name_folder(path)] += len(path.read_text("utf-8").splitlines())
            files[name_folder(path)] += 1
    return {name: (lines[name], files[name]) for name in lines}


def test_no_folder_is_larger_than_its_budget() -> None:
    """Where one is: take something out, or raise its row and say in the commit what that buys."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## Budgets")[2]
    budgets = {
        name: (int(lines.replace(",", "")), int(files.replace(",", "")))
        for name, lines, files in _ROW.findall(page)
    }
    found = count_folders()
    assert sorted(found) == sorted(budgets)
    over = {
        name: (found[name], budgets[name])
        for name in found
        if any(have > most for have, most in zip(found[name], budgets[name], strict=True))
    }
    assert not over


def test_no_file_has_more_than_450_lines() -> None:
    every = (path for top in TOP for path in (ROOT / top).rglob("*.py"))
    kept = (path for path in every if "node_modules" not in path.parts)
    assert [path for path in kept if len(path.read_text("utf-8").splitlines()) > 450] == []
