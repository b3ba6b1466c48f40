"""Minds to try faculties on: the model is a rule, the embedder counts n-grams."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from genagents_env.cognition.prompts import Prompts
from genagents_env.cognition.thinking import Thinking
from genagents_env.cognition.thought import Moment, Thought
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, sample_schema
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.percept import Percept
from genagents_env.policies.lyfe import handlers
from genagents_env.policies.lyfe import mind as mind_module
from genagents_env.policies.lyfe.config import LyfeConfig
from genagents_env.policies.lyfe.mind import Kit, Mind
from genagents_env.policy import Profile
from tests.policies.percepts import START, Value, profile

FOLDER = Path(__file__).parents[3] / "policies" / "lyfe" / "prompts"
SECONDS = 10  # of a tick, as in tests.policies.percepts


def make_mind(
    rule: Rule = sample_schema, *, who: Profile | None = None, seed: int = 3, **config: Value
) -> Mind:
    """Return a mind that knows what its profile says; its model answers by `rule`."""
    options = LyfeConfig.model_validate(config)
    kit = Kit(
        options,
        Prompts(FOLDER, seed, options.prompt_tokens),
        ModelClient(ScriptedEndpoint(rule), run_seed=seed),
        Embedder(open_source("hashed")),
        seed,
        START,
        SECONDS,
    )
    return mind_module.born(kit, who if who is not None else profile())


def moment(mind: Mind, percept: Percept) -> Moment:
    """Return the moment of a percept."""
    return Moment(percept, mind.kit.second(percept.time))


def thinking_of(mind: Mind) -> Thinking[Mind]:
    """Return what asks the model of `mind`."""
    return Thinking(mind.kit.model, handlers.HANDLERS)


def think(mind: Mind, thoughts: Sequence[Thought], percept: Percept) -> None:
    """Ask `thoughts`, apply what is due, and follow what follows, as the policy does."""
    asyncio.run(thinking_of(mind).think(mind, thoughts, moment(mind, percept)))


def endpoint_of(mind: Mind) -> ScriptedEndpoint:
    """Return what answers the model calls of `mind`."""
    endpoint = mind.kit.model.endpoint
    assert isinstance(endpoint, ScriptedEndpoint)
    return endpoint


def asked(mind: Mind) -> list[CompletionRequest]:
    """Return what the model was asked so far."""
    return endpoint_of(mind).requests


def fields_of(request: CompletionRequest) -> list[str]:
    """Return the names of the fields that a request wants: they tell what is asked."""
    fields = (request.schema or {}).get("properties")
    return list(fields) if isinstance(fields, Mapping) else []
