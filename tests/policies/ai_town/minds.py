"""Minds of AI Town to try faculties on: the model is a rule, the embedder counts n-grams."""

import asyncio
from collections.abc import Sequence
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
from genagents_env.policies import ai_town
from genagents_env.policies.ai_town import mind as mind_module
from genagents_env.policies.ai_town.config import AiTownConfig
from genagents_env.policies.ai_town.mind import AiTownMind, SaidLine, TalkState
from genagents_env.policy import Profile
from tests.policies.percepts import START, Value, profile

FOLDER = Path(__file__).parents[3] / "policies" / "ai_town" / "prompts"
SECONDS = 10  # of a tick, as in tests.policies.percepts
BEA = "Bea Birch"


def make_mind(
    rule: Rule = sample_schema,
    *,
    who: Profile | None = None,
    seed: int = 3,
    small: bool = False,
    **config: Value,
) -> AiTownMind:
    """Return a mind that knows what its profile says; its model answers by `rule`."""
    options = AiTownConfig.model_validate(config)
    services = Services(
        options,
        PromptFiles(FOLDER, seed, options.prompt_tokens or 4000, small=small),
        ModelClient(ScriptedEndpoint(rule), run_seed=seed),
        Embedder(open_source("hashed")),
        seed,
        START,
        SECONDS,
    )
    return mind_module.make_mind(services, who if who is not None else profile(facts=()))


def moment(mind: AiTownMind, percept: Percept) -> Moment:
    """Return the moment of a percept."""
    return Moment(percept, mind.services.to_second(percept.time))


def think(mind: AiTownMind, thoughts: Sequence[Query], percept: Percept) -> None:
    """Ask `thoughts`, apply what is due, and follow what follows, as the policy does."""
    scheduler = CallScheduler[AiTownMind](mind.services.model, ai_town.HANDLERS)
    asyncio.run(scheduler.run(mind, thoughts, moment(mind, percept)))


def list_requests(mind: AiTownMind) -> list[CompletionRequest]:
    """Return what the model was asked so far."""
    endpoint = mind.services.model.endpoint
    assert isinstance(endpoint, ScriptedEndpoint)
    return endpoint.requests


def talk_with(*others: str, lines: Sequence[tuple[str, str]] = (), **changes: Value) -> TalkState:
    """Return a talk that is under way, its words said ten seconds apart up to second -10."""
    said = [
        SaidLine(speaker, text, -1 if speaker == "Ann Ash" else 7, -10 * (len(lines) - at))
        for at, (speaker, text) in enumerate(lines)
    ]
    begun = -10 * (len(lines) + 1)
    given: dict[str, Value] = {"mine": True, "started": begun, "lines": said, **changes}
    return TalkState(list(others) or [BEA], "talking", begun, **given)
