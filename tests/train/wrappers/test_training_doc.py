"""Every snippet of docs/training.md runs, where its framework is installed."""

import importlib.util
import re
from pathlib import Path

import pytest

DOC = Path(__file__).parents[3] / "docs" / "training.md"
SNIPPETS = re.findall(r"```python\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)


def needs(snippet: str) -> list[str]:
    found = re.match(r"# needs: (.*)", snippet)
    return [name.strip() for name in found.group(1).split(",")] if found else []


def title(snippet: str) -> str:
    return ",".join(needs(snippet)) or "no framework"


@pytest.mark.parametrize("snippet", SNIPPETS, ids=title)
def test_a_snippet_runs(snippet: str) -> None:
    missing = [name for name in needs(snippet) if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    exec(compile(snippet, str(DOC), "exec"), {"__name__": "snippet"})  # noqa: S102 (our own)
