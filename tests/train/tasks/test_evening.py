"""An evening of a shipped scenario: who takes part, what they know, and that it can be done."""

import pytest

from genagents_env import town_v0
from genagents_env.errors import ScenarioError
from genagents_env.run import rollout
from genagents_env.scenario import load_scenario
from genagents_env.train.tasks import TASKS, TaskEnv
from genagents_env.train.tasks.evening import KNOWERS, PEOPLE
from genagents_env.world.goals import describe_goal
from tests.train.tasks.names import LARGE

HOSTS = {"valentines_evening": "Isabella Rodriguez", "election_afternoon": "Sam Moore"}


def make(name: str) -> TaskEnv:
    return town_v0.rl_env(name, actions="words")


@pytest.mark.parametrize("name", LARGE)
def test_host_and_others_are_drawn_up_to_the_end_of_the_occasion(name: str) -> None:
    drawn = [TASKS[name].draw(seed) for seed in (0, 1, 1_000_000)]
    casts = [tuple(person.name for person in town.people) for town in drawn]
    assert len({*casts}) == 3
    for town, cast in zip(drawn, casts, strict=True):
        assert len(cast) == PEOPLE
        assert cast[0] == HOSTS[name]
        assert town.horizon == TASKS[name].horizon
        gathering = town.gatherings[0]
        assert load_scenario(TASKS[name].town or "").gatherings == town.gatherings
        word = next(fact for fact in town.facts if fact.id == gathering.fact)
        assert word.known_by == cast[:KNOWERS]


@pytest.mark.parametrize("name", LARGE)
def test_goals_hide_the_place_from_those_who_have_heard_nothing(name: str) -> None:
    env = make(name)
    env.reset(seed=0)
    board, place = env.parts.reward.board, env.world.scenario.gatherings[0].place
    told = [describe_goal(env.world, board, i, 0) for i in range(PEOPLE)]
    assert [place in text for text in told] == [True] * KNOWERS + [False] * (PEOPLE - KNOWERS)


@pytest.mark.parametrize("name", LARGE)
def test_by_a_convention_all_hear_of_it_and_come(name: str) -> None:
    env, task = make(name), TASKS[name]
    returns = rollout(env, task.make_solution(), seed=1_000_000).returns
    assert min(returns.values()) > 0.5
    assert sum(returns.values()) > 0.9 * (PEOPLE + KNOWERS)
    assert max(returns.values()) <= task.bounds[1]


def test_a_town_without_the_occasion_is_refused() -> None:
    with pytest.raises(ScenarioError, match="valentines_party has one"):
        TASKS["valentines_evening"].draw(0, "tiny")
