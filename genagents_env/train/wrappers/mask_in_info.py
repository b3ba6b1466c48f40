"""`MaskInInfo`: the mask in infos instead of the observation."""

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from genagents_env.observe.spaces import AnySpace
from genagents_env.train.wrappers.observation import (
    Infos,
    Observations,
    ObservationWrapper,
    get_parts,
)


class _InfoMask(npt.NDArray[np.int8]):
    """A mask that is not None: AgileRL asks `None in masks`, to which arrays have no answer."""

    def __eq__(self, other: object) -> Any:
        return False if other is None else super().__eq__(other)


class MaskInInfo(ObservationWrapper):
    """Move `action_mask` from the menu format's observations to infos: for AgileRL.

    The words format has it there already (by part of the action) and is left as it is.
    """

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict without `action_mask`."""
        if isinstance(action_space, spaces.Dict):
            return space
        parts = get_parts(space, "action_mask")
        del parts["action_mask"]
        return spaces.Dict(parts)

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return observations without the mask and infos with it."""
        kept: Observations = {}
        told: Infos = {}
        for agent, held in observations.items():
            kept[agent] = {key: value for key, value in held.items() if key != "action_mask"}
            told[agent] = dict(infos[agent])
            if "action_mask" in held:
                told[agent]["action_mask"] = held["action_mask"].view(_InfoMask)
        return kept, told
