"""Scripted models: endpoints without a network, for tests and dry runs, that answer by rule.

`scripted` answers with samples, `scripted:neighbour` as a person would: it talks, passes on news,
keeps appointments and answers interviews truthfully. Its words stand in `words.toml`, what it says
of people, places and facts comes from the prompt, and how a policy's prompts are answered comes
from the policy.
"""

from genagents_env.llm.scripted.endpoint import (
    Rule,
    ScriptedEndpoint,
    always_invalid,
    find_rule,
    obedient,
)
from genagents_env.llm.scripted.replies import NeighbourRule, ReplyRule, ScriptedReplies
from genagents_env.llm.scripted.sample import sample_schema

__all__ = [
    "NeighbourRule",
    "ReplyRule",
    "Rule",
    "ScriptedEndpoint",
    "ScriptedReplies",
    "always_invalid",
    "find_rule",
    "obedient",
    "sample_schema",
]
