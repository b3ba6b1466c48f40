"""The models a cast asks, each opened only where a policy needs it."""

from dataclasses import dataclass

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import Endpoint
from genagents_env.memory.embedder import Source
from genagents_env.memory.open import open_source
from genagents_env.record import RunMeta
from genagents_env.run.cast import Cast
from genagents_env.run.model import open_model
from genagents_env.run.spec import Engine


@dataclass(frozen=True)
class Models:
    """A language model and a model of embeddings, or None where no policy asks one."""

    endpoint: Endpoint | None = None
    source: Source | None = None


def open_models(cast: Cast, engine: Engine, meta: RunMeta) -> Models:
    """Return the models that `cast` needs: those asked for, else those the run had.

    Raises:
        ConfigError: one is not the model that the run had, and was not asked for by name.
    """
    source = _source(engine, meta) if cast.needs_embedder else None
    return Models(_endpoint(engine, meta) if cast.needs_model else None, source)


def _endpoint(engine: Engine, meta: RunMeta) -> Endpoint:
    endpoint = open_model(engine.model or meta.asked_model, engine.endpoint, engine.limits)
    if engine.model is None and meta.model not in (None, endpoint.model):
        raise ConfigError(
            f"the run was lived with model {meta.model!r}, but this would be {endpoint.model!r}; "
            "set the endpoint as it was, or go on with another model by --model"
        )
    return endpoint


def _source(engine: Engine, meta: RunMeta) -> Source:
    source = engine.source
    if source is None:
        source = open_source(engine.embedder or meta.asked_embedder)
    if engine.embedder is None and meta.embedder not in (None, source.name):
        raise ConfigError(
            f"the run was lived with embedder {meta.embedder!r}, but this would be "
            f"{source.name!r}; go on with another one by --embedder"
        )
    return source
