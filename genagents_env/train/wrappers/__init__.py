"""Wrappers that bring an env into the shape a training framework takes. See docs/training.md.

`SlotVecEnv` and `TownVecEnv` need stable-baselines3 (extra `train`) and are imported when they are
asked for.
"""

from typing import TYPE_CHECKING

from genagents_env.train.wrappers.encodings import Embed, EmbedNames, EncodeText, OneHotIdentity
from genagents_env.train.wrappers.formats import (
    BareVector,
    DropText,
    FlatBox,
    MaskInInfo,
    RenameForRLlib,
)
from genagents_env.train.wrappers.joined_towns import JoinedTowns
from genagents_env.train.wrappers.observation import ObservationWrapper
from genagents_env.train.wrappers.vector_town import VectorTown

if TYPE_CHECKING:
    from genagents_env.train.wrappers.vec_envs import SlotVecEnv, TownVecEnv

__all__ = [
    "BareVector",
    "DropText",
    "Embed",
    "EmbedNames",
    "EncodeText",
    "FlatBox",
    "JoinedTowns",
    "MaskInInfo",
    "ObservationWrapper",
    "OneHotIdentity",
    "RenameForRLlib",
    "SlotVecEnv",
    "TownVecEnv",
    "VectorTown",
]


def __getattr__(name: str) -> object:
    if name in ("SlotVecEnv", "TownVecEnv"):
        from genagents_env.train.wrappers import vec_envs

        return getattr(vec_envs, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
