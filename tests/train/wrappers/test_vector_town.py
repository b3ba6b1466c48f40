"""Many towns as one gymnasium vector: the same, bit for bit, as towns stepped one by one."""

import copy
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import FlattenObservation

from genagents_env.config import TownOptions
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, EpisodeError
from genagents_env.scenario import load_scenario
from genagents_env.scenario.schema import Scenario
from genagents_env.train.tasks import TASKS
from genagents_env.train.wrappers import JoinedTowns, VectorTown
from genagents_env.world.interventions import Intervention, Join, News, Part, Put
from genagents_env.world.tiles import STAY
from tests.goal_towns import give_goals
from tests.train.pairs import Pair, draw_legal
from tests.world.mazes import draw_corridor, make_scenario

PARTY: TownOptions = {
    "people": ["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller", "Ayesha Khan"],
    "start": "2023-02-14T16:57",
    "max_cycles": 30,
}
NIGHT: TownOptions = {
    "people": ["Isabella Rodriguez", "Klaus Mueller"],
    "start": "05:50",
    "max_cycles": 120,
}
Array = npt.NDArray[np.generic]
Parts = Mapping[str, Array]
BLOCK = {"bodies_block": True}
SCENARIOS: dict[str, tuple[str | Scenario, TownOptions, int, int]] = {
    "tiny": ("tiny", {}, 3, 130),
    "short": ("tiny", {"max_cycles": 7}, 3, 40),
    "slow": ("tiny", {"seconds_per_tick": 3, "max_cycles": 50}, 3, 120),
    "party": ("valentines_party", PARTY, 2, 40),
    "night": ("valentines_party", NIGHT, 2, 130),
    "everyone": ("valentines_party", {"start": "07:55", "max_cycles": 12}, 2, 26),
    "murder": ("murder_mystery", {"max_cycles": 25}, 2, 35),
    "talks": ("medicine", {"max_cycles": 40, "reward": "knowledge_spread"}, 3, 60),
    "goals": (give_goals("medicine"), {"max_cycles": 30}, 2, 40),
    "portable goals": (give_goals("medicine"), {"max_cycles": 30, "menu": "portable"}, 2, 40),
    "portable meetings": (give_goals("tiny"), {"menu": "portable"}, 3, 65),
    "portable party": ("valentines_party", {**PARTY, "menu": "portable"}, 2, 40),
}


def same(got: Parts, wanted: Parts) -> None:
    for name, part in wanted.items():
        assert got[name].dtype == part.dtype
        assert np.array_equal(got[name], part), name


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_slot_is_what_its_town_alone_would_be(name: str) -> None:
    scenario, options, towns, steps = SCENARIOS[name]
    pair = Pair(scenario, towns, legal=0.7, watch=True, **options)
    pair.reset(3)
    for _ in range(steps):
        pair.step()
    pair.compare_towns()
    assert pair.ends >= towns


@pytest.mark.parametrize("seconds", [4, 10])
def test_a_crowd_that_comes_to_one_place_stands_as_in_its_town_alone(seconds: int) -> None:
    pair = Pair("murder_mystery", 2, max_cycles=60, seconds_per_tick=seconds)
    pair.reset(0)
    paths, waiting = pair.envs[0].world.town.paths, 0
    for tick in range(1, 50):
        goal = 1 + tick // 25
        before = [env.world.positions for env in pair.envs]
        pair.step(np.full(pair.vector.num_envs, goal))
        pair.compare_towns()
        for env, old in zip(pair.envs, before, strict=True):
            walked = np.abs(env.world.positions - old).sum(axis=1)
            assert walked.max() <= paths.tiles_at(tick)
            at_goal = paths.field(goal - 1)[env.world.state.tile] == STAY
            waiting += int((at_goal & ~env.world.state.arrived).sum())
    assert waiting > 0


