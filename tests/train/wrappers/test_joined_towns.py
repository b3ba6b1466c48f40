"""Vectors of several scenarios as one: each part as it is alone."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from genagents_env.errors import ConfigError
from genagents_env.train.wrappers import JoinedTowns, VectorTown
from tests.train.pairs import draw_legal


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
    np.testing.assert_array_equal(joined.action_masks(), seen["action_mask"])
    assert len(joined.get_attr("possible_agents")) == joined.towns == 5


def test_what_cannot_be_joined_is_refused() -> None:
    with pytest.raises(ConfigError, match="number 1"):
        JoinedTowns([VectorTown("tiny", 1), VectorTown("medicine", 1)])
    with pytest.raises(ConfigError, match="none"):
        JoinedTowns([])
    other = VectorTown("tiny", 1, autoreset=AutoresetMode.NEXT_STEP)
    with pytest.raises(ConfigError, match="number 1 has another autoreset mode"):
        JoinedTowns([VectorTown("tiny", 1), other])
    joined = JoinedTowns(make_vectors())
    with pytest.raises(ConfigError, match="5 towns"):
        joined.reset(seed=[1, 2])
    joined.reset(seed=0)
    with pytest.raises(ConfigError, match=r"\(10,\)"):
        joined.step(np.zeros(4, dtype=np.int64))
