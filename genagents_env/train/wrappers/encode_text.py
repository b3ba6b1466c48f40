"""`EncodeText`: the text of observations as numbers, through any embedder."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from genagents_env.errors import ConfigError
from genagents_env.observe.spaces import AnySpace
from genagents_env.train.wrappers.observation import (
    Env,
    Infos,
    Observations,
    ObservationWrapper,
    get_parts,
)

Embed: TypeAlias = Callable[[list[str]], npt.NDArray[np.floating]]


class EncodeText(ObservationWrapper):
    """Replace `text` by its embedding: Box float32, shape (dim,), under the same key.

    Args:
        env: with Dict observations that have a `text`.
        embed: takes the texts of all agents at once, returns shape (len(texts), dim). It must be
            deterministic for the env to stay so; `memory.embed.HashedNgrams` needs no model.
        dim: length of one embedding.

    Raises:
        ConfigError: an embedding has another shape or is not finite.
    """

    def __init__(self, env: Env, embed: Embed, dim: int) -> None:
        self.embed = embed
        self.dim = dim
        super().__init__(env)

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict with a Box for `text`."""
        parts = get_parts(space, "text")
        return spaces.Dict({**parts, "text": spaces.Box(-np.inf, np.inf, (self.dim,), np.float32)})

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return the observations with the embedding for `text`."""
        if not observations:
            return {}, infos
        rows = np.array(self.embed([held["text"] for held in observations.values()]), np.float32)
        expected = (len(observations), self.dim)
        if rows.shape != expected or not np.isfinite(rows).all():
            raise ConfigError(
                f"embed returned shape {rows.shape} for {len(observations)} texts; expected "
                f"{expected}, all finite"
            )
        coded = {
            agent: {**held, "text": row}
            for (agent, held), row in zip(observations.items(), rows, strict=True)
        }
        return coded, infos
