"""The reward `success` pays what the measures then find in the record of the same episode."""

import json

import pytest

from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.run import rollout
from genagents_env.scenario import load_scenario
from genagents_env.scenario.schema import RecordCheck
from genagents_env.scenario.truth import list_decidable
from genagents_env.world.rewards.success import SuccessReward
from tests.scenario.stories.cast import CastPolicy
from tests.scenario.stories.names import STORIES
from tests.scenario.stories.test_stories import PLAYS, WON, play

# Of these an interview alone can tell anything.
UNPAID = {"combine_clues", "pick_captain"}
PAID = [story for story in STORIES if story not in UNPAID]
ENDINGS = [(story, name) for story in PAID for name in list(PLAYS[story])[:2]]


def make(story: str) -> TownEnv:
    return town_v0.parallel_env(story, reward="success")


def act_out(story: str, name: str) -> tuple[TownEnv, dict[str, float]]:
    env = make(story)
    return env, rollout(env, CastPolicy(PLAYS[story][name]), seed=0).returns


def find_truths(env: TownEnv) -> dict[str, bool]:
    reward = env.parts.reward
    assert isinstance(reward, SuccessReward)
    return reward.find_truths(env.world)


@pytest.mark.parametrize(("story", "name"), ENDINGS)
def test_what_is_paid_for_is_what_the_record_tells(story: str, name: str) -> None:
    env, returns = act_out(story, name)
    told = find_truths(env)
    found = play(story, name)
    checks = {check.id: check for check in env.world.scenario.checks}
    leaves = [one for one in list_decidable(env.world.scenario) if one.check is not None]
    of_record = [one.id for one in leaves if isinstance(checks[one.check or ""], RecordCheck)]
    assert {id_: told[id_] for id_ in of_record} == {id_: found[id_] for id_ in of_record}
    # An answer counts as right once its fact was heard: these plays answer what they heard.
    assert told.get(WON, found[WON]) == found[WON]
    fresh = make(story)
    fresh.reset(seed=0)
    before = find_truths(fresh)
    gained = (sum(told.values()) - sum(before.values())) / len(told)
    assert returns == pytest.approx(dict.fromkeys(returns, gained))


@pytest.mark.parametrize("story", sorted(UNPAID))
def test_a_story_that_only_answers_decide_says_so(story: str) -> None:
    assert list_decidable(load_scenario(story)) == ()
    with pytest.raises(ConfigError, match="a success that no interview decides"):
        make(story)


@pytest.mark.parametrize("story", ["give_secretly", "surprise_party"])
def test_a_saved_episode_goes_on_with_the_same_rewards(story: str) -> None:
    env, cast = make(story), CastPolicy(PLAYS[story][WON])
    env.percepts = True
    observations, infos = env.reset(seed=0)
    cast.reset(env.profiles(), 0, env.context())
    saved, at, paid = None, 0.0, 0.0
    while env.agents:
        actions = cast.act(observations, infos)
        observations, rewards, _, _, infos = env.step(actions)
        paid += max(rewards.values(), default=0.0)
        if env.world.tick == env.max_cycles - 20:
            saved, at = json.loads(json.dumps([env.save_state(), cast.state()])), paid
    other = make(story)
    other.percepts = True
    assert saved is not None
    observations, infos = other.load_state(saved[0])
    again = CastPolicy(PLAYS[story][WON])
    again.reset(other.profiles(), 0, other.context())
    again.load_state(saved[1])
    more = 0.0
    while other.agents:
        observations, rewards, _, _, infos = other.step(again.act(observations, infos))
        more += max(rewards.values(), default=0.0)
    assert at + more == pytest.approx(paid)
    assert find_truths(other) == find_truths(env)


@pytest.mark.parametrize(
    ("name", "people", "paid"),
    [
        *((story, None, "success") for story in PAID),
        *((name, None, "success") for name in ("sakura_machi", "murder_mystery_hard", "medicine")),
        *(("murder_mystery", cast, "success") for cast in ("3", "6", "9")),
        ("get_recipe", ["Otto Brandt"], "none"),  # no success is left; it can be lived all the same
    ],
)
def test_success_is_paid_for_by_default(name: str, people: str | list[str], paid: str) -> None:
    assert load_scenario(name, people).reward.name == paid
