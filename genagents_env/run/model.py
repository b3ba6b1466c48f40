"""The model of a recorded run, opened only where a policy needs one, and what it may spend."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from genagents_env.llm.account import Account
from genagents_env.llm.budget import Budget, Spend
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.open import open_endpoint
from genagents_env.llm.scripted import ScriptedReplies


@dataclass(frozen=True)
class Limits:
    """What a run may spend, earlier parts of it included; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    dollars: Decimal | None = None
    seconds: float | None = None

    def subtract(self, spent: Spend, seconds: float = 0.0) -> "Limits":
        """Return what these leave once `spent` and `seconds` are used up, at least 0."""
        return Limits(
            None if self.calls is None else max(0, self.calls - spent.calls),
            None if self.tokens is None else max(0, self.tokens - spent.tokens),
            None if self.dollars is None else max(Decimal(0), self.dollars - spent.dollars),
            None if self.seconds is None else max(0.0, self.seconds - seconds),
        )

    def budget(self, account: Account | None = None) -> Budget:
        """Return a fresh budget with these limits, which shares `account` with others."""
        return Budget(self.calls, self.tokens, self.dollars, self.seconds, account=account)


def open_model(
    model: str | None,
    endpoint: Endpoint | None,
    limits: Limits,
    replies: Iterable[ScriptedReplies] = (),
) -> Endpoint:
    """Return `endpoint`, or else the one that `model` and the environment name.

    A scripted model answers by `replies`.

    Raises:
        ConfigError: there is no such model, or dollars are limited and its price is unknown.
    """
    opened = endpoint if endpoint is not None else open_endpoint(model, replies=replies)
    limits.budget().check_price(opened.model, opened.price)
    return opened
