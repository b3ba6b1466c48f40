"""PettingZoo's own conformance tests and ours, on every shipped scenario in both formats."""

import functools
import gc
import types
import warnings
from collections.abc import Callable, Iterator
from typing import TypedDict, Unpack

import pytest
from pettingzoo import AECEnv
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.test.state_test import state_test
from pettingzoo.utils import parallel_to_aec

from genagents_env import town_v0
from genagents_env.memory.embed import HashedNgrams
from genagents_env.scenario import list_scenario_names
from genagents_env.testing import check_env
from genagents_env.train.tasks import TASKS
from genagents_env.train.wrappers import DropText, EncodeText, FlatBox, MaskInInfo
from genagents_env.train.wrappers.observation import Env
from tests.scenario.stories.names import STORIES

SCENARIOS = list_scenario_names()
LARGER = [name for name in SCENARIOS if name not in ("tiny", *STORIES)]
FORMATS = ("words", "menu")
WRAPPERS: dict[str, Callable[[Env], Env]] = {
    "bare": lambda env: env,
    "flat_box": FlatBox,
    "drop_text": DropText,
    "encode_text": lambda env: EncodeText(env, HashedNgrams(16), 16),
    "mask_in_info": MaskInInfo,
}
# PettingZoo's advice, not its rules: our ids are names, our observations Dicts.
ADVICE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action space for each agent probably should be",
    "We recommend agents to be named",
)

every_format = pytest.mark.parametrize("actions", FORMATS)
every_wrapper = pytest.mark.parametrize("wrapper", WRAPPERS)


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()  # what earlier tests left unclosed is not for these to answer
        warnings.simplefilter("error")
        for advice in ADVICE:
            warnings.filterwarnings("ignore", message=advice)
        yield


class TownOptions(TypedDict, total=False):
    """What a test sets beside scenario, format and wrapper."""

    start: str
    ids: str
    percepts: bool
    max_cycles: int
    render_mode: str | None


def make(scenario: str, actions: str, wrapper: str = "bare", **options: Unpack[TownOptions]) -> Env:
    return WRAPPERS[wrapper](town_v0.parallel_env(scenario=scenario, actions=actions, **options))


def run_pettingzoos_tests(scenario: str, actions: str, wrapper: str, cycles: int) -> None:
    """Run all of PettingZoo's tests for either kind of environment, each for so many cycles."""
    options: TownOptions = {"start": "09:00"} if scenario in LARGER else {}  # people are up
    run_tests_of(functools.partial(make, scenario, actions, wrapper, **options), cycles)


def run_tests_of(parallel: Callable[..., Env], cycles: int) -> None:
    """Run them on the env that `parallel` makes, of which it takes options."""

    def aec(**more: Unpack[TownOptions]) -> AECEnv[str, object, object]:
        return parallel_to_aec(parallel(**more))

    parallel_api_test(parallel(), num_cycles=5 * cycles)
    api_test(aec(), num_cycles=cycles)
    seed_test(aec, cycles)
    parallel_seed_test(parallel, cycles)
    state_test(aec(max_cycles=6), parallel(max_cycles=6))
    render_test(aec)
    max_cycles_test(types.SimpleNamespace(env=aec, parallel_env=parallel))


@every_wrapper
@every_format
def test_tiny_behind_each_wrapper_keeps_the_contract(actions: str, wrapper: str) -> None:
    run_pettingzoos_tests("tiny", actions, wrapper, cycles=40)


FAST = [
    *((name, FORMATS[k % 2]) for k, name in enumerate(LARGER)),
    *(("give_secretly", "words"), ("open_gate", "menu")),  # whose things and rooms have rules
]
SLOW = [
    *((name, FORMATS[1 - k % 2]) for k, name in enumerate(LARGER)),
    *((story, FORMATS[k % 2]) for k, story in enumerate(STORIES)),
]


@pytest.mark.parametrize(
    ("scenario", "actions"),
    [*FAST, *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW)],
)
def test_each_scenario_keeps_the_contract(scenario: str, actions: str) -> None:
    run_pettingzoos_tests(scenario, actions, "bare", cycles=4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("actions", "wrapper"),
    [(FORMATS[k % 2], name) for k, name in enumerate(WRAPPERS) if name != "bare"],
)
def test_a_whole_town_behind_each_wrapper_keeps_the_contract(actions: str, wrapper: str) -> None:
    run_pettingzoos_tests("murder_mystery", actions, wrapper, cycles=4)


@every_format
@pytest.mark.parametrize("scenario", ["tiny", "murder_mystery"])
def test_the_registered_aec_environments_keep_the_contract(scenario: str, actions: str) -> None:
    cycles = 200 if scenario == "tiny" else 4
    api_test(town_v0.env(scenario=scenario, actions=actions), num_cycles=cycles)
    api_test(town_v0.raw_env(scenario=scenario, actions=actions), num_cycles=cycles)
    made = functools.partial(town_v0.env, scenario=scenario, actions=actions)
    seed_test(made, cycles // 2)
    render_test(made)
    max_cycles_test(
        types.SimpleNamespace(env=made, parallel_env=functools.partial(make, scenario, actions))
    )
    state_test(made(max_cycles=6), make(scenario, actions, max_cycles=6))


@every_format
def test_indexed_ids_conform(actions: str) -> None:
    parallel_api_test(make("tiny", actions, ids="indexed"), num_cycles=200)
    api_test(town_v0.env(scenario="tiny", actions=actions, ids="indexed"), num_cycles=50)


CHECKED = [
    *((name, FORMATS[k % 2], 20, 0) for k, name in enumerate(LARGER)),
    *(("tiny", FORMATS[seed % 2], 30, seed) for seed in range(1, 8)),
]


@pytest.mark.parametrize(
    ("scenario", "actions", "steps", "seed"),
    [
        *(("tiny", actions, 200, 0) for actions in FORMATS),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in CHECKED),
    ],
)
def test_our_check_passes(scenario: str, actions: str, steps: int, seed: int) -> None:
    make_town = functools.partial(make, scenario, actions, percepts=True)
    check_env(make_town, steps=steps, seed=seed)


def test_the_town_is_registered() -> None:
    pettingzoo = pytest.importorskip("pettingzoo", "1.27")
    for kind in ("parallel", "aec"):
        env = pettingzoo.make(kind, "genagents/town-v0", scenario="tiny")
        env.reset(seed=0)
        assert env.possible_agents == make("tiny", "words").possible_agents
        env.close()


@pytest.mark.parametrize("task", TASKS)
def test_each_task_is_registered_under_its_name(task: str) -> None:
    pettingzoo = pytest.importorskip("pettingzoo", "1.27")
    env = pettingzoo.make("parallel", f"genagents/{task}-v0", shaping=0.5)
    assert env.unwrapped.metadata["name"] == f"{task}_v0"
    assert env.unwrapped.task is TASKS[task]
