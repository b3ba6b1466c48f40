"""The models that policies ask, each opened only if a policy needs it."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Budget
from genagents_env.llm.calls import BoundedEndpoint, Endpoint, ServedEndpoint
from genagents_env.llm.cassette import Cassette
from genagents_env.llm.client import ENOUGH_CONTEXT, ModelClient
from genagents_env.llm.completions import is_reasoning_model
from genagents_env.llm.open import (
    list_models,
    open_endpoint,
    parse_effort,
    read_endpoint_variables,
)
from genagents_env.llm.prices import StoredPrice, find_price, unpack_price
from genagents_env.llm.retries import UNUSABLE_IN_A_ROW
from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.memory.embedder import BilledSource, Embedder, EmbeddingSource, VectorStore
from genagents_env.memory.open import open_source
from genagents_env.name_search import search_people, suggest_names
from genagents_env.record import RunMeta
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.spec import RunOptions

_INTERVIEW = "interview"  # the faculty of interviews, whatever the policy
_NO_PRICES: Mapping[str, StoredPrice | None] = {}


@dataclass(frozen=True)
class Models:
    """A language model and a model of embeddings, or None where no policy needs one.

    `routes`: other models of some people and faculties, by name; `chosen`: the names by which these
    were asked for.
    """

    endpoint: Endpoint | None = None
    source: EmbeddingSource | None = None
    routes: Mapping[str, Endpoint] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)

    def list_endpoints(self) -> list[Endpoint]:
        """Return every language model, each once."""
        own = () if self.endpoint is None else (self.endpoint,)
        endpoints = (*own, *self.routes.values())
        return list({id(endpoint): endpoint for endpoint in endpoints}.values())

    def list_served(self) -> list[ServedEndpoint]:
        """Return every language model of a server."""
        return [each for each in self.list_endpoints() if isinstance(each, ServedEndpoint)]


def open_language_models(groups: PolicyGroups, options: RunOptions) -> Models:
    """Return the language models that `groups` needs for a new run, without that of embeddings.

    So they can be asked before weights are fetched for the other.
    """
    endpoint = open_model(options, groups.scripted_replies) if groups.needs_model else None
    return _add_routes(Models(endpoint), groups, options, options.model_for or {})


def add_source(models: Models, groups: PolicyGroups, options: RunOptions) -> Models:
    """Return `models` with that of embeddings, where `groups` needs one."""
    if not groups.needs_embedder:
        return models
    return replace(models, source=options.source or open_source(options.embedder))


def reopen_models(groups: PolicyGroups, options: RunOptions, meta: RunMeta) -> Models:
    """Return the models that `groups` needs to resume a run: those asked for, or else its own.

    Raises:
        ConfigError: a model is not that of the run, or the run file names none, and none was asked
            for by name.
    """
    models = Models()
    if groups.needs_model:
        _check_named("model", meta.model, options.model, options.endpoint)
        models = Models(reopen_model(options, meta, groups.scripted_replies))
    if groups.needs_embedder:
        _check_named("embedder", meta.embedder, options.embedder, options.source)
        models = replace(models, source=_reopen_source(options, meta))
    given = meta.model_for if options.model_for is None else options.model_for
    models = _add_routes(models, groups, options, given, meta.prices)
    if options.model_for is None:
        _check_same_routes(models, meta)
    for endpoint in models.list_served():  # prompts stay as long as they were
        endpoint.context_tokens = meta.contexts.get(endpoint.model)
    return models


def learn_contexts(models: Models) -> None:
    """Ask the user's own server for the context lengths of `models`."""
    base_url, api_key = read_endpoint_variables()
    served = models.list_served()
    if base_url and served:
        listed = list_models(base_url, api_key).models or {}
        for endpoint in served:
            endpoint.context_tokens = listed.get(endpoint.model)


def name_models(meta: RunMeta, models: Models, options: RunOptions) -> RunMeta:
    """Return the head `meta` with the names and prices of `models`, and how they were asked for.

    Write it into the file before any call, so that no other model is taken unasked.
    """
    endpoint, source = models.endpoint, models.source
    if endpoint is not None:
        routed = {other.model: _pack_price(other) for other in models.routes.values()}
        former = {} if meta.model is None else {meta.model: meta.price}
        prices = {**meta.prices, **former, **routed}
        prices.pop(endpoint.model, None)
        meta = replace(
            meta,
            model=endpoint.model,
            price=_pack_price(endpoint),
            asked_model=options.model or meta.asked_model,
            model_for=dict(models.chosen),
            prices=prices,
            reasoning_effort=options.model_options.reasoning_effort or meta.reasoning_effort,
            contexts=_list_short_contexts(models) or meta.contexts,
        )
    if source is not None:
        asked = options.embedder or meta.asked_embedder
        meta = replace(meta, embedder=source.name, asked_embedder=asked)
    return meta


def open_model(options: RunOptions, replies: Iterable[ScriptedReplies] = ()) -> Endpoint:
    """Return the endpoint of `options`, or else the one that its model and the environment name.

    A scripted model answers by `replies`.

    Raises:
        ConfigError: there is no such model, or dollars are limited and its price is unknown.
    """
    endpoint = options.endpoint
    if endpoint is None:
        endpoint = open_endpoint(options.model, options.model_options, replies=replies)
    options.limits.budget().check_price(endpoint.model, endpoint.price)
    return endpoint


