"""Columns that tell people, places and things apart, appended to the vector."""

import numpy as np
import numpy.typing as npt
import pytest

from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.memory.embed import HashedNgrams
from genagents_env.observe.columns import OBJECT_SLOTS, PERSON_SLOTS, SIZE
from genagents_env.testing import check_env
from genagents_env.train.wrappers import EmbedNames, FlatBox, OneHotIdentity
from genagents_env.world.interventions import Put
from tests.goal_towns import ADA, BEN


def make_env(scenario: str = "tiny") -> TownEnv:
    return TownEnv(scenario, actions="menu", max_cycles=40)


def test_one_hot_columns_are_of_oneself_and_of_those_in_sight() -> None:
    env = OneHotIdentity(make_env())
    env.reset(seed=0)
    env.unwrapped.intervene(Put(BEN, "Cottage/kitchen"))
    seen = env.step({ADA: 0, BEN: 0})[0]
    ada, ben = (seen[a]["observation"][SIZE:].reshape(-1, 2).tolist() for a in (ADA, BEN))
    nobody = [[0.0, 0.0]] * (PERSON_SLOTS - 1)
    assert ada == [[1, 0], [0, 1], *nobody]
    assert ben == [[0, 1], [1, 0], *nobody]


def test_names_are_embedded_once_and_stand_where_their_bearers_do() -> None:
    asked: list[list[str]] = []

    def embed(names: list[str]) -> npt.NDArray[np.float64]:
        asked.append(names)
        return np.array([[len(name), sum(map(ord, name))] for name in names], dtype=np.float64)

    env = EmbedNames(make_env(), embed, 2)
    env.reset(seed=0)
    env.unwrapped.intervene(Put(BEN, "Cottage/kitchen"))
    seen = env.step({ADA: 0, BEN: 0})[0]
    assert [set(names) for names in asked] == [
        {ADA, BEN},
        {"outside", "Cottage", "Cottage/kitchen", "Cottage/study"},
        {f"Cottage/{o}" for o in ("kitchen/stove", "kitchen/table", "study/lamp", "study/desk")},
    ]
    ada = seen[ADA]["observation"][SIZE:].reshape(-1, 2)
    assert len(ada) == 2 + PERSON_SLOTS + OBJECT_SLOTS
    town = env.unwrapped.world.town
    things = [
        town.places.object_ids[o]
        for o, _ in town.around[0].objects(int(env.unwrapped.world.state.tile[0]))
    ]
    names = [ADA, "Cottage/kitchen", BEN, *[""] * (PERSON_SLOTS - 1), *things]
    names += [""] * (len(ada) - len(names))
    assert ada.tolist() == [[len(name), sum(map(ord, name))] for name in names]


def test_names_follow_a_task_from_town_to_town() -> None:
    asked: list[list[str]] = []

    def embed(names: list[str]) -> npt.NDArray[np.float64]:
        asked.append(names)
        return np.ones((len(names), 1))

    env = EmbedNames(town_v0.rl_env("errand"), embed, 1)
    for seed in (0, 0, 1):
        env.reset(seed=seed)
        env.step({})
    assert len(asked) == 6
    assert asked[0] != asked[3]


@pytest.mark.parametrize("wrap", [OneHotIdentity, lambda env: EmbedNames(env, HashedNgrams(8), 8)])
def test_a_town_with_more_columns_keeps_the_contract(wrap: type[OneHotIdentity]) -> None:
    check_env(lambda: FlatBox(wrap(make_env())), steps=40)


def test_an_embedder_of_another_width_is_refused() -> None:
    env = EmbedNames(make_env(), HashedNgrams(8), 9)
    with pytest.raises(ConfigError, match=r"expected \(2, 9\)"):
        env.reset(seed=0)
