"""Which places and things fit an activity, by words, by routine, and by where the agent is."""

import re
from collections.abc import Callable, Sequence
from datetime import time

from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import find_entry
from genagents_env.llm.token_bound import bound_tokens

from .mind import SmallvilleMind

FEWEST_PLACES, MOST_PLACES = 4, 8
_PLACES_SHARE = 0.25  # of a prompt at most for the names to choose from
_WORDS = re.compile(r"[a-z']+")
_EMPTY = frozenset(
    ["a", "an", "and", "at", "for", "in", "of", "on", "or", "the", "then", "to", "with"]
)


def find_best_match(words: str, names: Sequence[str]) -> str:
    """Return which of `names` shares most words with `words`; empty where none shares any."""
    wanted = _find_words(words)
    # A name such as "on" is made of words that mean nothing elsewhere.
    scored = [
        (len(wanted & (_find_content(name) or _find_words(name))), -k, name)
        for k, name in enumerate(names)
    ]
    best = max(scored, default=(0, 0, ""))
    return best[2] if best[0] else ""


def list_offers(
    mind: SmallvilleMind, texts: Sequence[str], clock: time, moment: Moment
) -> list[str]:
    """Return the arenas worth offering for these activities, where the agent is now first.

    Unless it is out on the way, which is no place to do anything in.
    """
    known = moment.percept.known
    arenas = [place for place in known if not any(k.startswith(f"{place}/") for k in known)]
    here = moment.percept.me.place
    here = here if here in known or not arenas else ""
    best = rank_places(mind, [a for a in arenas if a not in mind.blocked], texts, clock, here)
    worth = _make_score(mind, texts, clock, here)
    # What has nothing to do with it is offered only where there is little else: an activity that
    # belongs in the park says so.
    best = [place for k, place in enumerate(best) if k < FEWEST_PLACES or worth(place) > 0]
    here_first = list(dict.fromkeys([here, *best] if here else best))
    return fit_names(mind, here_first[:MOST_PLACES] or [moment.percept.me.place])


def fit_names(mind: SmallvilleMind, names: Sequence[str]) -> list[str]:
    """Return the first of `names` that leave a prompt room for more than them; at least one."""
    room, kept = int(mind.services.prompts.limit * _PLACES_SHARE), list(names[:1])
    for name in names[1:]:
        if bound_tokens("; ".join([*kept, name])) > room:
            break
        kept.append(name)
    return kept


def rank_places(
    mind: SmallvilleMind, places: Sequence[str], texts: Sequence[str], clock: time, here: str
) -> list[str]:
    """Return `places`, those first that have most to do with the activities and with the agent."""
    worth = _make_score(mind, texts, clock, here)
    return sorted(places, key=lambda place: -worth(place))


def _make_score(
    mind: SmallvilleMind, texts: Sequence[str], clock: time, here: str
) -> Callable[[str], float]:
    """Return how much a place has to do with the activities and with the agent; 0 is nothing.

    Most have those the activities name, then that of the routine at `clock`, the one where it
    is, those of the routine at any time, and its own.
    """
    profile = mind.profile
    named = _find_content(" ".join(texts))
    usual = find_entry(profile, clock)
    routine = sorted({entry.place for entry in profile.routine})

    def worth(place: str) -> float:
        score = 2.0 * len(named & _find_content(place))
        score += 3.0 * (usual is not None and is_related(place, usual.place))
        score += 1.5 * any(is_related(place, other) for other in routine)
        score += 1.0 * (
            is_related(place, profile.home) or is_related(place, profile.workplace or "/")
        )
        return score + 2.0 * is_related(place, here)

    return worth


def is_related(place: str, other: str) -> bool:
    """Return whether one of two places is the other or a part of it."""
    return place == other or place.startswith(f"{other}/") or other.startswith(f"{place}/")


def find_arena(object_id: str) -> str:
    """Return the arena in which an object stands."""
    return object_id.rsplit("/", 1)[0]


def _find_content(text: str) -> set[str]:
    return _find_words(text) - _EMPTY


def _find_words(text: str) -> set[str]:
    return {word.removesuffix("'s") for word in _WORDS.findall(text.lower())}
