"""Each story can be won by what its people say and do, and lost: lived through the real run."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.scenario import load_scenario
from genagents_env.study.evaluate.measures.success import compute_outcomes
from genagents_env.study.evaluate.run_data import RunData
from tests.scenario.stories.names import STORIES

HERE = Path(__file__).parent
PLAYS: Mapping[str, Mapping[str, Mapping[str, list[str]]]] = tomllib.loads(
    (HERE / "plays.toml").read_text()
)
WON = "won"
LOSSES = [  # of each story the first is lived in the quick tests
    pytest.param(story, name, marks=() if k == 0 else pytest.mark.slow)
    for story, plays in PLAYS.items()
    for k, name in enumerate(name for name in plays if name != WON)
]


def live(story: str, policy: PolicySpec, path: Path, seed: int = 0) -> dict[str, bool | None]:
    """Return what came of each success of a story at the end of a run."""
    spec = RunSpec(TownConfig(story), seed=seed, policy=policy)
    result = run(spec, path / "run.sqlite", RunOptions(trust_policies=True))
    assert result.status == "finished"
    with RunReader(path / "run.sqlite") as reader:
        outcomes = compute_outcomes(RunData(reader))
    found: dict[str, bool | None] = dict.fromkeys(one.id for one in load_scenario(story).success)
    found |= {one.success: one.majority for one in outcomes if one.when == "after"}
    return found


@cache
def play(story: str, name: str) -> Mapping[str, bool | None]:
    policy = PolicySpec(str(HERE / "cast.py"), {"parts": PLAYS[story][name]})
    with TemporaryDirectory() as folder:
        return live(story, policy, Path(folder))


@pytest.mark.parametrize("story", STORIES)
def test_a_story_is_won_by_those_who_do_what_it_takes(story: str) -> None:
    assert play(story, WON)[WON] is True


@pytest.mark.parametrize("story", STORIES)
def test_a_story_is_not_won_by_doing_nothing(story: str, tmp_path: Path) -> None:
    """Who says and does nothing is asked all the same, and loses; the idle cannot be asked."""
    silent = PolicySpec(str(HERE / "cast.py"), {"parts": {}})
    assert live(story, silent, tmp_path)[WON] is False


@pytest.mark.slow
@pytest.mark.parametrize(("number", "story"), list(enumerate(STORIES)))
def test_a_story_is_not_won_by_chance(number: int, story: str, tmp_path: Path) -> None:
    policy = PolicySpec(("random", "random", "idle")[number % 3])
    assert not live(story, policy, tmp_path, number)[WON]


@pytest.mark.parametrize("story", STORIES)
def test_a_story_says_when_it_is_won_and_asks_before_it(story: str) -> None:
    scenario = load_scenario(story)
    assert scenario.success[-1].id == WON
    assert "Won when " in scenario.description
    assert 2 <= len(scenario.people) <= 6
    assert 0.25 <= scenario.hours <= 1
    assert scenario.facts
    assert scenario.questions


@pytest.mark.parametrize(("story", "name"), LOSSES)
def test_a_story_is_lost_by_those_who_do_not(story: str, name: str) -> None:
    assert play(story, name)[WON] is False
