"""The models that policies ask, each opened only where a policy needs it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Budget
from genagents_env.llm.calls import BoundedEndpoint, Endpoint, ServedEndpoint
from genagents_env.llm.cassette import Cassette
from genagents_env.llm.client import ENOUGH_CONTEXT, ModelClient
from genagents_env.llm.completions import is_reasoning_model
from genagents_env.llm.open import (
    ModelOptions,
    list_models,
    open_endpoint,
    parse_effort,
    read_endpoint_variables,
)
from genagents_env.llm.prices import StoredPrice, unpack_price
from genagents_env.llm.retries import UNUSABLE_IN_A_ROW
from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.memory.embedder import EmbeddingSource
from genagents_env.memory.open import open_source
from genagents_env.record import RunMeta
from genagents_env.run.model_choice import resolve_model_choice
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.spec import RunOptions

_NO_PRICES: Mapping[str, StoredPrice | None] = {}


@dataclass(frozen=True)
class Models:
    """A language model and a model of embeddings, or None where no policy needs one.

    `routes`: other models of some people and faculties, by name; `chosen`: how these were asked
    for.
    """

    endpoint: Endpoint | None = None
    source: EmbeddingSource | None = None
    routes: Mapping[str, Endpoint] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)

    def list_endpoints(self) -> list[Endpoint]:
        """Return every language model, each once."""
        own = () if self.endpoint is None else (self.endpoint,)
        return list({id(one): one for one in (*own, *self.routes.values())}.values())


def open_models(groups: PolicyGroups, options: RunOptions) -> Models:
    """Return the models that `groups` needs for a new run: those asked for, else the defaults."""
    return add_source(open_language_models(groups, options), groups, options)


def open_language_models(groups: PolicyGroups, options: RunOptions) -> Models:
    """Return the language models that `groups` needs, without that of embeddings.

    So they can be asked before weights are fetched for the other.
    """
    endpoint = open_model(options, groups.scripted_replies) if groups.needs_model else None
    chosen = _resolve_choice(endpoint, options.model_for or {}, groups)
    return Models(endpoint, None, _open_routes(endpoint, options, chosen, groups), chosen)


def add_source(models: Models, groups: PolicyGroups, options: RunOptions) -> Models:
    """Return `models` with that of embeddings, where `groups` needs one."""
    if not groups.needs_embedder:
        return models
    return replace(models, source=options.source or open_source(options.embedder))


def reopen_models(groups: PolicyGroups, options: RunOptions, meta: RunMeta) -> Models:
    """Return the models that `groups` needs to go on with a run: those asked for, else its own.

    Raises:
        ConfigError: one is not the model that the run had, or the run file names none, and none
            was asked for by name.
    """
    endpoint, source = None, None
    if groups.needs_model:
        if meta.model is None and options.model is None and options.endpoint is None:
            raise _make_unnamed_error("model")
        endpoint = reopen_model(options, meta, groups.scripted_replies)
    if groups.needs_embedder:
        if meta.embedder is None and options.embedder is None and options.source is None:
            raise _make_unnamed_error("embedder")
        source = _reopen_source(options, meta)
    given = meta.model_for if options.model_for is None else options.model_for
    chosen = _resolve_choice(endpoint, given, groups)
    routes = _open_routes(endpoint, options, chosen, groups, meta.prices)
    if options.model_for is None:
        _check_same(routes, meta)
    models = Models(endpoint, source, routes, chosen)
    _restore_contexts(models, meta)
    return models


def _restore_contexts(models: Models, meta: RunMeta) -> None:
    """Let prompts be as long as they were, whatever the server says of its contexts now."""
    for endpoint in models.list_endpoints():
        if isinstance(endpoint, ServedEndpoint):
            endpoint.context_tokens = meta.contexts.get(endpoint.model)


def _check_same(routes: Mapping[str, Endpoint], meta: RunMeta) -> None:
    for key, endpoint in routes.items():
        if endpoint.model not in (meta.model, *meta.prices):
            raise ConfigError(
                f"the run was lived with model {meta.model_for[key]!r} for {key!r}, but this would "
                f"be {endpoint.model!r}; set the endpoint as it was, or choose by --model-for"
            )


def _resolve_choice(
    endpoint: Endpoint | None, given: Mapping[str, str], groups: PolicyGroups
) -> dict[str, str]:
    """Return the models of some people and faculties by their whole names; none without a model."""
    if endpoint is None:
        return {}
    return resolve_model_choice(given, groups.agents, groups.faculties)


def _open_routes(
    endpoint: Endpoint | None,
    options: RunOptions,
    chosen: Mapping[str, str],
    groups: PolicyGroups,
    prices: Mapping[str, StoredPrice | None] = _NO_PRICES,
) -> dict[str, Endpoint]:
    """Return an open endpoint for each name in `chosen`; equal models share one.

    `prices`: of models that a run was begun with, by name.
    """
    if endpoint is None:
        return {}
    # The price that was given is that of the run's own model; models that do not reason refuse
    # to be told how hard to.
    usual = options.model_options
    plain = replace(usual, reasoning_effort=None)
    opened: dict[str, Endpoint] = {endpoint.model: endpoint}
    for model in chosen.values():
        if model not in opened:
            how = usual if is_reasoning_model(model) else plain
            told = prices.get(model)
            how = replace(how, price=unpack_price(told) if told else None)
            one = open_endpoint(model, how, replies=groups.scripted_replies)
            options.limits.budget().check_price(one.model, one.price)
            opened[model] = endpoint if one.model == endpoint.model else one
    return {key: opened[model] for key, model in chosen.items()}


def learn_contexts(models: Models) -> None:
    """Ask the user's own server how long a context each of `models` has, where it tells."""
    base_url, api_key = read_endpoint_variables()
    served = [one for one in models.list_endpoints() if isinstance(one, ServedEndpoint)]
    if not base_url or not served:
        return
    listed = list_models(base_url, api_key).models or {}
    for endpoint in served:
        endpoint.context_tokens = listed.get(endpoint.model)


