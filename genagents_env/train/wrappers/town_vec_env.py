"""`TownVecEnv`: several towns as one SB3 VecEnv, with masks, for MaskablePPO."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.rng import draw_bits
from genagents_env.train.wrappers.observation import Env, Observations

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        f"TownVecEnv needs stable-baselines3: {format_install_command('train')}"
    ) from error

Floats = npt.NDArray[np.float32]
Masks = npt.NDArray[np.int8]
Indices: TypeAlias = int | Iterable[int] | None


class TownVecEnv(VecEnv):  # type: ignore[misc, unused-ignore]  # untyped unless installed
    """Every agent of every town is one slot; one policy, shared by all, acts in all slots.

    Slot `town * A + k` is the k-th of A possible agents. Observations are the float parts of the
    menu format (`observation`, and `text` behind `EncodeText`) in one Box float32, shape (D,).
    An agent that has ended leaves its slot empty until its town ends: observation 0, reward 0,
    done, idle the only choice. A town that ends is reset at once. Return and length of an agent's
    episode are in `infos[slot]["episode"]`.

    Args:
        make_envs: one function per town, each returning a new env with `actions="menu"`.
        seed: of the towns' episodes; `seed(s)` changes it from the next `reset` on.

    Raises:
        ConfigError: an env is not in the menu format, or agents differ in their spaces.
    """

    def __init__(self, make_envs: Sequence[Callable[[], Env]], seed: int = 0) -> None:
        self.envs = [make_env() for make_env in make_envs]
        first = self.envs[0]
        self.agents: list[str] = list(first.possible_agents)
        self._parts, box, actions = _spaces(self.envs)
        slots = len(self.envs) * len(self.agents)
        self._choices = int(actions.n)
        self._seed = seed
        self._episodes = [0] * len(self.envs)
        self._seen: Floats = np.zeros((slots, *box.shape), dtype=np.float32)
        self._masks: Masks = np.zeros((slots, self._choices), dtype=np.int8)
        self._returns = np.zeros(slots)
        self._lengths = np.zeros(slots, dtype=np.int64)
        self._actions: npt.NDArray[np.int64] = np.zeros(slots, dtype=np.int64)
        super().__init__(slots, box, actions)

    def reset(self) -> Floats:
        """Begin anew in every town; return observations, shape (slots, D)."""
        if self._seeds[0] is not None:
            self._seed = int(self._seeds[0])
        self._episodes = [0] * len(self.envs)
        for town in range(len(self.envs)):
            self._begin(town)
        self._reset_seeds()
        return self._seen.copy()

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take the actions of all slots, shape (slots,)."""
        self._actions = np.asarray(actions, dtype=np.int64)

    def step_wait(
        self,
    ) -> tuple[Floats, Floats, npt.NDArray[np.bool_], list[Observations]]:
        """Step every town once."""
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        dones = np.ones(self.num_envs, dtype=np.bool_)
        infos: list[Observations] = [{} for _ in range(self.num_envs)]
        for town in range(len(self.envs)):
            self._step_town(town, rewards, dones, infos)
        return self._seen.copy(), rewards, dones, infos

    def action_masks(self, slot: int) -> Masks:
        """Return what `slot` may choose now, int8, shape (N,)."""
        mask: Masks = self._masks[slot].copy()
        return mask

    def close(self) -> None:
        """Close every town."""
        for env in self.envs:
            env.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of each slot's town; `action_masks` is a slot's own."""
        if attr_name == "action_masks":
            return [self.action_masks(slot) for slot in self._get_indices(indices)]
        return [getattr(self._town(slot), attr_name) for slot in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: object, indices: Indices = None) -> None:
        """Set an attribute on each slot's town."""
        for slot in self._get_indices(indices):
            setattr(self._town(slot), attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: object,
        indices: Indices = None,
        **method_kwargs: object,
    ) -> list[Any]:
        """Call a method of each slot's town; `action_masks` is a slot's own."""
        slots = self._get_indices(indices)
        if method_name == "action_masks":
            return [self.action_masks(slot) for slot in slots]
        return [
            getattr(self._town(slot), method_name)(*method_args, **method_kwargs) for slot in slots
        ]

    def env_is_wrapped(self, wrapper_class: type[object], indices: Indices = None) -> list[bool]:
        """Return False for each slot: no gymnasium wrapper fits a town."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> list[npt.NDArray[np.uint8] | None]:
        """Return one picture a town."""
        return [env.render() for env in self.envs]

    def _town(self, slot: int) -> Env:
        return self.envs[slot // len(self.agents)]

    def _begin(self, town: int) -> None:
        bits = draw_bits(self._seed, town, self._episodes[town], "episode")
        self._episodes[town] += 1
        observations, _ = self.envs[town].reset(seed=bits >> 33)
        slots = self._slots(town)
        self._returns[slots] = 0
        self._lengths[slots] = 0
        self._look(town, observations)

    def _slots(self, town: int) -> slice:
        return slice(town * len(self.agents), (town + 1) * len(self.agents))

    def _look(self, town: int, observations: Observations) -> None:
        """Set what the slots of a town see: those absent from `observations` are empty."""
        slots = self._slots(town)
        self._seen[slots] = 0
        self._masks[slots] = 0
        self._masks[slots, 0] = 1
        for slot, agent in enumerate(self.agents, slots.start):
            if agent in observations:
                self._seen[slot] = self._vector(observations[agent])
                self._masks[slot] = observations[agent]["action_mask"]

    def _vector(self, observation: Observations) -> Floats:
        return np.concatenate([observation[part] for part in self._parts])

    def _step_town(
        self,
        town: int,
        rewards: Floats,
        dones: npt.NDArray[np.bool_],
        infos: list[Observations],
    ) -> None:
        env, start = self.envs[town], self._slots(town).start
        live = [(slot, a) for slot, a in enumerate(self.agents, start) if a in env.agents]
        observations, gained, terminated, truncated, told = env.step(
            {agent: int(self._actions[slot]) for slot, agent in live}
        )
        for slot, agent in live:
            rewards[slot] = gained[agent]
            dones[slot] = terminated[agent] or truncated[agent]
            self._returns[slot] += gained[agent]
            self._lengths[slot] += 1
            infos[slot] = dict(told[agent])
            if dones[slot]:
                infos[slot] |= {
                    "terminal_observation": self._vector(observations[agent]),
                    "TimeLimit.truncated": truncated[agent] and not terminated[agent],
                    "episode": {"r": self._returns[slot], "l": int(self._lengths[slot])},
                }
        if env.agents:
            self._look(town, {agent: observations[agent] for agent in env.agents})
        else:
            self._begin(town)


def _spaces(envs: Sequence[Env]) -> tuple[list[str], spaces.Box, spaces.Discrete]:
    """Return the float parts of an observation, the Box they make together, the action space."""
    first = envs[0].possible_agents[0]
    seen, actions = envs[0].observation_space(first), envs[0].action_space(first)
    menu = isinstance(seen, spaces.Dict) and "action_mask" in seen.spaces
    if not menu or not isinstance(actions, spaces.Discrete):
        raise ConfigError(
            "TownVecEnv needs observations with an action_mask and Discrete actions: "
            'parallel_env(..., actions="menu"), not behind FlatBox or MaskInInfo'
        )
    for env in envs:
        for agent in env.possible_agents:
            if env.observation_space(agent) != seen or env.action_space(agent) != actions:
                raise ConfigError(f"{agent!r} has other spaces than {first!r}")
    parts = [name for name, part in seen.items() if isinstance(part, spaces.Box)]
    low = np.concatenate([seen[name].low for name in parts])
    high = np.concatenate([seen[name].high for name in parts])
    return parts, spaces.Box(low, high, dtype=np.float32), actions
