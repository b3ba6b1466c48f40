"""Each wrapper keeps the contract and gives the shape its framework needs."""

import copy
import importlib.util
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.memory.embed import HashedNgrams
from genagents_env.observe.columns import OBJECT_SLOTS, PERSON_SLOTS, SIZE
from genagents_env.testing import check_env
from genagents_env.train.wrappers import (
    BareVector,
    DropText,
    EmbedNames,
    EncodeText,
    FlatBox,
    MaskInInfo,
    OneHotIdentity,
    RenameForRLlib,
)
from genagents_env.train.wrappers.observation import Env
from genagents_env.world.interventions import Put
from tests.goal_towns import ADA, BEN


def menu() -> TownEnv:
    return town_v0.parallel_env(scenario="tiny", actions="menu")


def words() -> TownEnv:
    return town_v0.parallel_env(scenario="tiny", actions="words")


def encode_text(env: Env) -> EncodeText:
    return EncodeText(env, HashedNgrams(32), 32)


def bare_vector(env: Env) -> BareVector:
    return BareVector(MaskInInfo(env))


def stack_box(env: Env) -> FlatBox:
    return FlatBox(DropText(env))


def make_env() -> TownEnv:
    return TownEnv("tiny", actions="menu", max_cycles=40)


def one_hot(env: Env) -> FlatBox:
    return FlatBox(OneHotIdentity(env))


def embed_names(env: Env) -> FlatBox:
    return FlatBox(EmbedNames(env, HashedNgrams(8), 8))


@pytest.mark.parametrize(
    ("wrap", "make"),
    [
        *((wrap, words) for wrap in (FlatBox, MaskInInfo)),
        *((wrap, menu) for wrap in (encode_text, stack_box, bare_vector, RenameForRLlib)),
        *((wrap, make_env) for wrap in (one_hot, embed_names)),
    ],
)
def test_a_wrapped_town_keeps_the_contract(
    wrap: Callable[[Env], Env], make: Callable[[], TownEnv]
) -> None:
    check_env(lambda: wrap(make()), steps=70)


def test_flat_box_is_the_vector_and_then_the_mask() -> None:
    for make in (menu, words):
        plain, _ = menu().reset(seed=3)
        env = FlatBox(make())
        flat, _ = env.reset(seed=3)
        for agent, held in plain.items():
            expected = np.concatenate([held["observation"], held["action_mask"]])
            assert flat[agent].dtype == np.float32
            np.testing.assert_array_equal(flat[agent], expected)
            assert env.observation_space(agent).shape == flat[agent].shape


def test_encode_text_embeds_the_texts_of_all_agents_at_once() -> None:
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> npt.NDArray[np.float64]:
        asked.append(texts)
        return np.array([[len(text), 1.0] for text in texts])

    plain, _ = menu().reset(seed=0)
    env = EncodeText(menu(), embed, 2)
    coded, _ = env.reset(seed=0)
    assert asked == [[held["text"] for held in plain.values()]]
    for agent, held in plain.items():
        np.testing.assert_array_equal(coded[agent]["text"], [len(held["text"]), 1.0])
        assert coded[agent] in env.observation_space(agent)


@pytest.mark.parametrize(
    "rows", [np.zeros((1, 2)), np.zeros((2, 3)), np.full((2, 2), np.nan), np.zeros(2)]
)
def test_an_embedder_of_the_wrong_shape_is_named(rows: npt.NDArray[np.float64]) -> None:
    with pytest.raises(ConfigError, match="embed returned shape"):
        EncodeText(menu(), lambda texts: rows, 2).reset(seed=0)


def test_a_mask_in_infos_can_be_asked_for_in_a_list() -> None:
    """As AgileRL's IPPO does; of an array, whether it is None has no single answer."""
    env = MaskInInfo(menu())
    _, infos = env.reset(seed=0)
    masks = [infos[agent]["action_mask"] for agent in env.agents]
    assert None not in masks
    assert (masks[0] == masks[0].copy()).all()
    assert env.action_space("Ada Brook").sample(masks[0]) >= 0
    assert None not in [copy.deepcopy(masks[0]), pickle.loads(pickle.dumps(masks[0]))]  # noqa: S301


def test_each_wrapper_holds_what_the_town_tells_under_its_own_names() -> None:
    plain, _ = menu().reset(seed=0)
    dropped, _ = DropText(menu()).reset(seed=0)
    moved, infos = MaskInInfo(menu()).reset(seed=0)
    bare = BareVector(MaskInInfo(menu()))
    numbers, _ = bare.reset(seed=0)
    rllib = RenameForRLlib(menu())
    renamed, _ = rllib.reset(seed=0)
    for agent, held in plain.items():
        assert set(held) - set(dropped[agent]) == {"text"}
        assert "action_mask" not in moved[agent]
        np.testing.assert_array_equal(infos[agent]["action_mask"], held["action_mask"])
        np.testing.assert_array_equal(numbers[agent], held["observation"])
        assert numbers[agent] in bare.observation_space(agent)
        assert set(renamed[agent]) == {"observations", "action_mask"}
        mask = renamed[agent]["action_mask"]
        assert mask.dtype == np.float32
        assert rllib.action_space(agent).sample(mask=mask) in rllib.action_space(agent)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: RenameForRLlib(words()), "action_mask"),
        (lambda: DropText(FlatBox(menu())), "text"),
        (lambda: FlatBox(RenameForRLlib(menu())), "observation"),
        (lambda: MaskInInfo(FlatBox(words())), "'observation', and found Box"),
        (lambda: DropText(town_v0.rl_env("errand")), "make the town with text=True"),
    ],
)
def test_wrappers_in_the_wrong_order_are_refused(make: Callable[[], Env], word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        make()


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


DOC = Path(__file__).parents[3] / "docs" / "training.md"
SNIPPETS = re.findall(r"```python\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)


def needs(snippet: str) -> list[str]:
    found = re.match(r"# needs: (.*)", snippet)
    return [name.strip() for name in found.group(1).split(",")] if found else []


def title(snippet: str) -> str:
    return ",".join(needs(snippet)) or "no framework"


@pytest.mark.parametrize("snippet", SNIPPETS, ids=title)
def test_a_snippet_runs(snippet: str) -> None:
    missing = [name for name in needs(snippet) if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    exec(compile(snippet, str(DOC), "exec"), {"__name__": "snippet"})  # noqa: S102 (our own)
