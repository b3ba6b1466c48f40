"""Knowledge: what somebody knows at the start, in sentences that a mind can remember."""

from genagents_env.policy import Profile
from genagents_env.scenario.patterns import finds_any


def list_known_texts(profile: Profile) -> list[str]:
    """Return a profile's memories without a time, its ties and its facts, each sentence once."""
    ties = [format_tie(other, about) for other, about in profile.relationships.items()]
    return list(dict.fromkeys([*profile.memories, *ties, *list_untold_facts(profile)]))


def format_tie(other: str, about: str) -> str:
    """Return a tie as it is remembered."""
    return f"I know {other}: {about}"


def list_untold_facts(profile: Profile) -> list[str]:
    """Return the statements of the facts that no memory of the person tells in its own words."""
    texts = [*profile.memories, *(past.text for past in profile.dated)]
    return [
        fact.statement
        for fact in profile.facts
        if not any(finds_any(fact.patterns, text) for text in texts)
    ]