@pytest.mark.parametrize(
    "rules",
    [{"bodies_block": True}, {"paths": "astar"}, {"bodies_block": True, "walk_speed": 0.25}],
)
def test_people_in_each_others_way_walk_as_in_their_town_alone(rules: dict[str, object]) -> None:
    scenario = make_scenario(draw_corridor(2), "a" * 12 + "b" * 12, rules=rules)
    pair = Pair(scenario, 2, watch=True)
    pair.reset(5)
    draw, places = np.random.default_rng(1), len(pair.envs[0].world.town.places.all)
    for tick in range(60):
        if tick % 20 == 0:
            goals = draw.integers(1, places + 1, pair.vector.num_envs)
        pair.step(goals)
    pair.compare_towns()


def test_texts_are_made_when_asked_for_and_are_the_towns_own() -> None:
    pair = Pair("medicine", 2, legal=0.7, max_cycles=9, text=True)
    vector = VectorTown("medicine", 2, max_cycles=9)
    pair.reset(0)
    vector.reset(seed=0)
    for tick in range(30):
        chosen = pair.draw()
        written = pair.step(chosen)[0]
        vector.step(chosen)
        assert written in pair.vector.observation_space
        if tick % 3 == 0:  # those never asked for are never missed
            assert vector.texts() == written["text"]


@pytest.mark.parametrize("menu", ["town", "portable"])
def test_what_happens_from_outside_happens_in_its_town_alone(menu: str) -> None:
    people = ["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"]
    options: TownOptions = {"menu": menu, "people": people, "max_cycles": 40}
    pair = Pair("valentines_party", 3, legal=0.7, watch=True, all_stay=False, **options)
    happens: dict[int, tuple[int, Intervention]] = {
        1: (0, Part("Maria Lopez")),
        3: (2, News("There is tea.")),
        4: (1, Put("Klaus Mueller", "Hobbs Cafe")),
        9: (0, Join("Maria Lopez", "Hobbs Cafe")),
        12: (2, Part("Isabella Rodriguez")),
        13: (2, Part("Klaus Mueller")),
    }
    pair.reset(0)
    for tick in range(39):
        if tick in happens:
            town, event = happens[tick]
            pair.envs[town].intervene(event)
            pair.vector.envs[town].intervene(event)
        _, _, terminations, truncations, _ = pair.step()
        assert not (terminations | truncations).any()
    _, _, terminations, truncations, infos = pair.step(np.zeros(9, dtype=np.int64))
    assert (terminations ^ truncations).all()
    gone = [slot for slot, here in enumerate(infos["final_info"]["present"]) if not here]
    assert np.flatnonzero(terminations).tolist() == gone == [6, 8]
    assert infos["present"].all()


def test_it_is_a_gymnasium_vector() -> None:
    vector = VectorTown("tiny", 3)
    assert isinstance(vector, VectorEnv)
    assert vector.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, infos = vector.reset(seed=0)
    assert vector.num_envs == 6
    assert seen in vector.observation_space
    assert vector.single_action_space == Discrete(seen["action_mask"].shape[1])
    assert infos["_illegal"].all()
    vector.action_space.seed(0)
    for _ in range(130):
        seen, rewards, terminations, truncations, infos = vector.step(vector.action_space.sample())
        assert seen in vector.observation_space
        assert rewards.shape == terminations.shape == truncations.shape == (6,)
        assert rewards.dtype == np.float64
        assert terminations.dtype == truncations.dtype == np.bool_
        done = terminations | truncations
        assert ("final_obs" in infos) == done.any()
        if done.any():
            assert np.array_equal(infos["_final_obs"], done)
            for slot in range(6):
                last = infos["final_obs"][slot]
                assert (last in vector.single_observation_space) if done[slot] else last is None


