"""Places: where going is worth a thought, and where somebody might be found.

Nobody is told where others are. Who was never seen is looked for where memory names them with a
place, then in one known place after another.
"""

import re
from collections.abc import Iterable

from genagents_env.cognition.query import Moment
from genagents_env.rng import draw_unit

from .mind import LyfeMind

_MOST_PLACES, _MOST_PEOPLE = 10, 8  # in a prompt
_WORD = re.compile(r"\w{3,}")
_COMMON = {"the", "and", "shop", "house", "home", "room", "for", "with", "town", "family"}


def list_destinations(mind: LyfeMind, moment: Moment) -> list[str]:
    """Return some places the agent knows and is not at: those that come up, then others by lot."""
    here = moment.percept.me.place.split("/")[0]
    found = [place for place in moment.percept.known if "/" not in place and place != here]
    return _choose_names(mind, found, moment.tick, _MOST_PLACES)


def list_people_to_find(mind: LyfeMind, people: list[str]) -> list[str]:
    """Return some of these people: those who come up, then others by lot."""
    return _choose_names(mind, people, mind.tick, _MOST_PEOPLE)


def choose_next_place(mind: LyfeMind, moment: Moment) -> str:
    """Return where to look next for the person to be found; empty after enough of them."""
    option = mind.option
    known = [place for place in moment.percept.known if "/" not in place]
    left = [place for place in known if place not in option.looked]
    about = " ".join(kept.text for kept in mind.long if option.target in kept.text)
    words = _find_words([about])

    def rank(place: str) -> tuple[int, float]:
        lot = draw_unit(mind.services.seed, "looks", mind.agent, option.target, place)
        private = place == mind.profile.home.split("/")[0]
        return (-len(words & _find_words([place])) + private, lot)

    return min(left, key=rank, default="")


def _choose_names(mind: LyfeMind, names: list[str], tick: int, most: int) -> list[str]:
    if len(names) <= most:
        return names
    topic = _find_words([mind.profile.goal, mind.summary.text, *(item.text for item in mind.work)])

    def rank(name: str) -> tuple[int, float]:
        return (
            -len(topic & _find_words([name])),
            draw_unit(mind.services.seed, "place", tick, name),
        )

    return sorted(names, key=rank)[:most]


def _find_words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())} - _COMMON
