"""Telephone: a plan such as "calling Maria Lopez" becomes a call, where there are telephones."""

import re
from collections.abc import Sequence

from genagents_env.cognition.query import Moment, Query

from . import opening
from .converse import query_words
from .focus import is_free, may_talk
from .mind import SmallvilleMind

_CALL = re.compile(
    r"\b(?:call|calling|phone|phoning|telephone|telephoning|ring|ringing)\b(.*)", re.I
)


def make_queries(mind: SmallvilleMind, moment: Moment) -> Sequence[Query]:
    """Call whom the activity under way says to call, once for each such activity."""
    if not mind.profile.phone or not is_free(mind, moment):
        return ()
    other = find_contact(mind, mind.activity.text)
    key = f"call {other} {mind.activity.begun}"
    if not other or key in mind.attention.considered or not may_talk(mind, moment, other):
        return ()
    if any(seen.name == other for seen in moment.percept.people):
        return ()
    mind.attention.considered[key] = moment.now
    opening.begin(mind, other, moment, reason=mind.activity.text, phone=True)
    return query_words(mind, moment)


def list_contacts(mind: SmallvilleMind) -> list[str]:
    """Return the people whom the agent knows well enough to call."""
    return list(dict.fromkeys((*mind.profile.relationships, *mind.ties)))


def find_contact(mind: SmallvilleMind, text: str) -> str:
    """Return whom an activity says to call, empty where it says of nobody the agent knows."""
    found = _CALL.search(text)
    if found is None:
        return ""
    known = list_contacts(mind)
    whole = next((name for name in known if name in found[1]), "")
    words = re.findall(r"\w+", found[1])
    return whole or next((name for name in known if name.split()[0] in words), "")
