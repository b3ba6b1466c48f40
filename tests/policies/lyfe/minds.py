"""Minds to try faculties on: the model is a rule, the embedder counts n-grams."""

import asyncio
import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from genagents_env.cognition.prompts import Prompts
from genagents_env.cognition.thinking import Thinking
from genagents_env.cognition.thought import Moment, Thought
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, sample_schema
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.percept import Percept
from genagents_env.policy import Profile
from tests.policies.percepts import START, profile

FOLDER = Path(__file__).parents[3] / "policies" / "lyfe" / "prompts"
SECONDS = 10  # of a tick, as in tests.policies.percepts


def part(name: str) -> ModuleType:
    """Return a module of the mind, such as `monitor`."""
    return importlib.import_module(f"genagents_env.policies.lyfe.{name}")


def make_mind(
    rule: Rule = sample_schema, *, who: Profile | None = None, seed: int = 3, **config: Any
) -> Any:
    """Return a mind that knows what its profile says; its model answers by `rule`."""
    options = part("config").LyfeConfig(**config)
    kit = part("mind").Kit(
        options,
        Prompts(FOLDER, seed, options.prompt_tokens),
        ModelClient(ScriptedEndpoint(rule), run_seed=seed),
        Embedder(open_source("hashed")),
        seed,
        START,
        SECONDS,
    )
    return part("mind").born(kit, who if who is not None else profile())


def moment(mind: Any, percept: Percept) -> Moment:
    """Return the moment of a percept."""
    return Moment(percept, mind.kit.second(percept.time))


def thinking_of(mind: Any) -> Thinking[Any]:
    """Return what asks the model of `mind`."""
    return Thinking(mind.kit.model, part("handlers").HANDLERS)


def think(mind: Any, thoughts: Sequence[Thought], percept: Percept) -> None:
    """Ask `thoughts`, apply what is due, and follow what follows, as the policy does."""
    asyncio.run(thinking_of(mind).think(mind, thoughts, moment(mind, percept)))


def asked(mind: Any) -> list[CompletionRequest]:
    """Return what the model was asked so far."""
    requests: list[CompletionRequest] = mind.kit.model.endpoint.requests
    return requests


def fields_of(request: CompletionRequest) -> list[str]:
    """Return the names of the fields that a request wants: they tell what is asked."""
    fields = (request.schema or {}).get("properties")
    return list(fields) if isinstance(fields, Mapping) else []
