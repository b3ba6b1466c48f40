"""Rules of scripted models that answer all shipped minds, and the judge of a run."""

from genagents_env.judge import scripted_verdict
from genagents_env.llm.scripted import Rule, find_rule
from genagents_env.run.policies import find_policy_class


def shipped_rule(name: str) -> Rule:
    """Return the rule of that name for the shipped minds and the judge."""
    shipped = ("smallville", "lyfe", "ai_town", "reactive", "simuverse")
    minds = [find_policy_class(mind).scripted_replies for mind in shipped]
    return find_rule(name, [*minds, scripted_verdict.REPLIES])


gossip, neighbour, mute, inventor = map(shipped_rule, ("gossip", "neighbour", "mute", "inventor"))
