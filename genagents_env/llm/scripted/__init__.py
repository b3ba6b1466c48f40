"""Scripted models: endpoints without a network, for tests and dry runs, that answer by rule.

The engine stands here; what answers a policy's prompts comes from the policy.
"""

from genagents_env.llm.scripted.endpoint import (
    Rule,
    ScriptedEndpoint,
    always_invalid,
    find_rule,
    obedient,
)
from genagents_env.llm.scripted.replies import (
    BEHAVIOURS,
    Behaviour,
    ReplyRule,
    ReplyRules,
    ScriptedReplies,
)
from genagents_env.llm.scripted.sample import sample_schema

__all__ = [
    "BEHAVIOURS",
    "Behaviour",
    "ReplyRule",
    "ReplyRules",
    "Rule",
    "ScriptedEndpoint",
    "ScriptedReplies",
    "always_invalid",
    "find_rule",
    "obedient",
    "sample_schema",
]
