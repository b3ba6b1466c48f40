"""How a model is asked: how long it is waited for, how much it may think, what it costs."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import cast, get_args

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import ReasoningEffort
from genagents_env.llm.prices import Price
from genagents_env.llm.reasoning import is_reasoning_model
from genagents_env.llm.retries import RetryPolicy

DEFAULT_TIMEOUT = 30.0  # seconds
REASONING_TIMEOUT = 120.0  # a thought of 4,096 tokens at 40 tokens a second, and a little
_ATTEMPTS = 3  # of that length fit into a call whose deadline is not given
_MOST_SECONDS = 86_400.0
_MOST_THINKING = 1_000_000
_PRICE = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How the models behind an endpoint are asked; None leaves each at its default.

    Attributes:
        timeout: seconds of wall clock for one attempt at a call; 30, or 120 for models that are
            known to reason.
        deadline: seconds for a call with all its attempts; 90, or three times a longer timeout.
        thinking: tokens that a model may think beside each reply, see `ThinkingAllowance`.
        reasoning_effort: sent to the endpoint.
        price: of its tokens; None is the list price, or that of the recorded run.

    Raises:
        ConfigError: a value is out of range, or the timeout is longer than the deadline.
    """

    timeout: float | None = None
    deadline: float | None = None
    thinking: int | None = None
    reasoning_effort: ReasoningEffort | None = None
    price: Price | None = None

    def __post_init__(self) -> None:
        for name in ("timeout", "deadline"):
            seconds = getattr(self, name)
            if seconds is not None and not 0 < seconds <= _MOST_SECONDS:
                raise ConfigError(
                    f"{name}: {seconds:g} s is not allowed; more than 0, a day at most"
                )
        if self.timeout is not None and self.deadline is not None and self.timeout > self.deadline:
            raise ConfigError(
                f"timeout: an attempt of {self.timeout:g} s does not fit into a deadline of "
                f"{self.deadline:g} s; without a deadline a call gets three times the timeout"
            )
        if self.thinking is not None and not 0 <= self.thinking <= _MOST_THINKING:
            raise ConfigError(
                f"thinking: {self.thinking} tokens; 0 to {_MOST_THINKING:,} are allowed"
            )
        parse_effort(self.reasoning_effort)

    def find_timeout(self, model: str) -> float:
        """Return the seconds of one attempt at a call of `model`."""
        if self.timeout is not None:
            return self.timeout
        usual = REASONING_TIMEOUT if is_reasoning_model(model) else DEFAULT_TIMEOUT
        return usual if self.deadline is None else min(usual, self.deadline)

    def make_retry(self, model: str, usual: RetryPolicy | None = None) -> RetryPolicy:
        """Return `usual` with the deadline that calls of `model` have."""
        usual = usual or RetryPolicy()
        if self.deadline is not None:
            return replace(usual, call_deadline=self.deadline)
        longer = _ATTEMPTS * self.find_timeout(model)
        return replace(usual, call_deadline=max(usual.call_deadline, longer))


def parse_effort(text: str | None) -> ReasoningEffort | None:
    """Return `text` as a reasoning effort, None as none.

    Raises:
        ConfigError: it is another word.
    """
    for effort in get_args(ReasoningEffort):
        if text == effort:
            return cast(ReasoningEffort, effort)
    if text is None:
        return None
    allowed = ", ".join(get_args(ReasoningEffort))
    raise ConfigError(f"reasoning effort {text!r} is not known; one of {allowed} is")


def parse_price(read: str | None, written: str | None) -> Price | None:
    """Return the price that two decimal texts give, in dollars per million tokens.

    Raises:
        ConfigError: one is missing, or is no plain number from 0 on.
    """
    if read is None and written is None:
        return None
    for name, text in (("price-in", read), ("price-out", written)):
        if text is None:
            raise ConfigError(f"--{name} is missing: give the price of both directions, or of none")
        if not _PRICE.fullmatch(text):
            raise ConfigError(
                f"--{name}: {text!r} is no price; dollars per million tokens are wanted, as 0.15"
            )
    assert read is not None and written is not None  # noqa: S101, PT018 (told to the type checker)
    return Price(Decimal(read), Decimal(written))