def test_a_town_may_begin_anew_in_the_next_step() -> None:
    at_once = VectorTown("tiny", 2, max_cycles=5)
    later = VectorTown("tiny", 2, AutoresetMode.NEXT_STEP, max_cycles=5)
    assert later.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert FlattenObservation(later).reset(seed=4)[0].shape[0] == 4
    now, then, rng = at_once.reset(seed=4)[0], later.reset(seed=4)[0], np.random.default_rng(0)
    ends = 0
    for _ in range(14):
        chosen = draw_legal(now["action_mask"], rng)
        now, rewards, over, cut, infos = at_once.step(chosen)
        then, earned, ended, truncated, _ = later.step(chosen)
        assert rewards.tolist() == earned.tolist()
        assert [*zip(over, cut, strict=True)] == [*zip(ended, truncated, strict=True)]
        if cut.any():
            ends += 1
            for slot, last in enumerate(infos["final_obs"]):
                assert np.array_equal(then["observation"][slot], last["observation"])
            then, earned, ended, truncated, _ = later.step(np.full(4, 99))  # these are not read
            assert not np.concatenate([earned, ended, truncated]).any()
        same(then, now)
    assert ends == 2


def test_seeds_are_one_a_town() -> None:
    vector = VectorTown("tiny", 3)
    first, _ = vector.reset()
    again, _ = VectorTown("tiny", 3).reset(seed=[0, 1, 2])
    same(again, first)
    for _ in range(3):
        vector.step(np.ones(6, dtype=np.int64))
    same(vector.reset(seed=0)[0], first)
    alone = TownEnv("tiny", actions="menu")
    alone.reset(seed=5)
    drawn = alone.reset()[0]["Ada Brook"]["observation"]
    vector.reset(seed=[5, 5, 6])
    got, _ = vector.reset(seed=[None, 5, None])
    assert np.array_equal(got["observation"][0], drawn)


def test_what_it_returned_is_never_written_again() -> None:
    vector = VectorTown("tiny", 2, max_cycles=3)
    kept = [vector.reset(seed=0)]
    copies = [repr(kept[0])]
    snapshot = vector.envs[0].world.snapshot
    tiles = snapshot.tile.copy()
    for _ in range(7):
        kept.append(vector.step(np.full(4, 1)))  # type: ignore[arg-type]  # only kept
        copies.append(repr(kept[-1]))
    assert [repr(each) for each in kept] == copies
    assert np.array_equal(snapshot.tile, tiles)


def test_copies_and_pickles_of_a_vector_go_on_alike() -> None:
    rng, vector = np.random.default_rng(0), VectorTown(TASKS["spread"].draw(0), 2, ids="indexed")
    masks = vector.reset(seed=1)[0]["action_mask"]
    for _ in range(12):
        masks = vector.step(draw_legal(masks, rng))[0]["action_mask"]
    others = (copy.deepcopy(vector), pickle.loads(pickle.dumps(vector)))  # noqa: S301
    for _ in range(12):
        chosen = draw_legal(masks, rng)
        seen, *_ = vector.step(chosen)
        masks = seen["action_mask"]
        for other in others:
            np.testing.assert_array_equal(other.step(chosen)[0]["observation"], seen["observation"])


def begun(vector: Any) -> Any:
    vector.reset(seed=0)
    return vector


