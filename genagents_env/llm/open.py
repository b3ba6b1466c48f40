"""Opens the endpoint that the environment and `--model` ask for; the only reader of the key."""

import os
from collections.abc import Iterable
from urllib.parse import urlsplit

from genagents_env.llm.calls import Endpoint
from genagents_env.llm.model_options import ModelOptions
from genagents_env.llm.prices import LOOPBACK
from genagents_env.llm.scripted import ScriptedEndpoint, ScriptedReplies, find_rule

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-4o-mini"
_SCRIPTED = "scripted"
_USUAL = ModelOptions()


def read_endpoint_variables() -> tuple[str, str]:
    """Return OPENAI_BASE_URL and OPENAI_API_KEY, empty where they are not set."""
    return os.environ.get("OPENAI_BASE_URL", ""), os.environ.get("OPENAI_API_KEY", "")


def open_endpoint(
    model: str | None = None,
    options: ModelOptions = _USUAL,
    *,
    replies: Iterable[ScriptedReplies] = (),
) -> Endpoint:
    """Return the endpoint for `model`; the caller closes it (`aclose`).

    Args:
        model: `scripted` or `scripted:<rule>` is a model without a network, for tests and dry
            runs; a path that ends in `.gguf` runs that model in this process; any other name
            goes to the endpoint of `OPENAI_BASE_URL` and `OPENAI_API_KEY`. None is the first
            model that endpoint lists, or the embedded one where neither variable is set.
        options: how long it is waited for, how hard it thinks, what it costs.
        replies: what a scripted model answers: the `scripted_replies` of each policy that asks it.

    Raises:
        ConfigError: a name without an endpoint, a missing file or package, or no name and an
            endpoint that lists no models.
    """
    base_url, api_key = read_endpoint_variables()
    name, _, rule = (model or "").partition(":")
    if name == _SCRIPTED:
        return ScriptedEndpoint(find_rule(rule, replies), model or _SCRIPTED)
    if (model or "").endswith(".gguf") or not (base_url or api_key):
        from genagents_env.llm.embedded import open_embedded

        return open_embedded(model, options)
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


def is_served(model: str | None) -> bool:
    """Return whether a server has `model`, as `open_endpoint` takes it: no rule, no own process."""
    name = model or ""
    if name.partition(":")[0] == _SCRIPTED or name.endswith(".gguf"):
        return False
    return any(read_endpoint_variables())


def costs_nothing(model: str | None) -> bool:
    """Return whether `model`, as `open_endpoint` takes it, is known to cost nothing.

    Scripted models, models in this process and servers on this machine do; others may not.
    """
    base_url, api_key = read_endpoint_variables()
    name = model or ""
    if name.partition(":")[0] == _SCRIPTED or name.endswith(".gguf"):
        return True
    if not (base_url or api_key):
        return model is None
    return urlsplit(base_url).hostname in LOOPBACK
