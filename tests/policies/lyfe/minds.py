"""Lyfe minds to try faculties on."""

from genagents_env.llm.scripted import Rule, sample_schema
from genagents_env.policies.lyfe import mind as mind_module
from genagents_env.policies.lyfe.config import LyfeConfig
from genagents_env.policies.lyfe.mind import LyfeMind
from genagents_env.policy import Profile
from tests.policies.harness import make_services
from tests.policies.percepts import Value, profile


def make_mind(
    rule: Rule = sample_schema, *, who: Profile | None = None, seed: int = 3, **config: Value
) -> LyfeMind:
    """Return a mind that knows what its profile says; its model answers by `rule`."""
    services = make_services("lyfe", LyfeConfig.model_validate(config), rule, seed)
    return mind_module.make_mind(services, who if who is not None else profile())