def reopen_model(
    options: RunOptions, meta: RunMeta, replies: Iterable[ScriptedReplies]
) -> Endpoint:
    """Return the model asked for, or that of the run, or else the default.

    Effort and price are those of the run's start, unless given.

    Raises:
        ConfigError: it is not the model of the run, and was not asked for by name; or another price
            of that model was given.
    """
    if options.model not in (None, meta.model, meta.asked_model):
        return open_model(options, replies)
    how = options.model_options
    if how.reasoning_effort is None:
        how = replace(how, reasoning_effort=parse_effort(meta.reasoning_effort))
    if meta.price is not None:
        if how.price is not None and how.price.pack() != meta.price:
            raise ConfigError(
                f"--endpoint price_in, price_out: the calls of {meta.model} in this run are "
                "charged at another price, to its end; leave the prices out"
            )
        how = replace(how, price=unpack_price(meta.price))
    own = replace(options, model=options.model or meta.asked_model, model_options=how)
    endpoint = open_model(own, replies)
    if meta.model not in (None, endpoint.model):
        raise ConfigError(
            f"the run was recorded with model {meta.model!r}, but this would be "
            f"{endpoint.model!r}; set the endpoint as it was, or choose another model by --model"
        )
    return endpoint


def make_client(
    endpoint: Endpoint,
    options: RunOptions,
    *,
    run_seed: int,
    budget: Budget,
    cassette: Cassette,
    routes: Mapping[str, Endpoint] | None = None,
) -> ModelClient:
    """Return a client of `endpoint` with these options."""
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


@asynccontextmanager
async def open_clients(
    models: Models,
    options: RunOptions,
    run_seed: int,
    budget: Budget,
    cassette: Cassette,
    vectors: VectorStore,
) -> AsyncIterator[tuple[ModelClient | None, Embedder | None]]:
    """Open a client of the language models and an embedder, each None without such a model."""
    client = embedder = None
    if models.endpoint is not None:
        client = make_client(
            models.endpoint,
            options,
            run_seed=run_seed,
            budget=budget,
            cassette=cassette,
            routes=models.routes,
        )
    if models.source is not None:
        if isinstance(models.source, BilledSource):
            models.source.bill(budget)
        embedder = Embedder(models.source, vectors)
    try:
        yield client, embedder
    finally:
        for opened in (client, embedder):
            if opened is not None:
                await opened.aclose()


def _add_routes(
    models: Models,
    groups: PolicyGroups,
    options: RunOptions,
    given: Mapping[str, str],
    prices: Mapping[str, StoredPrice | None] = _NO_PRICES,
) -> Models:
    """Return `models` with an open endpoint for each person and faculty in `given`.

    Equal models share an endpoint. `prices`: of the models of a recorded run, by name.
    """
    main = models.endpoint
    if main is None:
        return models
    chosen = _resolve_choice(given, groups)
    opened = {main.model: main}
    for model in chosen.values():
        if model not in opened:
            # The given price is that of the run's own model, and of what no list has; models that
            # do not reason refuse a reasoning effort.
            effort = options.model_options.reasoning_effort if is_reasoning_model(model) else None
            stored = prices.get(model)
            price = unpack_price(stored) if stored else None
            if price is None and options.model_options.price is not None:
                price = find_price(model) or options.model_options.price
            how = replace(options.model_options, reasoning_effort=effort, price=price)
            other = open_endpoint(model, how, replies=groups.scripted_replies)
            options.limits.budget().check_price(other.model, other.price)
            opened[model] = main if other.model == main.model else other
    return replace(models, routes={key: opened[m] for key, m in chosen.items()}, chosen=chosen)


def _resolve_choice(given: Mapping[str, str], groups: PolicyGroups) -> dict[str, str]:
    """Return the models by full name of a person in the run, or by faculty.

    Raises:
        ConfigError: a key is neither, or may mean several people.
    """
    people, faculties = groups.agents, sorted({*groups.faculties, _INTERVIEW})
    chosen: dict[str, str] = {}
    for key, model in given.items():
        names = [key] if key in faculties else search_people(key, people)
        if len(names) > 1:
            raise ConfigError(f"model for {key!r}: it may be {', '.join(names)}; say which")
        if not names:
            raise ConfigError(
                f"model for {key!r}: nobody is called so, and no faculty of these policies; "
                f"{suggest_names(key, [*people, *faculties], 'people and faculties')} "
                f"(faculties: {', '.join(faculties)})"
            )
        if names[0] in chosen:
            raise ConfigError(f"model for {key!r}: {names[0]} has one already")
        chosen[names[0]] = model
    return chosen


def _check_same_routes(models: Models, meta: RunMeta) -> None:
    for key, endpoint in models.routes.items():
        if endpoint.model not in (meta.model, *meta.prices):
            raise ConfigError(
                f"the run was recorded with model {meta.model_for[key]!r} for {key!r}, but this "
                f"would be {endpoint.model!r}; set the endpoint as it was, or choose by --model "
                f"{key}=MODEL"
            )


def _list_short_contexts(models: Models) -> dict[str, int]:
    """Return the contexts that are too short for the usual prompts, by model."""
    return {
        each.model: each.context_tokens
        for each in models.list_endpoints()
        if isinstance(each, BoundedEndpoint) and each.context_tokens is not None
        if not each.small and each.context_tokens < ENOUGH_CONTEXT
    }


def _pack_price(endpoint: Endpoint) -> StoredPrice | None:
    return None if endpoint.price is None else endpoint.price.pack()


def _reopen_source(options: RunOptions, meta: RunMeta) -> EmbeddingSource:
    source = options.source
    if source is None:
        source = open_source(options.embedder or meta.asked_embedder)
    if options.embedder is None and meta.embedder not in (None, source.name):
        raise ConfigError(
            f"the run was recorded with embedder {meta.embedder!r}, but this would be "
            f"{source.name!r}; choose another one by --embedder"
        )
    return source


def _check_named(what: str, recorded: str | None, asked: str | None, opened: object) -> None:
    if recorded is None and asked is None and opened is None:
        raise ConfigError(
            f"the policies of this run need a {what}, but its file names none; name it by --{what}"
        )
