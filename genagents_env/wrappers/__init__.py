"""Wrappers that bring an env into the shape a training framework takes. See docs/training.md.

`TownVecEnv` needs stable-baselines3 (extra `train`) and is imported when it is asked for.
"""

from typing import TYPE_CHECKING, Any

from .drop_text import DropText
from .encode_text import Embed, EncodeText
from .flat_box import FlatBox
from .mask_in_info import MaskInInfo
from .observation import ObservationWrapper
from .rename_for_rllib import RenameForRLlib
from .vector_town import VectorTown

if TYPE_CHECKING:
    from .town_vec_env import TownVecEnv

__all__ = [
    "DropText",
    "Embed",
    "EncodeText",
    "FlatBox",
    "MaskInInfo",
    "ObservationWrapper",
    "RenameForRLlib",
    "TownVecEnv",
    "VectorTown",
]


def __getattr__(name: str) -> Any:
    if name == "TownVecEnv":
        from .town_vec_env import TownVecEnv

        return TownVecEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
