"""The options of the direct policy."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class DirectConfig(BaseModel):
    """The chat of a direct mind: how much it reads and writes, in training as in use."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    history: Annotated[int, Field(ge=0, le=100)] = 100
    """So many earlier turns, read and replied, stand before the present one; 0 is cheapest."""
    prompt_tokens: Annotated[int, Field(ge=300, le=16_000)] = 4000
    """The longest prompt, by an upper bound of its tokens; the oldest turns are left out first."""
    max_tokens: Annotated[int, Field(ge=64, le=2000)] = 256
    """The longest reply."""
    longest_minutes: Annotated[int, Field(ge=1, le=60)] = 20
    """The longest walk or wait before the agent is asked again, in game time."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.7
    """Of the model's sampling."""
