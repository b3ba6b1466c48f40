"""Places and people to choose from, and where somebody might be found.

Every place that the agent knows may be chosen, its own work and home and those that come up first.
No prompt says where others are. Who was never seen is looked for where memory names them with a
place, then in one known place after another. People who are known from words alone may be looked
for as well, in three places and, where that was in vain, not again that day; but not those who are
said to be dead.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from genagents_env.cognition.query import Moment
from genagents_env.rng import draw_unit

from .mind import LyfeMind

_WORD = re.compile(r"\w{3,}")
_COMMON = {"the", "and", "shop", "house", "home", "room", "for", "with", "town", "family"}
_SEARCHED = 3  # places where somebody known by name only is looked for (ours)
_DEAD = r"(?:murdered|killed|dead|died|death|body|corpse|funeral)"


def list_destinations(mind: LyfeMind, moment: Moment) -> list[str]:
    """Return the places the agent knows and is not at, those that matter first."""
    here = moment.percept.me.place.split("/")[0]
    own = [place.split("/")[0] for place in (mind.profile.workplace, mind.profile.home) if place]
    places = [place for place in _list_places(moment) if place.split("/")[0] != here]
    topic = _find_topic(mind)

    def rank(place: str) -> tuple[int, bool]:
        return -len(topic & _find_words([place])), place.split("/")[0] not in own

    return sorted(places, key=rank)


def list_rooms(moment: Moment) -> Mapping[str, Sequence[str]]:
    """Return the names of the rooms that the agent knows of each place."""
    rooms: dict[str, list[str]] = {}
    for place in moment.percept.known:
        sector, slash, room = place.partition("/")
        if slash:
            rooms.setdefault(sector, []).append(room)
    return rooms


def list_people_to_find(mind: LyfeMind) -> list[str]:
    """List the people to look for: those the agent knows, the topic first, then mere names."""
    topic = _find_topic(mind)
    known = [name for name in mind.people if name not in mind.near]
    known.sort(key=lambda name: -len(topic & _find_words([name])))
    named = [name for name in mind.named if name not in mind.near and not _is_dead(mind, name)]
    return [*known, *(name for name in named if not _was_missed_today(mind, name))]


def is_searched(mind: LyfeMind) -> bool:
    """Return True if enough places were looked at for somebody who may not be in town at all."""
    option = mind.option
    return option.target in mind.named and len(option.looked) >= _SEARCHED


def choose_next_place(mind: LyfeMind, moment: Moment) -> str:
    """Choose the next place to look for the person in; empty after all of them."""
    option = mind.option
    left = [place for place in _list_places(moment) if place not in option.looked]
    about = " ".join(kept.text for kept in mind.long if option.target in kept.text)
    words = _find_words([about])

    def rank(place: str) -> tuple[int, float]:
        lot = draw_unit(mind.services.seed, "looks", mind.agent, option.target, place)
        private = place == mind.profile.home.split("/")[0]
        return (-len(words & _find_words([place])) + private, lot)

    return min(left, key=rank, default="")


def _list_places(moment: Moment) -> list[str]:
    """Return the places the agent knows: whole ones, and rooms of which it knows no whole."""
    known = set(moment.percept.known)
    return [id_ for id_ in moment.percept.known if "/" not in id_ or id_.split("/")[0] not in known]


def _was_missed_today(mind: LyfeMind, name: str) -> bool:
    to_time, now = mind.services.to_time, mind.tick * mind.services.seconds_per_tick
    return name in mind.missed and to_time(mind.missed[name]).date() == to_time(now).date()


def _is_dead(mind: LyfeMind, name: str) -> bool:
    """Return True if memory, or what just came to mind, says that somebody is dead."""
    who = re.escape(name)
    said = re.compile(
        rf"{who}(?:'s|\u2019s)? (?:is |was |has been )?{_DEAD}\b|\b{_DEAD} of {who}|{_DEAD} {who}",
        re.IGNORECASE,
    )
    texts = [*mind.long.texts, *mind.recent.texts, mind.summary.text, *(i.text for i in mind.work)]
    return any(said.search(text) for text in texts if name in text)


def _find_topic(mind: LyfeMind) -> set[str]:
    return _find_words([mind.goal, mind.summary.text, *(item.text for item in mind.work)])


def _find_words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())} - _COMMON
