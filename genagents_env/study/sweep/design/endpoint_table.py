"""The table `[endpoint]` of an experiment file: how the models of its runs are asked."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import ReasoningEffort
from genagents_env.llm.open import ModelOptions, parse_price


def _format_number(value: object) -> object:
    return repr(value) if type(value) in (int, float) else value


Seconds = Annotated[float, Field(gt=0)]
Dollars = Annotated[str, BeforeValidator(_format_number)]


class EndpointTable(BaseModel):
    """As `ModelOptions`; the prices are dollars per million tokens, as numbers or text.

    `model_for`: other models, by person or faculty, as in `RunOptions`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    timeout: Seconds | None = None
    deadline: Seconds | None = None
    thinking: int | None = None
    reasoning_effort: ReasoningEffort | None = None
    price_in: Dollars | None = None
    price_out: Dollars | None = None
    model_for: Mapping[str, str] = Field(default_factory=dict)

    def make_options(self) -> ModelOptions:
        """Return these as options.

        Raises:
            ConfigError: two of them contradict each other, or one is out of range.
        """
        return ModelOptions(
            self.timeout,
            self.deadline,
            self.thinking,
            self.reasoning_effort,
            parse_price(self.price_in, self.price_out),
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            self.make_options()
        except ConfigError as error:
            raise ValueError(str(error)) from None
        return self
