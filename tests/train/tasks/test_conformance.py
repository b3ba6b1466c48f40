"""PettingZoo's own conformance tests and ours, on every task in both formats."""

import warnings
from collections.abc import Iterator
from functools import partial

import pytest
from _pytest.mark import ParameterSet

from genagents_env import town_v0
from genagents_env.testing import check_env
from genagents_env.train.tasks import HELD_OUT, TASKS, TaskEnv
from tests.test_conformance import ADVICE, FORMATS, run_tests_of
from tests.train.tasks.names import LARGE, SMALL

Case = tuple[str, str]  # a task, a format of actions
QUICK: list[Case] = [(task, FORMATS[k % 2]) for k, task in enumerate(SMALL)]
OTHERS: list[Case] = [(task, FORMATS[1 - k % 2]) for k, task in enumerate(SMALL)]
IN_LARGE: list[Case] = [(task, FORMATS[k % 2]) for k, task in enumerate(LARGE)]


def slow(cases: list[Case], number: int) -> list[ParameterSet]:
    """Return slow cases with a number of cycles or steps."""
    return [pytest.param(*case, number, marks=pytest.mark.slow) for case in cases]


# All share one env: every third is enough for the quick tests.
CYCLES = [
    *((*case, 3) for case in QUICK[::3]),
    *slow(OTHERS, 4),
    *slow(IN_LARGE, 3),
]
STEPS = [*(("errand", actions, 10) for actions in FORMATS), *slow(OTHERS, 15), *slow(IN_LARGE, 10)]


def make(task: str, actions: str, **options: object) -> TaskEnv:
    return town_v0.rl_env(task, actions=actions, **options)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for advice in ADVICE:
            warnings.filterwarnings("ignore", message=advice)
        yield


@pytest.mark.parametrize(("task", "actions", "cycles"), CYCLES)
def test_each_task_keeps_the_contract(task: str, actions: str, cycles: int) -> None:
    run_tests_of(partial(make, task, actions), cycles=cycles)


@pytest.mark.parametrize(("task", "actions", "steps"), STEPS)
def test_our_check_passes(task: str, actions: str, steps: int) -> None:
    check_env(partial(make, task, actions, percepts=True), steps=steps)


@pytest.mark.slow
@pytest.mark.parametrize(("task", "actions"), QUICK)
def test_our_check_passes_into_the_next_episode(task: str, actions: str) -> None:
    steps = TASKS[task].horizon + 20
    check_env(partial(make, task, actions, text=True), steps=steps, seed=HELD_OUT.start + 1)
