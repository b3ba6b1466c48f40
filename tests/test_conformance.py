"""PettingZoo's own conformance tests and ours, on every shipped scenario in both formats."""

import functools
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
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
from genagents_env.scenario import scenario_names
from genagents_env.testing import check_env
from genagents_env.wrappers import DropText, EncodeText, FlatBox, MaskInInfo, RenameForRLlib

SCENARIOS = scenario_names()
# For what is slow: of the five that share SakuraMachi one, since they differ in people and words.
WRAPPED = ("valentines_party", "mayoral_election", "murder_mystery")
FORMATS = ("words", "menu")
WRAPPERS: dict[str, Callable[[Any], Any]] = {
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

every_scenario = pytest.mark.parametrize("scenario", SCENARIOS)
every_format = pytest.mark.parametrize("actions", FORMATS)
every_wrapper = pytest.mark.parametrize("wrapper", WRAPPERS)


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for advice in ADVICE:
            warnings.filterwarnings("ignore", message=advice)
        yield


def make(scenario: str, actions: str, wrapper: str = "bare", **options: Any) -> Any:
    return WRAPPERS[wrapper](town_v0.parallel_env(scenario=scenario, actions=actions, **options))


def test_all_shipped_scenarios_are_tested() -> None:
    assert {"tiny", "valentines_party"} <= set(SCENARIOS)


@every_wrapper
@every_format
def test_parallel_api_wrapped(actions: str, wrapper: str) -> None:
    parallel_api_test(make("tiny", actions, wrapper), num_cycles=1000)


def test_parallel_api_renamed_for_rllib() -> None:
    parallel_api_test(RenameForRLlib(make("tiny", "menu")), num_cycles=1000)


def _all_other_tests(scenario: str, actions: str, wrapper: str, cycles: int) -> None:
    options: dict[str, Any] = {} if scenario == "tiny" else {"start": "09:00"}  # people are up
    parallel = functools.partial(make, scenario, actions, wrapper, **options)

    def aec(**more: Any) -> Any:
        return parallel_to_aec(parallel(**more))

    api_test(aec(), num_cycles=cycles)
    seed_test(aec, cycles)
    parallel_seed_test(parallel, cycles)
    state_test(aec(max_cycles=6), parallel(max_cycles=6))
    render_test(aec)
    max_cycles_test(types.SimpleNamespace(env=aec, parallel_env=parallel))


@every_wrapper
@every_format
def test_the_other_tests_wrapped(actions: str, wrapper: str) -> None:
    _all_other_tests("tiny", actions, wrapper, cycles=60)


@pytest.mark.slow
@every_format
@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name != "tiny"])
def test_parallel_api_of_each_scenario(scenario: str, actions: str) -> None:
    parallel_api_test(make(scenario, actions), num_cycles=1000)


@pytest.mark.slow
@every_wrapper
@every_format
@pytest.mark.parametrize("scenario", WRAPPED)
def test_each_scenario_wrapped_keeps_the_contract(
    scenario: str, actions: str, wrapper: str
) -> None:
    parallel_api_test(make(scenario, actions, wrapper, start="09:00"), num_cycles=1000)
    _all_other_tests(scenario, actions, wrapper, cycles=4)


@every_format
@every_scenario
def test_api(scenario: str, actions: str) -> None:
    cycles = 200 if scenario == "tiny" else 4
    api_test(town_v0.env(scenario=scenario, actions=actions), num_cycles=cycles)
    api_test(town_v0.raw_env(scenario=scenario, actions=actions), num_cycles=cycles)


@every_format
@every_scenario
def test_seed(scenario: str, actions: str) -> None:
    cycles = 100 if scenario == "tiny" else 4
    seed_test(functools.partial(town_v0.env, scenario=scenario, actions=actions), cycles)
    parallel_seed_test(functools.partial(make, scenario, actions), cycles)


@every_format
@every_scenario
def test_render(scenario: str, actions: str) -> None:
    render_test(functools.partial(town_v0.env, scenario=scenario, actions=actions))


@every_format
@every_scenario
def test_max_cycles(scenario: str, actions: str) -> None:
    module = types.SimpleNamespace(
        env=functools.partial(town_v0.env, scenario=scenario, actions=actions),
        parallel_env=functools.partial(make, scenario, actions),
    )
    max_cycles_test(module)


@every_format
@every_scenario
def test_state(scenario: str, actions: str) -> None:
    options: dict[str, Any] = {"scenario": scenario, "actions": actions, "max_cycles": 6}
    state_test(town_v0.env(**options), town_v0.parallel_env(**options))


@every_format
def test_indexed_ids_conform(actions: str) -> None:
    parallel_api_test(make("tiny", actions, ids="indexed"), num_cycles=200)
    api_test(town_v0.env(scenario="tiny", actions=actions, ids="indexed"), num_cycles=50)


@every_format
def test_our_check_passes(actions: str) -> None:
    check_env(functools.partial(make, "tiny", actions), steps=500)


@pytest.mark.slow
@every_format
@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name != "tiny"])
def test_our_check_passes_each_scenario(scenario: str, actions: str) -> None:
    check_env(functools.partial(make, scenario, actions), steps=60)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 200, 50))
def test_our_check_gives_no_false_alarm_over_200_seeds(start: int) -> None:
    for seed in range(start, start + 50):
        check_env(functools.partial(make, "tiny", FORMATS[seed % 2]), steps=30, seed=seed)


def test_the_town_is_registered() -> None:
    pettingzoo = pytest.importorskip("pettingzoo", "1.27")
    for kind in ("parallel", "aec"):
        env = pettingzoo.make(kind, "genagents/town-v0", scenario="tiny")
        env.reset(seed=0)
        assert env.possible_agents == make("tiny", "words").possible_agents
        env.close()
