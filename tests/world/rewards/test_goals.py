"""What goals and presence earn, by kind, and that an episode can be saved in its middle."""

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


def make_env(*goals: Goal, name: str = "goals", max_cycles: int = 20, **reward: Any) -> TownEnv:
    town = make_tiny(facts=(HEAR,))
    paid = Reward.model_validate({"name": name, "goals": goals, **reward})
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


GO = [{ADA: Move(STUDY)}] * 9
START = make_tiny().start
TIME = {"start": START, "end": START.replace(minute=2)}


def be(agent: str, place: str, **more: Any) -> Goal:
    return Goal(agent=agent, kind="be", place=place, **more)


def test_company_pays_both_while_both_are_there_and_nowhere_else() -> None:
    goals = be(ADA, STUDY, **TIME), be(BEN, STUDY, worth=2.0, **TIME)
    env = make_env(*goals, name="company")
    earned = play(env, [*GO, *[{}] * 5], seed=1)
    arrived = next(t for t, value in enumerate(earned[ADA]) if value)
    assert 0 < arrived < 9
    assert earned[ADA] == [0.0] * arrived + [1 / 12] * (12 - arrived) + [0.0] * 2
    assert earned[BEN] == [0.0] * arrived + [2 / 12] * (12 - arrived) + [0.0] * 2
    assert env.parts.reward.is_done()
    apart = make_env(be(ADA, KITCHEN, **TIME), be(BEN, STUDY, **TIME), name="company")
    assert sum(sum(one) for one in play(apart, [{}] * 12, seed=1).values()) == 0


def test_occupancy_is_worth_less_once_it_was_enough_and_divided_where_shared() -> None:
    goals = be(ADA, KITCHEN), be(BEN, KITCHEN)
    env = make_env(*goals, name="occupancy", need=4, surplus=0.5, step_cost=0.01)
    earned = play(env, [{}] * 6, seed=1)
    assert earned[ADA] == [0.24] * 4 + [0.125] * 2
    assert earned[BEN] == [-0.01] * 6
    assert env.parts.reward.board.done.tolist() == [[True, False], [False, False]]
    env = make_env(*goals, name="occupancy", need=4, shared=True)
    assert play(env, [{}] * 2, seed=1) == {ADA: [0.125] * 2, BEN: [0.125] * 2}


def test_work_at_the_common_place_is_divided() -> None:
    goals = be(ADA, STUDY), be(ADA, KITCHEN, worth=0.5), be(BEN, STUDY)
    env = make_env(*goals, name="public_goods", common=STUDY)
    horizon = env.world.scenario.horizon
    earned = play(env, [*GO, {}], seed=1)
    assert earned[ADA][0] == pytest.approx(1.0 / horizon)  # her own half, and half of Ben's
    assert earned[BEN][0] == pytest.approx(0.5 / horizon)
    assert earned[ADA][-1] == earned[BEN][-1] == pytest.approx(1.0 / horizon)


GOALS = (
    Goal(agent=ADA, kind="use", object=LAMP, state="lit"),
    Goal(agent=BEN, kind="use", object=LAMP, state="dark"),
    Goal(agent=ADA, kind="tell", fact=HEAR.id),
)
DONE: list[Acts] = [
    {BEN: Move(LAMP)},
    {BEN: Interact(LAMP, "lit")},
    {ADA: Talk(BEN, HEAR.statement)},
]
SAVED: dict[str, tuple[tuple[Goal, ...], dict[str, Any]]] = {
    "sparse": (GOALS, {"step_cost": 0.01}),
    "shaped": (GOALS, {"step_cost": 0.01, "shaping": 0.5}),
    **{
        name: (tuple(be(who, p, **time) for who in (ADA, BEN) for p in (STUDY, KITCHEN)), more)
        for name, time, more in (
            ("company", TIME, {"shaping": 1.0}),
            ("occupancy", {}, {"shaping": 1.0, "need": 3, "step_cost": 0.01}),
            ("public_goods", {}, {"shaping": 1.0, "common": STUDY}),
        )
    },
}


@pytest.mark.parametrize("kind", SAVED)
def test_an_episode_saved_in_its_middle_earns_the_same(kind: str) -> None:
    goals, reward = SAVED[kind]
    reward = {"name": "goals" if goals is GOALS else kind, **reward}
    ticks: list[Acts] = [*light(ADA), *DONE] if goals is GOALS else [*GO, {}, {}]
    whole = play(make_env(*goals, **reward), ticks, seed=1)
    assert sum(whole[ADA]) != 0
    for cut in (3, 5, 16, 18)[: 4 if goals is GOALS else 2]:
        first, other = (make_env(*goals, **reward) for _ in range(2))
        head = play(first, ticks[:cut], seed=1)
        other.load_state(first.save_state())
        for acts in ticks[cut:]:
            for name, value in other.step(acts)[1].items():
                head[name].append(value)
        assert head == whole


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (make_env(be(ADA, STUDY)), make_env(be(ADA, STUDY), shaping=1.0)),
        *[tuple(make_env(*[be(ADA, STUDY)] * n, name="occupancy") for n in (1, 2))],
    ],
)
def test_a_state_of_other_goals_is_refused(one: TownEnv, other: TownEnv) -> None:
    one.reset(seed=0)
    with pytest.raises(ConfigError, match="no saved state of the scenario's goals"):
        other.load_state(one.save_state())


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
        make_env(be(ADA, STUDY), name="company")
