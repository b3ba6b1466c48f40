"""Opens the model named by the environment and `--model`; the only reader of the key."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args
from urllib.parse import urlsplit

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import Endpoint, ReasoningEffort
from genagents_env.llm.completions import find_allowance, is_reasoning_model
from genagents_env.llm.prices import LOOPBACK, Price
from genagents_env.llm.retries import RetryPolicy
from genagents_env.llm.scripted import ScriptedEndpoint, ScriptedReplies, find_rule

if TYPE_CHECKING:
    from genagents_env.llm.endpoint import ModelListing

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-4o-mini"
DEFAULT_TIMEOUT = 30.0  # seconds
REASONING_TIMEOUT = 120.0  # 4,096 tokens of thinking at 40 tokens a second, and a little more
_SCRIPTED = "scripted"
_ATTEMPTS = 3  # of the timeout's length fit into a call without a given deadline
_MOST_SECONDS = 86_400.0
_MOST_THINKING = 1_000_000
_PRICE = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Options of requests to models; None is the default.

    Attributes:
        timeout: seconds of wall clock for one attempt at a call; 30, or 120 for models that are
            known to reason.
        deadline: seconds for a call with all its attempts; 90, or three times a longer timeout.
        thinking: tokens that a model may think beside each reply, see `find_allowance`.
        reasoning_effort: sent to the endpoint.
        price: of tokens; None is the list price, or that of the recorded run.

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
        """Return `usual` with the deadline of calls of `model`."""
        usual = usual or RetryPolicy()
        longer = max(usual.call_deadline, _ATTEMPTS * self.find_timeout(model))
        return replace(usual, call_deadline=longer if self.deadline is None else self.deadline)


def parse_effort(text: str | None) -> ReasoningEffort | None:
    """Return `text` as a reasoning effort; raise ConfigError where it is none."""
    allowed = get_args(ReasoningEffort)
    if text is not None and text not in allowed:
        raise ConfigError(f"reasoning effort {text!r} is not known; one of {', '.join(allowed)} is")
    return cast(ReasoningEffort | None, text)


def parse_price(read: str | None, written: str | None) -> Price | None:
    """Return the price given by two decimal texts, in dollars per million tokens.

    Raises:
        ConfigError: one is missing, or is not a plain number of 0 or more.
    """
    if read is None and written is None:
        return None
    return Price(_parse_dollars("price_in", read), _parse_dollars("price_out", written))


def _parse_dollars(name: str, text: str | None) -> Decimal:
    if text is None:
        raise ConfigError(f"--endpoint {name} is missing: give both prices, or none")
    if not _PRICE.fullmatch(text):
        raise ConfigError(
            f"--endpoint {name}: {text!r} is not a price; give dollars a million tokens: 0.15"
        )
    return Decimal(text)


def read_endpoint_variables() -> tuple[str, str]:
    """Return OPENAI_BASE_URL and OPENAI_API_KEY, empty where they are not set."""
    return os.environ.get("OPENAI_BASE_URL", ""), os.environ.get("OPENAI_API_KEY", "")


def check_scripted(model: str) -> None:
    """Raise where a model is scripted by a rule that there is not; no other is looked at.

    Raises:
        ConfigError: there is no such rule.
    """
    name, sign, rule = model.partition(":")
    if name == _SCRIPTED:
        find_rule(rule if sign else None)


def open_endpoint(
    model: str | None = None,
    options: ModelOptions | None = None,
    *,
    replies: Iterable[ScriptedReplies] = (),
) -> Endpoint:
    """Return the endpoint for `model`; the caller closes it (`aclose`).

    Args:
        model: `scripted` or `scripted:<rule>` is a model without a network, for tests and dry
            runs; a path that ends in `.gguf` runs that model in this process; any other name
            goes to the endpoint of `OPENAI_BASE_URL` and `OPENAI_API_KEY`. None is the first
            model that endpoint lists, or the embedded one where neither variable is set.
        options: timeouts, thinking and price.
        replies: of a scripted model: the `scripted_replies` of each policy that asks it.

    Raises:
        ConfigError: a name without an endpoint, a missing file or package, or no name and an
            endpoint that lists no models.
    """
    options = options or ModelOptions()
    base_url, api_key = read_endpoint_variables()
    name, sign, rule = (model or "").partition(":")
    if name == _SCRIPTED:
        found = find_rule(rule if sign else None, replies)
        return ScriptedEndpoint(found, model or _SCRIPTED)
    # Both modules below load `openai`, which takes half a second.
    if (model or "").endswith(".gguf") or not (base_url or api_key):
        from genagents_env.llm.embedded import open_embedded

        return open_embedded(
            model,
            thinking=find_allowance(Path(model or "").name, options.thinking),
            timeout=options.timeout,
            deadline=options.deadline,
            reasoning_effort=options.reasoning_effort,
        )
    from genagents_env.llm.endpoint import OpenAIEndpoint, find_served_model

    if model is None:
        model = find_served_model(base_url, api_key) if base_url else DEFAULT_MODEL
    return OpenAIEndpoint(
        base_url or DEFAULT_BASE_URL,
        api_key,
        model,
        attempt_deadline=options.find_timeout(model),
        price=options.price,
        reasoning_effort=options.reasoning_effort,
    )


def list_models(base_url: str, api_key: str) -> "ModelListing":
    """Ask the server at `base_url` for its models, within five seconds."""
    from genagents_env.llm import endpoint  # as above

    return endpoint.list_models(base_url, api_key)


def is_served(model: str | None) -> bool:
    """Return True if `open_endpoint` would ask a server for `model`."""
    return not _is_own(model) and any(read_endpoint_variables())


def costs_nothing(model: str | None, price: Price | None = None) -> bool:
    """Return True if `model`, as `open_endpoint` takes it, is known to be free.

    Scripted models, models in this process and servers on this machine are, these unless a `price`
    was declared for them: they may pass questions on.
    """
    if _is_own(model):
        return True
    if not is_served(model):
        return model is None
    is_here = urlsplit(read_endpoint_variables()[0]).hostname in LOOPBACK
    return is_here and (price is None or not price.cost(1, 1))


def _is_own(model: str | None) -> bool:
    """Return True if `model` is scripted, or a file that runs in this process."""
    name = model or ""
    return name.partition(":")[0] == _SCRIPTED or name.endswith(".gguf")
