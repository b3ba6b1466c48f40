"""The options of the reactive policy."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class ReactiveConfig(BaseModel):
    """How often a reactive person thinks, and with what. All times are game time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    decide_seconds: Annotated[int, Field(ge=0)] = 60
    """At least so long from one decision to the next, unless the agent is spoken to."""
    decisions_per_hour: Annotated[int, Field(ge=1)] = 16
    """At most so many decisions an hour; beyond it the agent goes on, and leaves conversations."""
    longest_minutes: Annotated[int, Field(ge=1, le=60)] = 20
    """The longest an activity goes on before the agent thinks again, whatever the reply says."""
    forget_minutes: Annotated[int, Field(ge=1)] = 30
    """Someone out of sight for so long is new when seen again."""
    remember: Annotated[int, Field(ge=0, le=20)] = 5
    """The last so many things seen, heard and done stand in the prompt, space permitting."""
    prompt_tokens: Annotated[int, Field(ge=200, le=4000)] = 300
    """The longest prompt, by an upper bound of its tokens."""
    max_tokens: Annotated[int, Field(ge=64, le=1000)] = 256
    """The longest reply; room for a full `say` even where every character is a token."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.7
    """Of the model's sampling."""
