"""TaskEnv: another town at every reset, all of it by the seed; copies go on where they were."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.errors import ConfigError, ScenarioError
from genagents_env.testing.legal import sample_legal
from genagents_env.train.tasks import (
    HELD_OUT,
    LAYOUTS,
    SEEDS,
    TaskEnv,
    find_layout,
    get_task,
)
from genagents_env.train.tasks.task import shape_reward
from genagents_env.train.tasks.vector import make_vector


def make(task: str = "errand", town: str | None = None, **options: Any) -> TaskEnv:
    return town_v0.rl_env(task, town, **options)


def run(env: TaskEnv, seen: Any, ticks: int, seed: int = 0) -> list[Any]:
    """Return all that is observed and earned in `ticks` of legal choices."""
    rng, out = np.random.default_rng(seed), []
    observations, infos = seen
    for _ in range(ticks):
        actions = sample_legal(env, observations, infos, rng)
        observations, rewards, ends, cuts, infos = env.step(actions)
        shown = {a: o["observation"].tolist() for a, o in observations.items()}
        out.append((shown, rewards, ends, cuts))
    return out


def test_towns_to_train_on_held_out_and_elsewhere_have_nothing_in_common() -> None:
    layouts = [{find_layout(seed) for seed in block} for block in SEEDS]
    assert [len(one) for one in layouts] == [LAYOUTS] * 3
    assert len(set.union(*layouts)) == 3 * LAYOUTS
    env, maps = make(), list[bytes]()
    for seed in (seed for block in SEEDS for seed in block[:5]):
        env.reset(seed=seed)
        maps.append(env.world.plan.arena.tobytes())
    assert len(set(maps)) == 15


def test_a_seed_determines_an_episode() -> None:
    one, other = make("meet"), make("meet")
    other.reset(seed=5)
    for seed in (3, HELD_OUT[4]):
        first = run(one, one.reset(seed=seed), 12)
        assert run(other, other.reset(seed=seed), 12) == first
    # Seeds of one layout are episodes of one town, and not the same.
    one.reset(seed=3)
    other.reset(seed=3 + LAYOUTS)
    assert one.world.plan.arena.tobytes() == other.world.plan.arena.tobytes()
    assert one.world.state.tile.tolist() != other.world.state.tile.tolist()


@pytest.mark.parametrize("block", SEEDS)
def test_a_series_of_resets_repeats_and_stays_on_its_side(block: range) -> None:
    series = []
    for _ in range(2):
        env = make()
        env.reset(seed=block[7])
        towns = []
        for _ in range(6):
            observations, _ = env.reset()
            towns.append(int(env.world.scenario.name.split("_")[1]))
            assert set(observations) == {"resident_0", "resident_1", "resident_2"}
        series.append(towns)
    assert series[0] == series[1]
    assert len(set(series[0])) > 3
    assert all(number in block for number in series[0])


def pickle_and_load(env: TaskEnv) -> Any:
    return pickle.loads(pickle.dumps(env))  # noqa: S301 - our own bytes


@pytest.mark.parametrize("how", [copy.deepcopy, pickle_and_load])
def test_copies_go_on_from_the_middle(how: Any) -> None:
    env = make("gather")
    seen = env.reset(seed=11)
    for _ in range(5):
        observations, *_, infos = env.step({})
        seen = observations, infos
    env.reset(seed=2)
    seen = env.reset(seed=11)
    other = how(env)
    assert run(other, seen, 20) == run(env, seen, 20)
    assert run(other, other.reset(), 5) == run(env, env.reset(), 5)
    assert other.world is not env.world


def test_a_shipped_town_takes_the_place_of_drawn_ones() -> None:
    env = make("errand", "sakura_machi")
    drawn = make("errand")
    agent = env.possible_agents[0]
    assert env.observation_space(agent) == drawn.observation_space(agent)
    assert env.action_space(agent) == drawn.action_space(agent)
    assert env.max_cycles > drawn.max_cycles  # it is far from one end to the other
    plans, goals = set(), set()
    for seed in (0, 1, HELD_OUT[0]):
        observations, _ = env.reset(seed=seed)
        plans.add(env.world.plan.arena.tobytes())
        goals.add(tuple(goal.object for goal in env.world.scenario.reward.goals))
        assert env.observation_space(agent).contains(observations[agent])
        assert env.state_space.contains(env.state())
    assert (len(plans), len(goals)) == (1, 3)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"ids": "names"}, "ids: a task's agents are indexed"),
    ({"people": "3"}, "people: a task draws its people"),
    ({"town": "valentines_party", "people": "3"}, "people: a task draws its people"),
    ({"menu": "town"}, "menu: 'town' needs one `town`"),
    ({"task": "erand"}, r"task: no 'erand'; did you mean errand\?"),
    ({"shaping": -1.0}, "shaping: .* is not allowed"),
    ({"discount": -7}, "discount: .* is not allowed"),
    ({"discount": "x"}, "discount: .* is not allowed"),
    ({"town": "open_gate"}, "needs 3 things"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises((ConfigError, ScenarioError), match=said):
        make(**options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_cycles": 61}, "max_cycles: 61 is not allowed; .* has 60 ticks"),
        ({"start": "06:00"}, "start: a task has its own"),
        ({"hours": 1.0}, "hours: a task has its own"),
        ({"seconds_per_tick": 5}, "seconds_per_tick: a task has its own"),
        ({"shaping": 1.0, "reward": lambda world, events: {}}, "shaping: .* has no potential"),
    ],
)
def test_no_episode_earns_more_or_less_than_its_task_says(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        make(**options)
    if "reward" not in options:
        with pytest.raises(ConfigError, match=said):
            make_vector("errand", 1, 1, **options)


def test_a_number_of_layouts_takes_the_first_of_training() -> None:
    vector = make_vector(get_task("errand"), 3, 2)
    drawn = [get_task("errand").draw(layout).map for layout in range(3) for _ in range(2)]
    assert [env.world.scenario.map for env in vector.envs] == drawn
    for wrong in (0, 129):
        with pytest.raises(ConfigError, match="128"):
            make_vector("errand", wrong)


def test_the_vec_env_has_other_layouts_for_another_seed() -> None:
    pytest.importorskip("stable_baselines3")
    from genagents_env.train.tasks.vec_env import TaskVecEnv

    one, two = (TaskVecEnv("errand", layouts=2, towns=2, seed=seed) for seed in (0, 1))
    assert one.num_envs == 2 * 2 * len(town_v0.rl_env("errand").possible_agents)
    first, second = one.reset(), two.reset()
    assert first.shape == (one.num_envs, *one.observation_space.shape)
    assert not np.array_equal(first, second)
    again = TaskVecEnv("errand", layouts=2, towns=2, seed=0)
    np.testing.assert_array_equal(first, again.reset())


def test_max_cycles_holds_in_every_town() -> None:
    env = make("share")
    env.max_cycles = 4
    for seed in (1, 2):
        env.reset(seed=seed)
        cuts = [env.step({})[3] for _ in range(4)]
        assert all(cuts[-1].values())
        assert not env.agents
    env.max_cycles = 9000  # as PettingZoo's own test of the API does
    assert env.max_cycles == get_task("share").horizon
    with pytest.raises(ConfigError, match="max_cycles: 9000 is not allowed"):
        make("share", max_cycles=9000)


@pytest.mark.parametrize(("layout", "seed"), [(0, 1_000_000), (1_000_000, 0), (0, 123_456)])
def test_a_vector_takes_seeds_of_its_towns_kind_alone(layout: int, seed: int) -> None:
    vector = make_vector("errand", [layout], 1)
    with pytest.raises(ConfigError, match=f"seed {seed}: its town is one of the seeds"):
        vector.reset(seed=seed)
    vector.reset(seed=[layout])


def test_shaping_is_that_of_the_task() -> None:
    vector = make_vector("errand", 2, 1, shaping=2.0, discount=0.9)
    drawn = [shape_reward(get_task("errand").draw(layout), 2.0, 0.9) for layout in range(2)]
    assert [env.world.scenario for env in vector.envs] == drawn
    env = make(shaping=2.0, discount=0.9)
    env.reset(seed=1)
    assert env.world.scenario == drawn[1]
