"""What an install has: the page and the demo runs, and nothing that only builds them."""

from functools import cache
from pathlib import Path

import pytest

from genagents_env.cli.view import DEMOS
from genagents_env.study.judge.kept_answers import find_kept_file

hatchling = pytest.importorskip("hatchling.builders.wheel", reason="hatchling builds the wheel")
ROOT = Path(__file__).resolve().parent.parent


@cache
def list_wheel() -> frozenset[str]:
    builder = hatchling.WheelBuilder(str(ROOT))
    return frozenset(file.distribution_path for file in builder.recurse_included_files())


def test_the_page_is_in_it() -> None:
    assert {
        f"genagents_env/show/view/page/{name}" for name in ("index.html", "view.js", "view.css")
    } <= (list_wheel())


def test_the_demo_runs_are_in_it_with_their_answers_and_nothing_else() -> None:
    folder = "genagents_env/show/view/runs/"
    kept = {find_kept_file(demo.path) for demo in DEMOS.values()}
    answers = {path.name for path in kept if path.exists()}
    assert answers == {f"smallville_{day}_february.interviews.jsonl" for day in (13, 14)}
    assert {name for name in list_wheel() if name.startswith(folder)} == {
        *(f"{folder}{demo.file}" for demo in DEMOS.values()),
        *(f"{folder}{name}" for name in answers),
    }


def test_what_the_page_is_built_from_is_not() -> None:
    assert not [name for name in list_wheel() if name.startswith("genagents_env/show/view/web")]
    assert not [name for name in list_wheel() if name.endswith((".ts", ".mjs"))]


def test_policies_and_scenarios_are_in_it() -> None:
    assert "genagents_env/policies/smallville/plan.py" in list_wheel()
    assert "genagents_env/scenarios/tiny/scenario.toml" in list_wheel()
