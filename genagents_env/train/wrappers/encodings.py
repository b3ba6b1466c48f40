"""Wrappers that put texts, names and identities into observations as numbers."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from genagents_env.errors import ConfigError
from genagents_env.observe.columns import OBJECT_SLOTS, PERSON_SLOTS, describe_columns
from genagents_env.observe.spaces import AnySpace, Floats
from genagents_env.train.wrappers.observation import (
    Env,
    Infos,
    Observations,
    ObservationWrapper,
    get_parts,
    get_vector,
)
from genagents_env.world.constants import TownConstants
from genagents_env.world.tiles import Ints

Embed: TypeAlias = Callable[[list[str]], npt.NDArray[np.floating]]

_COLUMNS = {column.name: column.index for column in describe_columns()}
_SELF, _ROOM = _COLUMNS["self.index"], _COLUMNS["room.index"]
_PEOPLE = tuple(_COLUMNS[f"person_{k + 1}.index"] for k in range(PERSON_SLOTS))
_OBJECTS = tuple(_COLUMNS[f"object_{k + 1}.index"] for k in range(OBJECT_SLOTS))
_NAMED = 2 + PERSON_SLOTS + OBJECT_SLOTS  # oneself, one's room, people and objects in sight


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
        self.embed, self.dim = embed, dim
        super().__init__(env)

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict with a Box for `text`."""
        parts = get_parts(space, "text")
        return spaces.Dict({**parts, "text": spaces.Box(-np.inf, np.inf, (self.dim,), np.float32)})

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return the observations with the embedding for `text`."""
        texts = [parts["text"] for parts in observations.values()]
        rows = _embed(self.embed, self.dim, texts, "texts")
        pairs = zip(observations.items(), rows, strict=True)
        return {agent: {**parts, "text": row} for (agent, parts), row in pairs}, infos


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
        size = get_vector(space).shape[0] + _NAMED * self.dim
        vector = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        return spaces.Dict({**get_parts(space, "observation"), "observation": vector})

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Embed the names of a town that was not seen before, and return the observations."""
        town: TownConstants = self.unwrapped.world.town
        if town is not self._town:
            ids = town.names, town.places.ids, town.places.object_ids
            self._town, self._names = town, tuple(self._embed_ids(names) for names in ids)
        return super().reshape(observations, infos)

    def reshape_one(self, parts: Observations, info: Observations) -> Any:
        """Return the observation with the embeddings appended."""
        vector: Floats = parts["observation"]
        people, places, objects = self._names
        columns = ((people, (_SELF,)), (places, (_ROOM,)), (people, _PEOPLE), (objects, _OBJECTS))
        # Nobody and nothing is -1: the last row, all zeros.
        rows = [names[_read_index(vector, at, len(names) - 1)].ravel() for names, at in columns]
        return {**parts, "observation": np.concatenate([vector, *rows])}

    def _embed_ids(self, names: Sequence[str]) -> Floats:
        """Return the embedding of each name, and a row of zeros."""
        rows = _embed(self.embed, self.dim, list(names), "names")
        return np.concatenate([rows, np.zeros((1, self.dim), dtype=np.float32)])


class OneHotIdentity(ObservationWrapper):
    """Append to `observation` N columns for oneself, and N for each person slot.

    Of N agents the k-th is 1 in the k-th of N columns; an empty slot is all zeros. Networks that
    one policy shares tell people apart by it; they then fit towns of N people alone.

    Args:
        env: with Dict observations that have the vector of a town under `observation`.
    """

    def __init__(self, env: Env) -> None:
        self._count = len(env.possible_agents)
        super().__init__(env)

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict with a longer `observation`."""
        size = get_vector(space).shape[0] + (1 + PERSON_SLOTS) * self._count
        vector = spaces.Box(-1.0, 1.0, (size,), np.float32)
        return spaces.Dict({**get_parts(space, "observation"), "observation": vector})

    def reshape_one(self, parts: Observations, info: Observations) -> Any:
        """Return the observation with the columns appended."""
        vector: Floats = parts["observation"]
        coded = np.zeros((1 + PERSON_SLOTS, self._count + 1), dtype=np.float32)
        who = _read_index(vector, (_SELF, *_PEOPLE), self._count)
        coded[np.arange(len(who)), who] = 1.0  # nobody is -1: the last column, which is left out
        return {**parts, "observation": np.concatenate([vector, coded[:, :-1].ravel()])}


def _embed(embed: Embed, dim: int, texts: list[str], what: str) -> Floats:
    """Return the embeddings of texts, shape (len(texts), dim), checked; none are asked for none."""
    if not texts:
        return np.zeros((0, dim), dtype=np.float32)
    rows = np.array(embed(texts), dtype=np.float32)
    if rows.shape != (len(texts), dim) or not np.isfinite(rows).all():
        raise ConfigError(
            f"embed returned shape {rows.shape} for {len(texts)} {what}; expected "
            f"{(len(texts), dim)}, all finite"
        )
    return rows


def _read_index(vector: Floats, columns: Sequence[int], count: int) -> Ints:
    """Return the indices that `columns` of an observation mean, -1 for nobody and nothing.

    Args:
        vector: an observation, its last axis the columns.
        columns: those that hold a number over how many there are.
        count: how many people, places or objects there are.
    """
    index = np.rint(vector[..., list(columns)].astype(np.float64) * count) - 1
    return index.astype(np.int64)
