"""What is asked of an environment by mistake: a sentence that names it, from each kind alike."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.config import TownConfig, TownOptions
from genagents_env.errors import ConfigError, EpisodeError
from genagents_env.run import RunSpec, rollout, rollouts
from genagents_env.scenario import load_scenario
from genagents_env.train.tasks import find_layout, get_task
from genagents_env.train.tasks.vector import make_vector
from genagents_env.train.wrappers import VectorTown
from genagents_env.world.interventions import News

Make = Callable[..., Any]
TOWNS: dict[str, Make] = {
    "town": town_v0.parallel_env,
    "task": lambda **options: town_v0.rl_env("meet", **options),
}
RESETS: dict[str, Make] = {
    **{name: lambda make=make, **given: make().reset(**given) for name, make in TOWNS.items()},
    "turns": lambda **given: town_v0.env().reset(**given),
    "vector": lambda **given: VectorTown("tiny", 2).reset(**given),
    "task vector": lambda **given: make_vector("meet", 1, 1).reset(**given),
}
SEEDED: dict[str, Make] = {
    **RESETS,
    "run": lambda seed: RunSpec(TownConfig(), seed),
    "rollout": lambda seed: rollout(town_v0.parallel_env(), seed=seed, max_ticks=1),
    "rollouts": lambda seed: list(rollouts(seeds=[seed], max_ticks=1)),
    "layout": lambda seed: find_layout(seed),
    "draw": lambda seed: get_task("meet").draw(seed),
}


NO_SEEDS = (-1, np.int64(-1), 2**63)


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        *((kind, seed) for kind in SEEDED for seed in NO_SEEDS),
        *((kind, seed) for kind in ("town", "task", "turns", "run") for seed in (0.5, "a")),
    ],
)
def test_what_is_no_seed_is_refused_the_same_everywhere(kind: str, seed: object) -> None:
    with pytest.raises(ConfigError, match=r"seed: .*(is not allowed; a whole number from 0 to)"):
        SEEDED[kind](seed=seed)


@pytest.mark.parametrize("kind", SEEDED)
def test_a_seed_of_numpy_is_a_seed_everywhere(kind: str) -> None:
    SEEDED[kind](seed=np.int64(7))


@pytest.mark.parametrize("kind", RESETS)
def test_options_that_reset_has_not_are_refused(kind: str) -> None:
    with pytest.raises(ConfigError, match="options: no 'layout'; reset has none"):
        RESETS[kind](seed=0, options={"layout": 3})
    for options in (None, {}, {"options": 1}):  # the last one is that of PettingZoo's API tests
        RESETS[kind](seed=0, options=options)


@pytest.mark.parametrize("kind", TOWNS)
def test_what_needs_an_episode_says_so_before_there_is_one(kind: str) -> None:
    env = TOWNS[kind](render_mode="ansi")
    asked: dict[str, Callable[[], object]] = {
        "state": env.state,
        "render": env.render,
        "step": lambda: env.step({}),
        "events": lambda: env.events,
        "intervene": lambda: town_v0.parallel_env().intervene(News("Rain.")),
    }
    for name, ask in asked.items():
        with pytest.raises(EpisodeError, match=rf"call reset\(\) before {name}"):
            ask()


@pytest.mark.parametrize("kind", TOWNS)
@pytest.mark.parametrize("actions", [None, [0, 0], 3])
def test_actions_that_are_no_dict_are_refused(kind: str, actions: object) -> None:
    env = TOWNS[kind]()
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="actions: a dict of actions by agent is wanted, no"):
        env.step(actions)


def test_keyword_arguments_are_the_fields_of_the_config() -> None:
    names = [field.name for field in fields(TownConfig)]
    assert names == ["scenario", *TownOptions.__annotations__]


@pytest.mark.parametrize("option", [{"people": ["Ada Brook"]}, {"place": "Cottage/study"}])
def test_a_loaded_scenario_has_its_people_and_places(option: TownOptions) -> None:
    with pytest.raises(ConfigError, match="only with a scenario given by name or folder"):
        TownConfig(load_scenario("tiny"), **option)


def test_many_towns_have_the_menu_and_no_other_actions() -> None:
    with pytest.raises(ConfigError, match="actions: 'words' is not allowed"):
        VectorTown("tiny", 1, actions="words")
