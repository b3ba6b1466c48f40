"""The pages of the tasks say what the tasks are now."""

from functools import cache

import pytest

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
