"""Rewards for being somewhere: company, occupancy, public goods."""

from functools import partial
from typing import Any

import pytest

from genagents_env.actions import Move
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.scenario.schema import Goal, Reward
from tests.goal_towns import ADA, BEN, make_tiny
from tests.world.rewards.test_goals import play as play_goals

KITCHEN, STUDY = "Cottage/kitchen", "Cottage/study"
play = partial(play_goals, seed=1)
GO = [{ADA: Move(STUDY)}] * 9
START = make_tiny().start
TIME = {"start": START, "end": START.replace(minute=2)}


def make_env(name: str, *goals: Goal, **reward: Any) -> TownEnv:
    paid = Reward.model_validate({"name": name, "goals": goals, **reward})
    return TownEnv(make_tiny().model_copy(update={"reward": paid}), max_cycles=30)


def be(agent: str, place: str, **more: Any) -> Goal:
    return Goal(agent=agent, kind="be", place=place, **more)


def test_company_pays_both_while_both_are_there() -> None:
    env = make_env("company", be(ADA, STUDY, **TIME), be(BEN, STUDY, worth=2.0, **TIME))
    earned = play(env, [*GO, *[{}] * 5])
    arrived = next(t for t, value in enumerate(earned[ADA]) if value)
    assert 0 < arrived < 9
    assert earned[ADA] == [0.0] * arrived + [1 / 12] * (12 - arrived) + [0.0] * 2
    assert earned[BEN] == [0.0] * arrived + [2 / 12] * (12 - arrived) + [0.0] * 2
    assert env.parts.reward.is_done()


def test_company_at_different_places_is_none() -> None:
    env = make_env("company", be(ADA, KITCHEN, **TIME), be(BEN, STUDY, **TIME))
    assert sum(sum(one) for one in play(env, [{}] * 12).values()) == 0


def test_occupancy_is_worth_less_once_it_was_enough() -> None:
    goals = be(ADA, KITCHEN), be(BEN, KITCHEN)
    env = make_env("occupancy", *goals, need=4, surplus=0.5, step_cost=0.01)
    earned = play(env, [{}] * 6)
    assert earned[ADA] == [0.24] * 4 + [0.125] * 2
    assert earned[BEN] == [-0.01] * 6
    assert env.parts.reward.board.done.tolist() == [[True, False], [False, False]]


def test_work_at_the_common_place_is_divided() -> None:
    goals = be(ADA, STUDY), be(ADA, KITCHEN, worth=0.5), be(BEN, STUDY)
    env = make_env("public_goods", *goals, common=STUDY)
    horizon = env.world.scenario.horizon
    earned = play(env, [*GO, {}])
    assert earned[ADA][0] == pytest.approx(1.0 / horizon)  # her own half, and half of Ben's
    assert earned[BEN][0] == pytest.approx(0.5 / horizon)
    assert earned[ADA][-1] == earned[BEN][-1] == pytest.approx(1.0 / horizon)


def test_shared_presence_is_divided_whole() -> None:
    goals = be(ADA, KITCHEN), be(BEN, KITCHEN)
    env = make_env("occupancy", *goals, need=4, shared=True)
    assert play(env, [{}] * 2) == {ADA: [0.125] * 2, BEN: [0.125] * 2}


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("company", {}),
        ("occupancy", {"need": 3, "step_cost": 0.01}),
        ("public_goods", {"common": STUDY}),
    ],
)
def test_an_episode_saved_in_its_middle_earns_the_same(name: str, more: dict[str, Any]) -> None:
    time = TIME if name == "company" else {}
    goals = [be(who, place, **time) for who in (ADA, BEN) for place in (STUDY, KITCHEN)]
    whole = play(make_env(name, *goals, shaping=1.0, **more), [*GO, {}, {}])
    first, other = (make_env(name, *goals, shaping=1.0, **more) for _ in range(2))
    head = play(first, GO[:5])
    other.load_state(first.save_state())
    for acts in [*GO[5:], {}, {}]:
        for who, value in other.step(acts)[1].items():
            head[who].append(value)
    assert head == whole
    assert sum(whole[ADA]) != 0


def test_a_state_of_other_goals_is_refused() -> None:
    plain = make_env("occupancy", be(ADA, STUDY))
    other = make_env("occupancy", be(ADA, STUDY), be(BEN, STUDY))
    plain.reset(seed=0)
    with pytest.raises(ConfigError, match="no saved state of the scenario's goals"):
        other.load_state(plain.save_state())


def test_a_reward_by_name_wants_what_it_pays_for() -> None:
    for name in ("goals", "company", "occupancy", "public_goods"):
        with pytest.raises(ConfigError, match=f"'{name}' needs a scenario that declares reward"):
            TownEnv("valentines_party", reward=name)
    with pytest.raises(ConfigError, match="needs a scenario that declares reward"):
        TownEnv("tiny", reward="public_goods")
    for name in ("company", "occupancy"):
        with pytest.raises(ConfigError, match=f"'{name}' pays for goals of the kind `be` alone"):
            TownEnv("tiny", reward=name)
    with pytest.raises(ConfigError, match="'company' needs goals with a `start` and an `end`"):
        make_env("company", be(ADA, STUDY))
