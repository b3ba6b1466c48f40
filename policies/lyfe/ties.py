"""Ties: what an agent knows of somebody: from its profile, else the title it has heard them by."""

from genagents_env.cognition import names

from .mind import LyfeMind


def describe_tie(mind: LyfeMind, name: str) -> str:
    """Return who somebody is to the agent, such as "a friend, the postman", or only "Officer"."""
    tie = mind.profile.relationships.get(name, "")
    if tie:
        return tie
    said = (item.text for item in mind.work[::-1])
    told = [mind.summary.text, *mind.recent.texts, *mind.long.texts]
    return next((title for text in (*said, *told) if (title := names.find_title(name, text))), "")
