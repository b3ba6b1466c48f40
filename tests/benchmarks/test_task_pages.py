"""The pages of the tasks say what the tasks are now."""

import json
from functools import cache
from pathlib import Path

import pytest

from benchmarks import plain
from benchmarks.task_pages import (
    FOLDER,
    LIST,
    find_baselines,
    format_pages,
    leave_out_earnings,
)
from genagents_env.train.tasks import TASKS
from genagents_env.train.tasks.task import read_baselines

ANEW = "python -m benchmarks.task_pages"


@cache
def pages() -> dict[str, str]:
    return format_pages()


@pytest.mark.parametrize("name", [LIST, *(f"{name}.md" for name in TASKS)])
def test_a_page_is_as_the_task_makes_it(name: str) -> None:
    """What was measured comes from docs/learning, which has tests of its own."""
    written = (FOLDER / name).read_text()
    assert leave_out_earnings(written) == leave_out_earnings(pages()[name]), ANEW


def test_there_is_a_page_for_each_task_and_for_nothing_else() -> None:
    assert {path.name for path in FOLDER.glob("*.md")} == set(pages())


def test_the_baselines_that_are_listed_are_those_that_were_measured() -> None:
    measured = find_baselines()
    assert read_baselines() == {task: measured[task] for task in read_baselines()}, ANEW


def test_baselines_are_means_over_episodes_seeds_and_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_out = {"idle": [-1.0], "random": [0.0, 0.5], "solution": [1.0, 0.5]}
    trained = {"0": {"held_out": [0.5, 0.75]}, "1": {"held_out": [0.75, 1.0]}}
    known = {"places": {"held_out": held_out}, "ppo": trained}
    (tmp_path / "meet.json").write_text(json.dumps(known))
    monkeypatch.setattr(plain, "FOLDER", tmp_path)
    means = {"idle": -1.0, "random": 0.25, "solution": 0.75, "PPO": 0.75}
    assert find_baselines() == {"meet": means}
