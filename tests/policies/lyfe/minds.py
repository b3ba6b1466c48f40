"""Minds to try faculties on: the model is a rule, the embedder counts n-grams."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from genagents_env.cognition.mind import Services
from genagents_env.cognition.prompts import PromptFiles
from genagents_env.cognition.query import Moment, Query
from genagents_env.cognition.scheduler import CallScheduler
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, sample_schema
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.percept import Percept
from genagents_env.policies import lyfe
from genagents_env.policies.lyfe import mind as mind_module
from genagents_env.policies.lyfe.config import LyfeConfig
from genagents_env.policies.lyfe.mind import LyfeMind
from genagents_env.policy import Profile
from tests.policies.percepts import START, Value, profile

FOLDER = Path(__file__).parents[3] / "policies" / "lyfe" / "prompts"
SECONDS = 10  # of a tick, as in tests.policies.percepts


def make_mind(
    rule: Rule = sample_schema, *, who: Profile | None = None, seed: int = 3, **config: Value
) -> LyfeMind:
    """Return a mind that knows what its profile says; its model answers by `rule`."""
    options = LyfeConfig.model_validate(config)
    services = Services(
        options,
        PromptFiles(FOLDER, seed, options.prompt_tokens or 4000),
        ModelClient(ScriptedEndpoint(rule), run_seed=seed),
        Embedder(open_source("hashed")),
        seed,
        START,
        SECONDS,
    )
    return mind_module.make_mind(services, who if who is not None else profile())


def moment(mind: LyfeMind, percept: Percept) -> Moment:
    """Return the moment of a percept."""
    return Moment(percept, mind.services.to_second(percept.time))


def make_scheduler(mind: LyfeMind) -> CallScheduler[LyfeMind]:
    """Return what asks the model of `mind`."""
    return CallScheduler(mind.services.model, lyfe.HANDLERS)


def think(mind: LyfeMind, thoughts: Sequence[Query], percept: Percept) -> None:
    """Ask `thoughts`, apply what is due, and follow what follows, as the policy does."""
    asyncio.run(make_scheduler(mind).run(mind, thoughts, moment(mind, percept)))


def endpoint_of(mind: LyfeMind) -> ScriptedEndpoint:
    """Return what answers the model calls of `mind`."""
    endpoint = mind.services.model.endpoint
    assert isinstance(endpoint, ScriptedEndpoint)
    return endpoint


def list_requests(mind: LyfeMind) -> list[CompletionRequest]:
    """Return what the model was asked so far."""
    return endpoint_of(mind).requests


def fields_of(request: CompletionRequest) -> list[str]:
    """Return the names of the fields that a request wants: they tell what is asked."""
    fields = (request.schema or {}).get("properties")
    return list(fields) if isinstance(fields, Mapping) else []