REFUSED: dict[str, Callable[[], object]] = {
    "towns: 0": lambda: VectorTown("tiny", 0),
    "autoreset: .*SAME_STEP or NEXT_STEP is": lambda: VectorTown("tiny", 1, AutoresetMode.DISABLED),
    "of 2 to 25 people; .*JoinedTowns": lambda: VectorTown(
        [load_scenario("tiny"), load_scenario("valentines_party")], 1, ids="indexed"
    ),
    "number 1": lambda: VectorTown([TASKS["find"].draw(k) for k in (0, 1)], 1, ids="indexed"),
    "none": lambda: VectorTown([], 1),
    "reset": lambda: VectorTown("tiny", 2).step(np.zeros(4, dtype=np.int64)),
    "3 seeds": lambda: VectorTown("tiny", 2).reset(seed=[1, 2, 3]),
    "reset_mask": lambda: VectorTown("tiny", 2).reset(options={"reset_mask": np.ones(4)}),
    "one town alone": lambda: VectorTown("tiny", 2).call("step", {}),
    r"shape \(4,\)": lambda: begun(VectorTown("tiny", 2)).step(np.zeros(3, dtype=np.int64)),
    "float64": lambda: begun(VectorTown("tiny", 2)).step(np.zeros(4)),
    "number 1 ": lambda: JoinedTowns([VectorTown("tiny", 1), VectorTown("medicine", 1)]),
    "vectors: there is none": lambda: JoinedTowns([]),
    "number 1 has another autoreset mode": lambda: JoinedTowns(
        [VectorTown("tiny", 1), VectorTown("tiny", 1, AutoresetMode.NEXT_STEP)]
    ),
    "5 towns": lambda: JoinedTowns(make_vectors()).reset(seed=[1, 2]),
    r"\(10,\)": lambda: begun(JoinedTowns(make_vectors())).step(np.zeros(4, dtype=np.int64)),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_cannot_be_is_said(said: str) -> None:
    with pytest.raises((ConfigError, EpisodeError), match=said):
        REFUSED[said]()


def make_vectors() -> list[VectorTown]:
    return [VectorTown("tiny", 2, max_cycles=9), VectorTown("tiny", 3, max_cycles=14)]


def test_every_slot_is_as_in_its_own_vector() -> None:
    joined, alone, rng = JoinedTowns(make_vectors()), make_vectors(), np.random.default_rng(0)
    seen, infos = joined.reset(seed=4)
    own = [alone[0].reset(seed=4), alone[1].reset(seed=6)]
    parts = [slice(0, 4), slice(4, 10)]
    ends = 0
    for _ in range(40):
        for part, (observation, told) in zip(parts, own, strict=True):
            for name in observation:
                np.testing.assert_array_equal(seen[name][part], observation[name])
            np.testing.assert_array_equal(infos["present"][part], told["present"])
        actions = draw_legal(seen["action_mask"], rng)
        seen, *given, infos = joined.step(actions)
        steps = [v.step(actions[part]) for v, part in zip(alone, parts, strict=True)]
        for part, step in zip(parts, steps, strict=True):
            for one, two in zip(given, step[1:4], strict=True):
                np.testing.assert_array_equal(one[part], two)
            for k, slot in enumerate(range(part.start, part.stop)):
                if "final_obs" in step[4] and step[4]["_final_obs"][k]:
                    ends += 1
                    last = step[4]["final_obs"][k]["observation"]
                    np.testing.assert_array_equal(infos["final_obs"][slot]["observation"], last)
                    assert infos["_final_obs"][slot]
                elif "final_obs" in infos:
                    assert infos["final_obs"][slot] is None
                    assert not infos["_final_obs"][slot]
        own = [(step[0], step[4]) for step in steps]
    assert ends > 20


def test_texts_and_masks_stand_in_the_order_of_the_slots() -> None:
    joined = JoinedTowns(make_vectors())
    seen, _ = joined.reset(seed=0)
    assert len(joined.texts()) == joined.num_envs == 10
    assert joined.texts()[:4] == joined.vectors[0].texts()
    np.testing.assert_array_equal(joined.action_masks(), seen["action_mask"])
    assert len(joined.get_attr("possible_agents")) == joined.towns == 5


def test_calls_go_to_the_towns() -> None:
    vector = VectorTown("tiny", 2, render_mode="ansi")
    vector.reset(seed=0)
    assert vector.call("describe_choice", 0) == ("idle", "idle")
    assert vector.get_attr("agents") == (list(vector.agents), list(vector.agents))
    frames = vector.render()
    assert frames is not None
    assert len(frames) == 2
    assert "Ada" in frames[0]
    assert VectorTown("tiny", 1).render() is None
    vector.close()
    vector.close()
