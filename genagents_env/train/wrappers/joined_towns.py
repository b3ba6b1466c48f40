"""`JoinedTowns`: towns of several scenarios as one gymnasium vector. See docs/training.md."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from genagents_env.errors import ConfigError
from genagents_env.observe.spaces import Mask
from genagents_env.train.wrappers.vector_town import (
    Bools,
    Info,
    Observation,
    Rewards,
    VectorTown,
    list_seeds,
)


class JoinedTowns(VectorEnv[Observation, Any, Any]):
    """Several `VectorTown`s as one vector, their slots one after another.

    So one network acts in towns that differ in map, people and goals: what is alike is the spaces.
    Everything else is as `VectorTown` says.

    Args:
        vectors: at least one; step and reset them nowhere else.

    Raises:
        ConfigError: there is none, or their spaces or autoreset modes differ.
    """

    vectors: tuple[VectorTown, ...] = ()  # gymnasium 1.2 closes what was never built, too

    def __init__(self, vectors: Sequence[VectorTown]) -> None:
        if not vectors:
            raise ConfigError("vectors: there is none; at least one")
        first = vectors[0]
        for k, vector in enumerate(vectors):
            if (vector.single_observation_space, vector.single_action_space) != (
                first.single_observation_space,
                first.single_action_space,
            ):
                raise ConfigError(
                    f"vectors: the spaces of number {k} differ from those of number 0"
                )
            if vector.metadata["autoreset_mode"] is not first.metadata["autoreset_mode"]:
                raise ConfigError(
                    f"vectors: number {k} has another autoreset mode than number 0; give all one"
                )
        self.vectors = tuple(vectors)
        self.towns = sum(vector.towns for vector in vectors)
        self.num_envs = sum(vector.num_envs for vector in vectors)
        self.metadata, self.render_mode = first.metadata, first.render_mode
        self.single_observation_space = first.single_observation_space
        self.single_action_space = first.single_action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._ends = np.cumsum([vector.num_envs for vector in vectors])[:-1]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, object] | None = None,
    ) -> tuple[Observation, Info]:
        """Begin anew in every town; return (observations, infos).

        Args:
            seed: town t of all of them gets `seed + t`, or a list names one for each town; without
                one, each vector goes on as `VectorTown.reset` says.
            options: none.

        Raises:
            ConfigError: a list of another length than `towns`, no seed, or there are options.
        """
        seeds = list_seeds(seed, self.towns)
        observations, infos, start = list[Observation](), list[Info](), 0
        for vector in self.vectors:
            own = None if seed is None else seeds[start : start + vector.towns]
            start += vector.towns
            observation, vector_infos = vector.reset(seed=own, options=options)
            observations.append(observation)
            infos.append(vector_infos)
        return _join(observations), _join(infos)

    def step(self, actions: npt.ArrayLike) -> tuple[Observation, Rewards, Bools, Bools, Info]:
        """Step every town once; as `VectorTown.step`, by slot.

        Raises:
            EpisodeError: before the first `reset`.
            ConfigError: `actions` are not integers of shape (slots,).
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,):
            raise ConfigError(f"actions: shape {chosen.shape}; give shape ({self.num_envs},)")
        steps = [
            vector.step(own)
            for vector, own in zip(self.vectors, np.split(chosen, self._ends), strict=True)
        ]
        seen, rewards, terminations, truncations, infos = zip(*steps, strict=True)
        return (
            _join(seen),
            np.concatenate(rewards),
            np.concatenate(terminations),
            np.concatenate(truncations),
            _join(self._fill_final(infos)),
        )

    def texts(self) -> tuple[str, ...]:
        """Return this moment in words, by slot; "" for an agent that is not in town."""
        return tuple(text for vector in self.vectors for text in vector.texts())

    def action_masks(self) -> Mask:
        """Return the mask of each slot, int8, shape (slots, N)."""
        return np.concatenate([vector.action_masks() for vector in self.vectors])

    def render(self) -> tuple[Any, ...] | None:
        """Draw each town as `render_mode` says; None without one."""
        if self.render_mode is None:
            return None
        return tuple(frame for vector in self.vectors for frame in vector.render() or ())

    def call(self, name: str, *args: object, **kwargs: object) -> tuple[Any, ...]:
        """Call a method of each town, or read an attribute; see `VectorTown.call`."""
        return tuple(r for vector in self.vectors for r in vector.call(name, *args, **kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each town."""
        return tuple(value for vector in self.vectors for value in vector.get_attr(name))

    def close_extras(self, **kwargs: object) -> None:
        """Close every town."""
        for vector in self.vectors:
            vector.close()

    def _fill_final(self, parts: Sequence[Info]) -> list[Info]:
        """Return the infos of all vectors with final ones in each, where a town of any ended."""
        if not any("final_obs" in infos for infos in parts):
            return list(parts)
        return [
            infos if "final_obs" in infos else infos | vector.make_final_infos(towns=())
            for vector, infos in zip(self.vectors, parts, strict=True)
        ]


def _join(parts: Sequence[Any]) -> dict[str, Any]:
    """Return dicts of arrays, of texts and of dicts of such, one after another by slot."""
    return {name: _join_values([part[name] for part in parts]) for name in parts[0]}


def _join_values(values: Sequence[Any]) -> Any:
    if isinstance(values[0], dict):
        return _join(values)
    if isinstance(values[0], tuple):
        return tuple(part for value in values for part in value)
    return np.concatenate(values)
