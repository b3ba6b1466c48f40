"""Knowledge: what somebody knows at the start that nothing else of the profile tells."""

from genagents_env.patterns import finds_any
from genagents_env.policy import Profile


def list_untold_facts(profile: Profile) -> list[str]:
    """Return the statements of the facts that no memory of the person tells in its own words."""
    texts = [*profile.memories, *(past.text for past in profile.dated)]
    return [
        fact.statement
        for fact in profile.facts
        if not any(finds_any(fact.patterns, text) for text in texts)
    ]
