"""The base of wrappers that change observations: one space and one function of them."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper

from genagents_env.errors import ConfigError
from genagents_env.observe.spaces import AnySpace

Env: TypeAlias = ParallelEnv[str, Any, Any]
Observations: TypeAlias = dict[str, Any]  # by agent, or the parts of one by name
Infos: TypeAlias = dict[str, Observations]
_MAKES = {"text": "text=True", "action_mask": 'actions="menu"'}  # what gives a part


class ObservationWrapper(BaseParallelWrapper[str, Any, Any]):  # type: ignore[misc]
    """Change every observation by `reshape` or `reshape_one`, and its space by `reshape_space`.

    Wrappers may be stacked, copied and pickled like the env inside.
    """

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        shaped: dict[int, AnySpace] = {}  # by id: agents that share a space still share it
        self._spaces: dict[str, AnySpace] = {}
        for agent in env.possible_agents:
            space = env.observation_space(agent)
            if id(space) not in shaped:
                shaped[id(space)] = self.reshape_space(space, env.action_space(agent))
            self._spaces[agent] = shaped[id(space)]

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the observation space of an agent whose own is `space`."""
        raise NotImplementedError

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return new dicts of everybody's observations and infos; those given are not changed."""
        return {a: self.reshape_one(parts, infos[a]) for a, parts in observations.items()}, infos

    def reshape_one(self, parts: Observations, info: Observations) -> Any:
        """Return the new observation of an agent whose own is `parts`."""
        raise NotImplementedError

    def observation_space(self, agent: str) -> AnySpace:
        """Return `agent`'s space, the same object at each call."""
        return self._spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Observations, Infos]:
        """Reset the env inside."""
        return self.reshape(*self.env.reset(seed=seed, options=options))

    def step(
        self, actions: dict[str, object]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Step the env inside."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        observations, infos = self.reshape(observations, infos)
        return observations, rewards, terminations, truncations, infos


def get_parts(space: AnySpace, wanted: str) -> dict[str, AnySpace]:
    """Return the parts of a Dict space by name.

    Raises:
        ConfigError: it is no Dict, or has no part called `wanted`.
    """
    parts = dict(space.spaces) if isinstance(space, spaces.Dict) else {}
    if wanted not in parts:
        found = ", ".join(map(repr, parts)) or type(space).__name__
        makes = f"make the town with {_MAKES[wanted]}, and " if wanted in _MAKES else ""
        raise ConfigError(
            f"this wrapper needs Dict observations with the key {wanted!r}, and found {found}; "
            f"{makes}put this wrapper inside those that take {wanted!r} away"
        )
    return parts


def omit(parts: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the parts of an observation, or of a space, without one."""
    return {key: value for key, value in parts.items() if key != name}


def get_vector(space: AnySpace) -> spaces.Box:
    """Return the Box under `observation` of a Dict space.

    Raises:
        ConfigError: there is none.
    """
    vector = get_parts(space, "observation")["observation"]
    if not isinstance(vector, spaces.Box):
        raise ConfigError(f"this wrapper needs a Box under 'observation', and found {vector}")
    return vector
