"""What goals earn, one kind after another, and that an episode can be saved in its middle."""

from collections.abc import Sequence
from typing import Any

import pytest

from genagents_env.actions import Interact, Move, Talk
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.scenario.schema import Goal, Reward
from tests.goal_towns import ADA, BEN, make_fact, make_tiny

LAMP, KITCHEN, STUDY = "Cottage/study/lamp", "Cottage/kitchen", "Cottage/study"
HEAR = make_fact(1, None, ADA)
Acts = dict[str, Any]


def make_env(*goals: Goal, max_cycles: int = 20, **reward: Any) -> TownEnv:
    town = make_tiny(facts=(HEAR,))
    paid = Reward(name="goals", goals=goals, **reward)
    return TownEnv(town.model_copy(update={"reward": paid}), max_cycles=max_cycles)


def play(env: TownEnv, ticks: Sequence[Acts], seed: int = 0) -> dict[str, list[float]]:
    env.reset(seed=seed)
    earned: dict[str, list[float]] = {ADA: [], BEN: []}
    for acts in ticks:
        for name, value in env.step(acts)[1].items():
            earned[name].append(value)
    return earned


def light(by: str) -> list[Acts]:
    return [{by: Move(LAMP)}] * 15 + [{by: Interact(LAMP, "lit")}, {by: Interact(LAMP, "dark")}]


def test_use_is_paid_once_and_to_whose_hand_it_was() -> None:
    goal: dict[str, Any] = {"kind": "use", "object": LAMP, "state": "lit"}
    env = make_env(Goal(agent=ADA, **goal), Goal(agent=BEN, worth=3.0, **goal), step_cost=0.01)
    earned = play(env, [*light(BEN), {BEN: Interact(LAMP, "lit")}])
    assert earned[ADA] == [-0.01] * 18
    assert earned[BEN] == [-0.01] * 15 + [2.99, 0.0, 0.0]


def test_be_is_paid_on_arrival() -> None:
    earned = play(make_env(Goal(agent=ADA, kind="be", place=STUDY)), [{ADA: Move(STUDY)}] * 12)
    assert sorted(earned[ADA]) == [0.0] * 11 + [1.0]


def test_be_with_a_time_is_paid_by_the_part_spent_there() -> None:
    start = make_tiny().start
    time: dict[str, Any] = {"start": start.replace(second=20), "end": start.replace(minute=1)}
    goal = Goal(agent=ADA, kind="be", place=KITCHEN, worth=2.0, **time)
    earned = play(make_env(goal), [{}] * 8)[ADA]
    # From 20 to 60 seconds: four ticks of ten, of which the third to the sixth count.
    assert earned == [0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0]


def test_meet_and_bring_look_at_where_the_other_is() -> None:
    env = make_env(
        Goal(agent=ADA, kind="meet", person=BEN, place=STUDY),
        Goal(agent=ADA, kind="bring", person=BEN, place=KITCHEN, worth=5.0),
    )
    earned = play(env, [{ADA: Move(STUDY)}] * 8 + [{ADA: Move(BEN)}] * 8)[ADA]
    assert sum(earned) == 1.0  # she came to him; he never came to the kitchen
    state = env.world.state
    assert state.arena[0] == state.arena[1]
    earned = play(env, [{BEN: Move(KITCHEN)}] * 12)[ADA]
    assert sum(earned) >= 5.0


def test_tell_pays_for_each_who_learns_and_keep_costs() -> None:
    env = make_env(
        Goal(agent=ADA, kind="tell", fact=HEAR.id),
        Goal(agent=BEN, kind="keep", fact=HEAR.id, person=ADA),
        step_cost=0.1,
    )
    to_ben = [{ADA: Move(STUDY)}] * 10 + [{ADA: Talk(BEN, HEAR.statement)}]
    earned = play(env, to_ben)
    assert earned[ADA] == [-0.1] * 10 + [0.9]
    assert sum(earned[BEN]) == -1.0  # who knew it from the start; keeping costs nothing by the tick
    assert env.parts.reward.is_done()


def test_the_episode_ends_when_all_is_done_where_it_says_so() -> None:
    goal = Goal(agent=BEN, kind="use", object=LAMP, state="lit")
    for ends in (True, False):
        env = make_env(goal, ends=ends)
        env.reset(seed=0)
        for acts in light(BEN)[:16]:
            terminations = env.step(acts)[2]
        assert terminations[ADA] is ends


def test_shared_goals_are_paid_to_all_who_have_some() -> None:
    goal: dict[str, Any] = {"kind": "use", "object": LAMP, "state": "lit"}
    env = make_env(Goal(agent=ADA, **goal), Goal(agent=BEN, **goal), shared=True, step_cost=0.01)
    earned = play(env, light(BEN)[:16])
    assert earned[ADA] == earned[BEN]
    assert earned[BEN][-1] == pytest.approx((1.0 - 0.02) / 2)


@pytest.mark.parametrize("shaping", [0.0, 0.5])
def test_an_episode_saved_in_its_middle_earns_the_same(shaping: float) -> None:
    goals = (
        Goal(agent=ADA, kind="use", object=LAMP, state="lit"),
        Goal(agent=BEN, kind="use", object=LAMP, state="dark"),
        Goal(agent=ADA, kind="tell", fact=HEAR.id),
    )
    ticks = [*light(ADA), {BEN: Move(LAMP)}, {BEN: Interact(LAMP, "lit")}]
    ticks += [{ADA: Talk(BEN, HEAR.statement)}]
    env = make_env(*goals, shaping=shaping, step_cost=0.01)
    whole = play(env, ticks)
    for cut in (3, 16, 18):
        first = make_env(*goals, shaping=shaping, step_cost=0.01)
        head = play(first, ticks[:cut])
        other = make_env(*goals, shaping=shaping, step_cost=0.01)
        other.load_state(first.save_state())
        for acts in ticks[cut:]:
            for name, value in other.step(acts)[1].items():
                head[name].append(value)
        assert head == whole


def test_a_state_of_other_goals_is_refused() -> None:
    goal = Goal(agent=ADA, kind="be", place=STUDY)
    plain, shaped = make_env(goal), make_env(goal, shaping=1.0)
    plain.reset(seed=0)
    with pytest.raises(ConfigError, match="no saved state of the scenario's goals"):
        shaped.load_state(plain.save_state())
