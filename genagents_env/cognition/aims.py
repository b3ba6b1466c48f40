"""The place or person that a choice names, however it is spelled.

A whole name comes first, then a name within the words ("the ramen shop on the corner"), a slip of
the pen, a role or room of only one of them ("the officer", "the lobby"), and part of one name
("Smith"). Words that fit nothing well are refused: the release of Lyfe Agents takes the most
similar name from a ratio of 0.2 on, so that who looks for Francesco Bianchi finds Richard Smith.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from genagents_env.cognition import names

_SLIP = 0.8  # of difflib
_WORD = re.compile(r"\w{3,}")
# Words of many names: alone they mean none of them.
_COMMON = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "shop",
        "house",
        "home",
        "room",
        "town",
        "family",
        "place",
        "court",
        "street",
    ]
)
_TITLES = frozenset(["miss", "mrs", "doctor", "officer", "chef"])


def find_target(words: str, known: Sequence[str], also: Mapping[str, Sequence[str]]) -> str:
    """Return the one of the `known` names that words mean; empty where none clearly fits.

    Args:
        words: of a reply.
        known: names of places or of people.
        also: other words for each, by name: a person's trade, the rooms of a place.
    """
    said = words.strip().casefold()
    folded = {name.casefold(): name for name in known}
    if said in folded:
        return folded[said]
    if within := [name for fold, name in folded.items() if _is_in(fold, said)]:
        return max(within, key=len)
    if slips := get_close_matches(said, list(folded), 1, _SLIP):
        return folded[slips[0]]
    if names.list_full_names(words):
        return ""  # somebody else's
    called = [name for name in known if any(_is_called(word, said) for word in also.get(name, ()))]
    fitting = called or _find_parts(said, folded)
    return fitting[0] if len(fitting) == 1 else ""


def _is_in(part: str, whole: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(part)}(?!\w)", whole) is not None


def _is_called(called: str, said: str) -> bool:
    *_, last = called.casefold().split()
    return _is_in(called.casefold(), said) or (last not in _COMMON and _is_in(last, said))


def _find_parts(said: str, folded: Mapping[str, str]) -> list[str]:
    """Return the names that have every distinctive word of `said`."""
    words = set(_WORD.findall(said)) - _COMMON - _TITLES
    if not words:
        return []
    return [name for fold, name in folded.items() if words <= set(_WORD.findall(fold))]
