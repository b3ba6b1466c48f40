"""Wrappers that keep part of an observation, in the form that one framework takes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from genagents_env.errors import ConfigError
from genagents_env.observe.spaces import AnySpace, Mask
from genagents_env.train.wrappers.observation import (
    Env,
    Infos,
    Observations,
    ObservationWrapper,
    get_parts,
    get_vector,
    omit,
)


class BareVector(ObservationWrapper):
    """Keep the Box under `observation` alone; text and mask are left out.

    For AgileRL, whose towns of one copy take no Dict; over `MaskInInfo` where the mask is wanted.
    """

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Box."""
        return get_vector(space)

    def reshape_one(self, parts: Observations, info: Observations) -> Any:
        """Return the numbers."""
        return parts["observation"]


class DropText(ObservationWrapper):
    """Take the key `text` out of observations: for AgileRL and PufferLib, which know no Text."""

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict without `text`."""
        return spaces.Dict(omit(get_parts(space, "text"), "text"))

    def reshape_one(self, parts: Observations, info: Observations) -> Any:
        """Return the observation without `text`."""
        return omit(parts, "text")


class FlatBox(ObservationWrapper):
    """Join `observation` and mask: Box float32, shape (D + N,). Text is dropped.

    For SB3 through SuperSuit, RLlib, and CleanRL. The mask is 0/1 in the last N numbers; `D`
    is the length of `observation`.
    """

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the flat Box."""
        vector = get_vector(space)
        count = _count_choices(action_space)
        low = np.concatenate([vector.low, np.zeros(count, dtype=np.float32)])
        high = np.concatenate([vector.high, np.ones(count, dtype=np.float32)])
        return spaces.Box(low, high, dtype=np.float32)

    def reshape_one(self, parts: Observations, info: Observations) -> Any:
        """Return the flat vector."""
        return np.concatenate([parts["observation"], _get_mask(parts, info)], dtype="f4")


class MaskInInfo(ObservationWrapper):
    """Move `action_mask` from the menu format's observations to infos: for AgileRL.

    The words format has it there already (by part of the action) and is left as it is.
    """

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict without `action_mask`."""
        words = isinstance(action_space, spaces.Dict)
        parts = get_parts(space, "observation" if words else "action_mask")
        return space if words else spaces.Dict(omit(parts, "action_mask"))

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return observations without the mask and infos with it."""
        infos = {agent: dict(infos[agent]) for agent in observations}
        for agent, parts in observations.items():
            if "action_mask" in parts:
                infos[agent]["action_mask"] = parts["action_mask"].view(_InfoMask)
        kept = {agent: omit(parts, "action_mask") for agent, parts in observations.items()}
        return kept, infos


class RenameForRLlib(ObservationWrapper):
    """Name the parts as RLlib does: Dict(action_mask: float32 (N,), observations: float32 (D,)).

    For `ActionMaskingTorchRLModule` and its like, with the menu format. Text is dropped: RLlib
    has no encoder for it.

    Raises:
        ConfigError: the env is not in the menu format.
    """

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        counts = {agent: _count_choices(env.action_space(agent)) for agent in env.possible_agents}
        shared = {count: _FloatMasked(count) for count in counts.values()}
        self._actions = {agent: shared[count] for agent, count in counts.items()}

    def action_space(self, agent: str) -> AnySpace:
        """Return `agent`'s Discrete space, which samples with a float mask too."""
        return self._actions[agent]

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict under RLlib's names."""
        get_parts(space, "action_mask")
        mask = spaces.Box(0.0, 1.0, (_count_choices(action_space),), np.float32)
        return spaces.Dict({"action_mask": mask, "observations": get_vector(space)})

    def reshape_one(self, parts: Observations, info: Observations) -> Any:
        """Return the observation under RLlib's names."""
        mask = parts["action_mask"].astype(np.float32)
        return {"action_mask": mask, "observations": parts["observation"]}


class _InfoMask(npt.NDArray[np.int8]):
    """A mask that is not None: AgileRL asks `None in masks`, to which arrays have no answer."""

    def __eq__(self, other: object) -> Any:
        return False if other is None else super().__eq__(other)


class _FloatMasked(spaces.Discrete):
    """Gymnasium's Discrete samples with int8 masks alone; RLlib's modules want float32 ones."""

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        return super().sample(None if mask is None else np.asarray(mask, np.int8), probability)


def _count_choices(action_space: AnySpace) -> int:
    """Count the choices that an action space masks: N of the menu.

    Raises:
        ConfigError: the space is neither Discrete nor a Dict with a Discrete `choice`.
    """
    if isinstance(action_space, spaces.Dict):
        action_space = action_space.spaces.get("choice", action_space)
    if not isinstance(action_space, spaces.Discrete):
        raise ConfigError(f"no choices to mask in an action space {action_space}")
    return int(action_space.n)


def _get_mask(observation: Observations, info: Observations) -> Mask:
    """Return one agent's mask, shape (N,), from its observation (menu) or its info (words).

    Raises:
        ConfigError: it is in neither.
    """
    mask = observation.get("action_mask", info.get("action_mask"))
    if isinstance(mask, Mapping):
        mask = mask["choice"]
    if mask is None:
        raise ConfigError("no action_mask in the observation or in infos")
    choices: Mask = mask
    return choices
