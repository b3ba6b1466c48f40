"""The options of a town: declared once, taken by one town and by many."""

from dataclasses import fields

import pytest

from genagents_env import town_v0
from genagents_env.config import TownConfig, TownOptions
from genagents_env.errors import ConfigError
from genagents_env.scenario import load_scenario
from genagents_env.train.wrappers import VectorTown


def test_keyword_arguments_are_the_fields_of_the_config() -> None:
    names = [field.name for field in fields(TownConfig)]
    assert names == ["scenario", *TownOptions.__annotations__]


def test_a_config_makes_the_town_that_its_options_make() -> None:
    config = TownConfig("tiny", actions="menu", hours=1.0, place="Cottage/study")
    env = town_v0.parallel_env(config, ids="indexed")
    assert env.config == TownConfig(
        "tiny", actions="menu", hours=1.0, place="Cottage/study", ids="indexed"
    )
    env.reset(seed=0)
    assert {event.data["place"] for event in env.events if event.kind == "start"} == {
        "Cottage/study"
    }


@pytest.mark.parametrize("option", [{"people": ["Ada Brook"]}, {"place": "Cottage/study"}])
def test_a_loaded_scenario_has_its_people_and_places(option: TownOptions) -> None:
    with pytest.raises(ConfigError, match="only with a scenario given by name or folder"):
        TownConfig(load_scenario("tiny"), **option)


def test_many_towns_have_the_menu_and_no_other_actions() -> None:
    with pytest.raises(ConfigError, match="actions: 'words' is not allowed"):
        VectorTown("tiny", 1, actions="words")
