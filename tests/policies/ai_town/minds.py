"""Minds of AI Town to try faculties on."""

from collections.abc import Sequence

from genagents_env.llm.scripted import Rule, sample_schema
from genagents_env.policies.ai_town import mind as mind_module
from genagents_env.policies.ai_town.config import AiTownConfig
from genagents_env.policies.ai_town.mind import AiTownMind, SaidLine, TalkState
from genagents_env.policy import Profile
from tests.policies.harness import make_services
from tests.policies.percepts import Value, profile

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
    services = make_services("ai_town", options, rule, seed, small=small)
    return mind_module.make_mind(services, who if who is not None else profile(facts=()))


def talk_with(*others: str, lines: Sequence[tuple[str, str]] = (), **changes: Value) -> TalkState:
    """Return a talk that is under way, its words said ten seconds apart up to second -10."""
    said = [
        SaidLine(speaker, text, -1 if speaker == "Ann Ash" else 7, -10 * (len(lines) - at))
        for at, (speaker, text) in enumerate(lines)
    ]
    begun = -10 * (len(lines) + 1)
    given: dict[str, Value] = {"mine": True, "started": begun, "lines": said, **changes}
    return TalkState(list(others) or [BEA], "talking", begun, **given)
