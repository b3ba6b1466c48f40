"""`OneHotIdentity`: who one is and whom one sees, one place in the vector for each person."""

import numpy as np
from gymnasium import spaces

from genagents_env.observe.columns import PERSON_SLOTS
from genagents_env.observe.spaces import AnySpace, Floats
from genagents_env.train.wrappers.observation import (
    Env,
    Infos,
    Observations,
    ObservationWrapper,
    get_parts,
    get_vector,
)
from genagents_env.train.wrappers.read_index import PEOPLE_INDEX, SELF_INDEX, read_index


class OneHotIdentity(ObservationWrapper):
    """Append to `observation` N columns for oneself, and N for each person slot.

    Of N agents the k-th is 1 in the k-th of N columns; an empty slot is all zeros. Networks that
    one policy shares tell people apart by it; they then fit towns of N people alone.

    Args:
        env: with Dict observations that have the vector of a town under `observation`.
    """

    def __init__(self, env: Env) -> None:
        self._count = len(env.possible_agents)
        super().__init__(env)

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict with a longer `observation`."""
        size = get_vector(space).shape[0] + (1 + PERSON_SLOTS) * self._count
        vector = spaces.Box(-1.0, 1.0, (size,), np.float32)
        return spaces.Dict({**get_parts(space, "observation"), "observation": vector})

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return the observations with the columns appended."""
        return {agent: self._append(held) for agent, held in observations.items()}, infos

    def _append(self, held: Observations) -> Observations:
        vector: Floats = held["observation"]
        coded = np.zeros((1 + PERSON_SLOTS, self._count + 1), dtype=np.float32)
        who = read_index(vector, (SELF_INDEX, *PEOPLE_INDEX), self._count)
        coded[np.arange(len(who)), who] = 1.0  # nobody is -1: the last column, which is left out
        return {**held, "observation": np.concatenate([vector, coded[:, :-1].ravel()])}
