"""`SlotVecEnv`: a vector of towns as SB3's VecEnv, with masks, for MaskablePPO."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.train.wrappers.joined_towns import JoinedTowns
from genagents_env.train.wrappers.vector_town import Bools, Info, Observation, VectorTown

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        f"SlotVecEnv needs stable-baselines3: {format_install_command('train')}"
    ) from error

SlotIndices: TypeAlias = int | Iterable[int] | None


class SlotVecEnv(VecEnv):  # type: ignore[misc, unused-ignore]  # untyped unless installed
    """Every agent of every town is one slot; one policy, shared by all, acts in all slots.

    Observations are the numbers alone, Box float32, shape (D,); no text is made. An agent that has
    left leaves its slot inert until its town ends: observation 0, reward 0, done, idle the only
    choice. A town that ends begins anew at once. Return and length of an agent's episode are in
    `infos[slot]["episode"]`.

    Args:
        vector: the towns, without text; step and reset them nowhere else.
        seed: of the towns' episodes, at the first `reset`; later ones draw new episodes. `seed(s)`
            lets the next `reset` begin from `s`.

    Raises:
        ConfigError: the vector makes texts.
    """

    def __init__(self, vector: VectorTown | JoinedTowns, seed: int = 0) -> None:
        seen, actions = vector.single_observation_space, vector.single_action_space
        if not isinstance(seen, spaces.Dict) or "text" in seen.spaces:
            raise ConfigError("SlotVecEnv takes a vector without text: VectorTown(..., text=False)")
        self.vector = vector
        self._seed: int | None = seed
        self._slots = np.repeat(
            np.arange(vector.towns), [len(agents) for agents in vector.get_attr("possible_agents")]
        )
        self._present: Bools = np.ones(vector.num_envs, dtype=np.bool_)
        self._masks: Mask = np.zeros((vector.num_envs, 0), dtype=np.int8)
        self._returns = np.zeros(vector.num_envs)
        self._lengths = np.zeros(vector.num_envs, dtype=np.int64)
        self._actions: npt.NDArray[np.int64] = np.zeros(vector.num_envs, dtype=np.int64)
        super().__init__(vector.num_envs, seen["observation"], actions)

    def reset(self) -> Floats:
        """Begin anew in every town; return observations, shape (slots, D)."""
        if self._seeds[0] is not None:
            self._seed = int(self._seeds[0])
        seen, infos = self.vector.reset(seed=self._seed)
        self._seed = None
        self._reset_seeds()
        self._returns[:], self._lengths[:] = 0, 0
        return self._take(seen, infos)

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take the actions of all slots, shape (slots,)."""
        self._actions = np.asarray(actions, dtype=np.int64)

    def step_wait(
        self,
    ) -> tuple[Floats, npt.NDArray[np.float32], Bools, list[dict[str, Any]]]:
        """Step every town once."""
        before = self._present
        seen, rewards, terminations, truncations, infos = self.vector.step(self._actions)
        ended = terminations | truncations
        gone = before & ~ended & ~infos["present"]
        self._returns[before] += rewards[before]
        self._lengths[before] += 1
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for slot in ((before & ended) | gone).nonzero()[0].tolist():
            last = infos["final_obs"][slot] if ended[slot] else _row(seen, slot)
            told[slot] = {
                "terminal_observation": last["observation"],
                "TimeLimit.truncated": bool(truncations[slot]),
                "episode": {"r": float(self._returns[slot]), "l": int(self._lengths[slot])},
            }
        over = ended | gone
        self._returns[over], self._lengths[over] = 0, 0
        dones = over | ~before
        return self._take(seen, infos), rewards.astype(np.float32), dones, told

    def action_masks(self, slot: int) -> Mask:
        """Return what `slot` may choose now, int8, shape (N,)."""
        mask: Mask = self._masks[slot].copy()
        return mask

    def close(self) -> None:
        """Close every town."""
        self.vector.close()

    def get_attr(self, attr_name: str, indices: SlotIndices = None) -> list[Any]:
        """Return an attribute of each slot's town; `action_masks` is a slot's own."""
        slots = list(self._get_indices(indices))
        if attr_name == "action_masks":
            return [self.action_masks(slot) for slot in slots]
        found = self.vector.get_attr(attr_name)
        return [found[self._slots[slot]] for slot in slots]

    def set_attr(self, attr_name: str, value: object, indices: SlotIndices = None) -> None:
        """Refuse: towns that step together are configured when they are made.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(f"{attr_name}: towns of a vector take options only when they are made")

    def env_method(
        self,
        method_name: str,
        *method_args: object,
        indices: SlotIndices = None,
        **method_kwargs: object,
    ) -> list[Any]:
        """Call a method of each slot's town, once a town; `action_masks` is a slot's own."""
        slots = list(self._get_indices(indices))
        if method_name == "action_masks":
            return [self.action_masks(slot) for slot in slots]
        found = self.vector.call(method_name, *method_args, **method_kwargs)
        return [found[self._slots[slot]] for slot in slots]

    def env_is_wrapped(
        self, wrapper_class: type[object], indices: SlotIndices = None
    ) -> list[bool]:
        """Return False for each slot: no gymnasium wrapper fits a town."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> list[Any]:
        """Return one picture a town."""
        return list(self.vector.render() or ())

    def _take(self, seen: Observation, infos: Info) -> Floats:
        """Return what the slots see now; keep who is there and what is possible."""
        self._present, self._masks = infos["present"], seen["action_mask"]
        numbers: Floats = seen["observation"]
        numbers[~self._present] = 0.0
        return numbers


def _row(seen: Observation, slot: int) -> Observation:
    return {"observation": seen["observation"][slot].copy()}
