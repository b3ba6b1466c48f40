"""`FlatBox`: one flat float vector, for trainers that take nothing but a Box."""

import numpy as np
from gymnasium import spaces

from genagents_env.observe.spaces import AnySpace
from genagents_env.train.wrappers.observation import (
    Infos,
    Observations,
    ObservationWrapper,
    count_choices,
    get_mask,
    get_vector,
)


class FlatBox(ObservationWrapper):
    """Observations become `observation` ++ mask: Box float32, shape (D + N,). Text is dropped.

    For SB3 through SuperSuit, RLlib, and CleanRL. The mask is 0/1 in the last N numbers; `D`
    is the length of `observation`.
    """

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the flat Box."""
        vector = get_vector(space)
        count = count_choices(action_space)
        low = np.concatenate([vector.low, np.zeros(count, dtype=np.float32)])
        high = np.concatenate([vector.high, np.ones(count, dtype=np.float32)])
        return spaces.Box(low, high, dtype=np.float32)

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return the flat vectors."""
        flat = {
            agent: np.concatenate([held["observation"], get_mask(held, infos[agent])], dtype="f4")
            for agent, held in observations.items()
        }
        return flat, infos
