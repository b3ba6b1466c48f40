"""The town as tools, called as TRL's GRPO trainer calls them."""

import inspect

import pytest

from genagents_env.errors import EpisodeError
from genagents_env.train.language import Session, TownTools


def list_tools(town: TownTools) -> list[str]:
    """As the trainer finds them: public methods of the class but two."""
    found = inspect.getmembers(type(town), predicate=inspect.isfunction)
    return [n for n, _ in found if not n.startswith("_") and n not in ("reset", "get_reward")]


def test_the_tools_are_the_actions_with_types_and_a_word_on_each_argument() -> None:
    town = TownTools()
    assert list_tools(town) == ["interact", "leave", "move", "talk", "wait"]
    for name in list_tools(town):
        tool = getattr(town, name)
        assert "Returns:" in tool.__doc__
        for argument, told in inspect.signature(tool).parameters.items():
            assert told.annotation in (str, int)
            assert f"{argument}: " in tool.__doc__


def test_a_rollout_earns_what_its_session_does() -> None:
    town = TownTools("tiny", agent="Ada Brook", others="idle")
    said = town.reset(prompt=[{"role": "user", "content": ""}], seed=3)
    assert "Light the lamp in the study." in said
    assert "Reply with one JSON object" not in said
    assert "You are at Cottage, study." in town.move("Cottage/study")
    assert "lamp (lit" in town.interact("lamp", "lit")
    earned = town.get_reward()
    with Session("tiny", "Ada Brook", "idle", seed=3) as session:
        session.act('{"do": "move", "target": "Cottage/study"}')
        session.act('{"do": "interact", "target": "lamp", "words": "lit"}')
        while not session.done:
            session.act('{"do": "wait", "minutes": 60}')
        assert earned == session.episode_return > 0.8
    assert town.get_reward() == earned


def test_who_stops_calling_tools_pays_for_the_rest_of_the_episode() -> None:
    town = TownTools("tiny", agent=0, others="idle")
    town.reset(seed=0)
    assert town.get_reward() == pytest.approx(-0.6)


def test_a_row_chooses_the_episode() -> None:
    town = TownTools(others="idle")
    ada = town.reset(seed=1, agent="Ada Brook")
    assert town.reset(seed=1, agent="Ben Carver") != ada
    assert town.reset(seed=1, agent="Ada Brook") == ada
    assert "errand" not in town.reset(seed=5, town="errand", agent=2)


def test_an_impossible_tool_call_is_reported() -> None:
    town = TownTools(others="idle", max_ticks=2)
    with pytest.raises(EpisodeError, match="reset"):
        town.wait()
    with pytest.raises(EpisodeError, match="whole number"):
        town.reset(seed="x")
    town.reset(seed=0)
    assert "no place called 'Mars'" in town.move("Mars")
    assert town.talk("Hello") == "The episode is over."
    with pytest.raises(EpisodeError, match="over"):
        town.leave()


def test_trl_reads_the_tools_as_they_are() -> None:
    utils = pytest.importorskip("transformers.utils")
    town = TownTools()
    for name in list_tools(town):
        function = utils.get_json_schema(getattr(town, name))["function"]
        assert function["name"] == name
        assert all(one["description"] for one in function["parameters"]["properties"].values())
