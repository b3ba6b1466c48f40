"""`EmbedNames`: what people, places and things are called, as numbers, through any embedder."""

import numpy as np
from gymnasium import spaces

from genagents_env.errors import ConfigError
from genagents_env.observe.columns import OBJECT_SLOTS, PERSON_SLOTS
from genagents_env.observe.spaces import AnySpace, Floats
from genagents_env.train.wrappers.encode_text import Embed
from genagents_env.train.wrappers.observation import (
    Env,
    Infos,
    Observations,
    ObservationWrapper,
    get_parts,
    get_vector,
)
from genagents_env.train.wrappers.read_index import (
    OBJECTS_INDEX,
    PEOPLE_INDEX,
    ROOM_INDEX,
    SELF_INDEX,
    read_index,
)
from genagents_env.world.constants import TownConstants

_SLOTS = 2 + PERSON_SLOTS + OBJECT_SLOTS  # oneself, one's room, people and objects in sight


class EmbedNames(ObservationWrapper):
    """Append to `observation` embeddings of names: one's own, one's room's, those in sight.

    `dim` columns each for oneself, the place one is in, every person slot and every object slot;
    an empty slot is all zeros. A town's names are embedded once. A network can so read from a name
    what a thing is for, in towns it was never trained on.

    Args:
        env: a town, or a task, with the vector under `observation`.
        embed: takes a list of names, returns shape (len(names), dim); it must be deterministic.
            `memory.embed.HashedNgrams` needs no model.
        dim: length of one embedding.

    Raises:
        ConfigError: an embedding has another shape or is not finite.
    """

    def __init__(self, env: Env, embed: Embed, dim: int) -> None:
        self.embed, self.dim = embed, dim
        self._town: TownConstants | None = None
        self._names: tuple[Floats, ...] = ()
        super().__init__(env)

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict with a longer `observation`."""
        size = get_vector(space).shape[0] + _SLOTS * self.dim
        vector = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        return spaces.Dict({**get_parts(space, "observation"), "observation": vector})

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return the observations with the embeddings appended."""
        town: TownConstants = self.unwrapped.world.town
        if town is not self._town:
            ids = town.names, town.places.ids, town.places.object_ids
            self._town, self._names = town, tuple(self._embed(names) for names in ids)
        return {agent: self._append(held) for agent, held in observations.items()}, infos

    def _append(self, held: Observations) -> Observations:
        vector: Floats = held["observation"]
        people, places, objects = self._names
        parts = (
            (people, (SELF_INDEX,)),
            (places, (ROOM_INDEX,)),
            (people, PEOPLE_INDEX),
            (objects, OBJECTS_INDEX),
        )
        # Nobody and nothing is -1: the last row, all zeros.
        rows = [names[read_index(vector, at, len(names) - 1)].ravel() for names, at in parts]
        return {**held, "observation": np.concatenate([vector, *rows])}

    def _embed(self, names: tuple[str, ...]) -> Floats:
        """Return the embedding of each name, and a row of zeros."""
        rows = np.zeros((len(names) + 1, self.dim), dtype=np.float32)
        if names:
            found = np.array(self.embed(list(names)), dtype=np.float32)
            if found.shape != (len(names), self.dim) or not np.isfinite(found).all():
                raise ConfigError(
                    f"embed returned shape {found.shape} for {len(names)} names; expected "
                    f"{(len(names), self.dim)}, all finite"
                )
            rows[:-1] = found
        return rows