def _list_contexts(models: Models) -> dict[str, int]:
    """Return the contexts that are too short for prompts of the usual length."""
    return {
        one.model: one.context_tokens
        for one in models.list_endpoints()
        if isinstance(one, BoundedEndpoint) and one.context_tokens is not None
        if not one.small and one.context_tokens < ENOUGH_CONTEXT
    }


def name_models(meta: RunMeta, models: Models, options: RunOptions) -> RunMeta:
    """Return the head `meta` with the names of `models`, their price, and how they were asked for.

    It belongs into the file before anything is asked, so that nobody goes on with others unasked.
    """
    endpoint, source = models.endpoint, models.source
    if endpoint is not None:
        price = _pack_price(endpoint)
        meta = meta.with_model(endpoint.model, price, options.model or meta.asked_model)
        others = {one.model: _pack_price(one) for one in models.routes.values()}
        effort = options.model_options.reasoning_effort or meta.reasoning_effort
        others = {**meta.prices, **others}
        others.pop(endpoint.model, None)
        meta = replace(meta, model_for=dict(models.chosen), prices=others, reasoning_effort=effort)
        meta = replace(meta, contexts=_list_contexts(models) or meta.contexts)
    if source is not None:
        meta = meta.with_embedder(source.name, options.embedder or meta.asked_embedder)
    return meta


def _pack_price(endpoint: Endpoint) -> StoredPrice | None:
    return None if endpoint.price is None else endpoint.price.pack()


def open_model(options: RunOptions, replies: Iterable[ScriptedReplies] = ()) -> Endpoint:
    """Return the endpoint of `options`, or else the one that its model and the environment name.

    A scripted model answers by `replies`.

    Raises:
        ConfigError: there is no such model, or dollars are limited and its price is unknown.
    """
    opened = options.endpoint
    if opened is None:
        opened = open_endpoint(options.model, options.model_options, replies=replies)
    options.limits.budget().check_price(opened.model, opened.price)
    return opened


def make_client(
    endpoint: Endpoint,
    options: RunOptions,
    *,
    run_seed: int,
    budget: Budget,
    cassette: Cassette,
    routes: Mapping[str, Endpoint] | None = None,
) -> ModelClient:
    """Return a client that asks `endpoint` as `options` say."""
    how = options.model_options
    return ModelClient(
        endpoint,
        run_seed=run_seed,
        budget=budget,
        cassette=cassette,
        max_in_flight=options.concurrency,
        retry=how.make_retry(endpoint.model, options.retry),
        unusable_after=None if options.max_fallbacks == 1 else UNUSABLE_IN_A_ROW,
        thinking=how.thinking,
        routes=routes,
    )


def reopen_model(
    options: RunOptions, meta: RunMeta, replies: Iterable[ScriptedReplies]
) -> Endpoint:
    """Return the model asked for, else the one of the run; where it had none, the default.

    Raises:
        ConfigError: it is not the model that the run had, and was not asked for by name.
    """
    own = replace(options, model=meta.asked_model, model_options=_keep_options(options, meta))
    endpoint = open_model(options if options.model else own, replies)
    if options.model is None and meta.model not in (None, endpoint.model):
        raise ConfigError(
            f"the run was lived with model {meta.model!r}, but this would be {endpoint.model!r}; "
            "set the endpoint as it was, or go on with another model by --model"
        )
    return endpoint


def _keep_options(options: RunOptions, meta: RunMeta) -> ModelOptions:
    """Return how a model is asked: with the effort and at the price of the run's begin, mostly."""
    how = options.model_options
    if how.reasoning_effort is None:
        how = replace(how, reasoning_effort=parse_effort(meta.reasoning_effort))
    if how.price is not None or meta.price is None:
        return how
    return replace(how, price=unpack_price(meta.price))


def _reopen_source(options: RunOptions, meta: RunMeta) -> EmbeddingSource:
    source = options.source
    if source is None:
        source = open_source(options.embedder or meta.asked_embedder)
    if options.embedder is None and meta.embedder not in (None, source.name):
        raise ConfigError(
            f"the run was lived with embedder {meta.embedder!r}, but this would be "
            f"{source.name!r}; go on with another one by --embedder"
        )
    return source


def _make_unnamed_error(what: str) -> ConfigError:
    return ConfigError(
        f"the policies of this run need a {what}, but its file names none, so it is not known "
        f"with which it was begun; name it by --{what}"
    )
