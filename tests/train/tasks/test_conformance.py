"""PettingZoo's own conformance tests and ours, on every task in both formats."""

import warnings
from collections.abc import Iterator
from functools import partial

import pytest

from genagents_env import town_v0
from genagents_env.testing import check_env
from genagents_env.train.tasks import HELD_OUT, TASKS, TaskEnv
from tests.test_conformance import ADVICE, FORMATS, run_tests_of
from tests.train.tasks.names import LARGE, SMALL

QUICK = [(task, FORMATS[k % 2]) for k, task in enumerate(SMALL)]
# All share one env: every third is enough for the quick tests.
SOON = [
    pytest.param(*one, marks=() if k % 3 == 0 else pytest.mark.slow) for k, one in enumerate(QUICK)
]
OTHERS = [(task, FORMATS[1 - k % 2]) for k, task in enumerate(SMALL)]


def make(task: str, actions: str, **options: object) -> TaskEnv:
    return town_v0.rl_env(task, actions=actions, **options)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for advice in ADVICE:
            warnings.filterwarnings("ignore", message=advice)
        yield


@pytest.mark.parametrize(("task", "actions"), SOON)
def test_each_task_keeps_the_contract(task: str, actions: str) -> None:
    run_tests_of(partial(make, task, actions), cycles=3)


@pytest.mark.slow
@pytest.mark.parametrize(("task", "actions"), OTHERS)
def test_each_task_keeps_the_contract_in_the_other_format(task: str, actions: str) -> None:
    run_tests_of(partial(make, task, actions), cycles=6)


@pytest.mark.parametrize("actions", FORMATS)
def test_our_check_passes_an_errand(actions: str) -> None:
    check_env(partial(make, "errand", actions, percepts=True), steps=10)


@pytest.mark.slow
@pytest.mark.parametrize(("task", "actions"), OTHERS)
def test_our_check_passes(task: str, actions: str) -> None:
    check_env(partial(make, task, actions, percepts=True), steps=15)


@pytest.mark.slow
@pytest.mark.parametrize(("task", "actions"), QUICK)
def test_our_check_passes_over_several_episodes(task: str, actions: str) -> None:
    steps = 2 * TASKS[task].horizon + 10
    check_env(partial(make, task, actions, text=True), steps=steps, seed=HELD_OUT.start + 1)


@pytest.mark.slow
@pytest.mark.parametrize("task", LARGE)
@pytest.mark.parametrize("actions", FORMATS)
def test_tasks_in_large_towns_keep_the_contract(task: str, actions: str) -> None:
    run_tests_of(partial(make, task, actions), cycles=3)


@pytest.mark.slow
@pytest.mark.parametrize("task", LARGE)
@pytest.mark.parametrize("actions", FORMATS)
def test_our_check_passes_in_large_towns(task: str, actions: str) -> None:
    check_env(partial(make, task, actions, percepts=True), steps=10)
