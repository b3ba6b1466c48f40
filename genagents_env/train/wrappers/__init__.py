"""Wrappers that bring an env into the shape a training framework takes. See docs/training.md.

`SlotVecEnv` and `TownVecEnv` need stable-baselines3 (extra `train`) and are imported when they are
asked for.
"""

from typing import TYPE_CHECKING

from genagents_env.train.wrappers.bare_vector import BareVector
from genagents_env.train.wrappers.drop_text import DropText
from genagents_env.train.wrappers.embed_names import EmbedNames
from genagents_env.train.wrappers.encode_text import Embed, EncodeText
from genagents_env.train.wrappers.flat_box import FlatBox
from genagents_env.train.wrappers.joined_towns import JoinedTowns
from genagents_env.train.wrappers.mask_in_info import MaskInInfo
from genagents_env.train.wrappers.observation import ObservationWrapper
from genagents_env.train.wrappers.one_hot_identity import OneHotIdentity
from genagents_env.train.wrappers.rename_for_rllib import RenameForRLlib
from genagents_env.train.wrappers.vector_town import VectorTown

if TYPE_CHECKING:
    from genagents_env.train.wrappers.slot_vec_env import SlotVecEnv
    from genagents_env.train.wrappers.town_vec_env import TownVecEnv

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
    if name == "SlotVecEnv":
        from genagents_env.train.wrappers.slot_vec_env import SlotVecEnv

        return SlotVecEnv
    if name == "TownVecEnv":
        from genagents_env.train.wrappers.town_vec_env import TownVecEnv

        return TownVecEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
