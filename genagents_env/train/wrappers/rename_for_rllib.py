"""`RenameForRLlib`: the keys that RLlib's action-masking modules look for."""

from typing import Any

import numpy as np
from gymnasium import spaces

from genagents_env.observe.spaces import AnySpace
from genagents_env.train.wrappers.observation import (
    Env,
    Infos,
    Observations,
    ObservationWrapper,
    count_choices,
    get_parts,
    get_vector,
)


class RenameForRLlib(ObservationWrapper):
    """Observations become Dict(action_mask: float32 (N,), observations: float32 (D,)).

    For `ActionMaskingTorchRLModule` and its like, with the menu format. Text is dropped: RLlib
    has no encoder for it.

    Raises:
        ConfigError: the env is not in the menu format.
    """

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        counts = {agent: count_choices(env.action_space(agent)) for agent in env.possible_agents}
        shared = {count: _FloatMasked(count) for count in counts.values()}
        self._actions = {agent: shared[count] for agent, count in counts.items()}

    def action_space(self, agent: str) -> AnySpace:
        """Return `agent`'s Discrete space, which samples with a float mask too."""
        return self._actions[agent]

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict under RLlib's names."""
        get_parts(space, "action_mask")
        mask = spaces.Box(0.0, 1.0, (count_choices(action_space),), np.float32)
        return spaces.Dict({"action_mask": mask, "observations": get_vector(space)})

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return the observations under RLlib's names."""
        named = {
            agent: {
                "action_mask": held["action_mask"].astype(np.float32),
                "observations": held["observation"],
            }
            for agent, held in observations.items()
        }
        return named, infos


class _FloatMasked(spaces.Discrete):
    """Gymnasium's Discrete samples with int8 masks alone; RLlib's modules want float32 ones."""

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        return super().sample(None if mask is None else np.asarray(mask, np.int8), probability)
