"""`SlotVecEnv` and `TownVecEnv`: several towns as one SB3 VecEnv, with masks, for MaskablePPO.

Every agent of every town is one slot; one policy, shared by all, acts in all slots. An agent that
has left leaves its slot inert until its town ends: observation 0, reward 0, done, idle the only
choice. A town that ends begins anew at once. Return and length of an agent's episode are in
`infos[slot]["episode"]`.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.rng import draw_bits
from genagents_env.train.wrappers.joined_towns import JoinedTowns
from genagents_env.train.wrappers.observation import Env, Observations
from genagents_env.train.wrappers.vector_town import Bools, Info, Observation, VectorTown

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        f"SlotVecEnv and TownVecEnv need stable-baselines3: {format_install_command('train')}"
    ) from error

Indices: TypeAlias = int | Iterable[int] | None


class _MaskedVecEnv(VecEnv):  # type: ignore[misc, unused-ignore]  # untyped unless installed
    """Counts returns and lengths by slot, and reaches each slot's town and mask."""

    def __init__(self, slots: int, box: spaces.Space[Any], actions: spaces.Space[Any]) -> None:
        self._masks: Mask = np.zeros((slots, 0), dtype=np.int8)
        self._returns = np.zeros(slots)
        self._lengths = np.zeros(slots, dtype=np.int64)
        self._actions: npt.NDArray[np.int64] = np.zeros(slots, dtype=np.int64)
        super().__init__(slots, box, actions)

    @abstractmethod
    def _read_towns(self, slots: Sequence[int], name: str) -> list[Any]:
        """Return an attribute of the town of each of these slots."""

    @abstractmethod
    def _call_towns(self, slots: Sequence[int], name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """Call a method of the town of each of these slots, and return the results."""

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take the actions of all slots, shape (slots,)."""
        self._actions = np.asarray(actions, dtype=np.int64)

    def action_masks(self, slot: int) -> Mask:
        """Return the mask of `slot`, int8, shape (N,)."""
        mask: Mask = self._masks[slot].copy()
        return mask

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of each slot's town; `action_masks` is a slot's own."""
        slots = list(self._get_indices(indices))
        if attr_name == "action_masks":
            return [self.action_masks(slot) for slot in slots]
        return self._read_towns(slots, attr_name)

    def env_method(
        self,
        method_name: str,
        *method_args: object,
        indices: Indices = None,
        **method_kwargs: object,
    ) -> list[Any]:
        """Call a method of each slot's town; `action_masks` is a slot's own."""
        slots = list(self._get_indices(indices))
        if method_name == "action_masks":
            return [self.action_masks(slot) for slot in slots]
        return self._call_towns(slots, method_name, *method_args, **method_kwargs)

    def env_is_wrapped(self, wrapper_class: type[object], indices: Indices = None) -> list[bool]:
        """Return False for each slot: no gymnasium wrapper fits a town."""
        return [False for _ in self._get_indices(indices)]

    def _take_seed(self) -> int | None:
        """Return the seed that `seed` was given since the last call, if any."""
        seed = self._seeds[0]
        self._reset_seeds()
        return None if seed is None else int(seed)

    def _end_episode(self, slot: int, last: Floats, *, truncated: bool) -> dict[str, Any]:
        """Return the info of a slot whose episode ends, and count anew."""
        info = {
            "terminal_observation": last,
            "TimeLimit.truncated": truncated,
            "episode": {"r": float(self._returns[slot]), "l": int(self._lengths[slot])},
        }
        self._returns[slot], self._lengths[slot] = 0, 0
        return info


class SlotVecEnv(_MaskedVecEnv):
    """The slots of a vector of towns. Observations are the numbers alone, Box float32, shape (D,).

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
        people = [len(agents) for agents in vector.get_attr("possible_agents")]
        self._towns = np.repeat(np.arange(vector.towns), people)
        self._present: Bools = np.ones(vector.num_envs, dtype=np.bool_)
        super().__init__(vector.num_envs, seen["observation"], actions)

    def reset(self) -> Floats:
        """Begin anew in every town; return observations, shape (slots, D)."""
        given = self._take_seed()
        seen, infos = self.vector.reset(seed=self._seed if given is None else given)
        self._seed = None
        self._returns[:], self._lengths[:] = 0, 0
        return self._take(seen, infos)

    def step_wait(self) -> tuple[Floats, Floats, Bools, list[dict[str, Any]]]:
        """Step every town once."""
        before = self._present
        seen, rewards, terminations, truncations, infos = self.vector.step(self._actions)
        ended = terminations | truncations
        left = before & ~ended & ~infos["present"]
        self._returns[before] += rewards[before]
        self._lengths[before] += 1
        slot_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for slot in ((before & ended) | left).nonzero()[0].tolist():
            # `_take` empties the rows of those who left.
            last = seen["observation"][slot].copy()
            if ended[slot]:
                last = infos["final_obs"][slot]["observation"]
            slot_infos[slot] = self._end_episode(slot, last, truncated=bool(truncations[slot]))
        dones = ended | left | ~before
        return self._take(seen, infos), rewards.astype(np.float32), dones, slot_infos

    def close(self) -> None:
        """Close every town."""
        self.vector.close()

    def set_attr(self, attr_name: str, value: object, indices: Indices = None) -> None:
        """Refuse: towns that step together are configured when they are made.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(f"{attr_name}: towns of a vector take options only when they are made")

    def get_images(self) -> list[Any]:
        """Return one picture a town."""
        return list(self.vector.render() or ())

    def _read_towns(self, slots: Sequence[int], name: str) -> list[Any]:
        values = self.vector.get_attr(name)
        return [values[self._towns[slot]] for slot in slots]

    def _call_towns(self, slots: Sequence[int], name: str, *args: Any, **kwargs: Any) -> list[Any]:
        values = self.vector.call(name, *args, **kwargs)
        return [values[self._towns[slot]] for slot in slots]

    def _take(self, seen: Observation, infos: Info) -> Floats:
        """Return the observations of the slots; keep their masks and who is present."""
        self._present, self._masks = infos["present"], seen["action_mask"]
        numbers: Floats = seen["observation"]
        numbers[~self._present] = 0.0
        return numbers


class TownVecEnv(_MaskedVecEnv):
    """The slots of any towns in the menu format, wrapped or not.

    Slot `town * A + k` is the k-th of A possible agents. Observations are the float parts of the
    menu format (`observation`, and `text` behind `EncodeText`) in one Box float32, shape (D,).

    Args:
        make_envs: one function per town, each returning a new env with `actions="menu"`.
        seed: of the towns' episodes; `seed(s)` changes it from the next `reset` on.

    Raises:
        ConfigError: an env is not in the menu format, or agents differ in their spaces.
    """

    def __init__(self, make_envs: Sequence[Callable[[], Env]], seed: int = 0) -> None:
        self.envs = [make_env() for make_env in make_envs]
        self.agents: list[str] = list(self.envs[0].possible_agents)
        self._parts, box, actions = _join_spaces(self.envs)
        self._seed, self._episodes = seed, [0] * len(self.envs)
        slots = len(self.envs) * len(self.agents)
        super().__init__(slots, box, actions)
        self._seen: Floats = np.zeros((slots, *box.shape), dtype=np.float32)
        self._masks = np.zeros((slots, int(actions.n)), dtype=np.int8)

    def reset(self) -> Floats:
        """Begin anew in every town; return observations, shape (slots, D)."""
        given = self._take_seed()
        self._seed = self._seed if given is None else given
        self._episodes = [0] * len(self.envs)
        for town in range(len(self.envs)):
            self._begin(town)
        return self._seen.copy()

    def step_wait(self) -> tuple[Floats, Floats, Bools, list[Observations]]:
        """Step every town once."""
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        dones = np.ones(self.num_envs, dtype=np.bool_)
        infos: list[Observations] = [{} for _ in range(self.num_envs)]
        for town in range(len(self.envs)):
            self._step_town(town, rewards, dones, infos)
        return self._seen.copy(), rewards, dones, infos

    def close(self) -> None:
        """Close every town."""
        for env in self.envs:
            env.close()

    def set_attr(self, attr_name: str, value: object, indices: Indices = None) -> None:
        """Set an attribute on each slot's town."""
        for slot in self._get_indices(indices):
            setattr(self._find_town(slot), attr_name, value)

    def get_images(self) -> list[npt.NDArray[np.uint8] | None]:
        """Return one picture a town."""
        return [env.render() for env in self.envs]

    def _read_towns(self, slots: Sequence[int], name: str) -> list[Any]:
        return [getattr(self._find_town(slot), name) for slot in slots]

    def _call_towns(self, slots: Sequence[int], name: str, *args: Any, **kwargs: Any) -> list[Any]:
        return [getattr(self._find_town(slot), name)(*args, **kwargs) for slot in slots]

    def _find_town(self, slot: int) -> Env:
        return self.envs[slot // len(self.agents)]

    def _begin(self, town: int) -> None:
        bits = draw_bits(self._seed, town, self._episodes[town], "episode")
        self._episodes[town] += 1
        observations, _ = self.envs[town].reset(seed=bits >> 33)
        slots = self._slots(town)
        self._returns[slots], self._lengths[slots] = 0, 0
        self._look(town, observations)

    def _slots(self, town: int) -> slice:
        return slice(town * len(self.agents), (town + 1) * len(self.agents))

    def _look(self, town: int, observations: Observations) -> None:
        """Set what the slots of a town see: those absent from `observations` are inert."""
        slots = self._slots(town)
        self._seen[slots] = 0
        self._masks[slots] = 0
        self._masks[slots, 0] = 1
        for slot, agent in enumerate(self.agents, slots.start):
            if agent in observations:
                self._seen[slot] = self._join_parts(observations[agent])
                self._masks[slot] = observations[agent]["action_mask"]

    def _join_parts(self, observation: Observations) -> Floats:
        return np.concatenate([observation[part] for part in self._parts])

    def _step_town(
        self, town: int, rewards: Floats, dones: Bools, infos: list[Observations]
    ) -> None:
        env, start = self.envs[town], self._slots(town).start
        live = [(slot, a) for slot, a in enumerate(self.agents, start) if a in env.agents]
        observations, earned, terminated, truncated, town_infos = env.step(
            {agent: int(self._actions[slot]) for slot, agent in live}
        )
        for slot, agent in live:
            rewards[slot] = earned[agent]
            dones[slot] = terminated[agent] or truncated[agent]
            self._returns[slot] += earned[agent]
            self._lengths[slot] += 1
            infos[slot] = dict(town_infos[agent])
            if dones[slot]:
                last = self._join_parts(observations[agent])
                late = truncated[agent] and not terminated[agent]
                infos[slot] |= self._end_episode(slot, last, truncated=late)
        if env.agents:
            self._look(town, {agent: observations[agent] for agent in env.agents})
        else:
            self._begin(town)


def _join_spaces(envs: Sequence[Env]) -> tuple[list[str], spaces.Box, spaces.Discrete]:
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
