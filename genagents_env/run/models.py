"""The models that policies ask, each opened only where a policy needs it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.open import open_endpoint
from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.memory.embedder import EmbeddingSource
from genagents_env.memory.open import open_source
from genagents_env.record import RunMeta
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.spec import Limits, RunOptions


@dataclass(frozen=True)
class Models:
    """A language model and a model of embeddings, or None where no policy needs one."""

    endpoint: Endpoint | None = None
    source: EmbeddingSource | None = None


def open_models(groups: PolicyGroups, options: RunOptions, meta: RunMeta) -> Models:
    """Return the models that `groups` needs: those asked for, else those the run had.

    Raises:
        ConfigError: one is not the model that the run had, and was not asked for by name.
    """
    source = _open_source(options, meta) if groups.needs_embedder else None
    replies = groups.scripted_replies
    return Models(_open_endpoint(options, meta, replies) if groups.needs_model else None, source)


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


def _open_endpoint(
    options: RunOptions, meta: RunMeta, replies: Sequence[ScriptedReplies]
) -> Endpoint:
    endpoint = open_model(
        options.model or meta.asked_model, options.endpoint, options.limits, replies
    )
    if options.model is None and meta.model not in (None, endpoint.model):
        raise ConfigError(
            f"the run was lived with model {meta.model!r}, but this would be {endpoint.model!r}; "
            "set the endpoint as it was, or go on with another model by --model"
        )
    return endpoint


def _open_source(options: RunOptions, meta: RunMeta) -> EmbeddingSource:
    source = options.source
    if source is None:
        source = open_source(options.embedder or meta.asked_embedder)
    if options.embedder is None and meta.embedder not in (None, source.name):
        raise ConfigError(
            f"the run was lived with embedder {meta.embedder!r}, but this would be "
            f"{source.name!r}; go on with another one by --embedder"
        )
    return source
