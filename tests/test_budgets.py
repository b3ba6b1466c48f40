"""Lines and files of each folder against the table of docs/architecture.md."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
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
