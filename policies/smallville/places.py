"""Which places fit an activity: by words and meaning, by routine, by where the agent is."""

import re
from collections.abc import Mapping, Sequence
from datetime import time

from genagents_env.cognition.ownership import find_owner_names
from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import find_entry
from genagents_env.llm.tokens import bound_tokens

from .mind import SmallvilleMind
from .rooms import KnownRoom, list_rooms

MOST_PLACES = 8  # of those that are neither everybody's nor the agent's own, and of a small prompt
_PLACES_SHARE = 0.25  # of a prompt at most for the names to choose from
_WORDS = re.compile(r"[a-z']+")
_EMPTY = frozenset(
    ["a", "an", "and", "at", "for", "in", "of", "on", "or", "the", "then", "to", "with"]
)
_HOME = re.compile(
    r"\b(?:at|back|go(?:ing)?|walk(?:ing)?|return(?:ing)?) home\b|^home$|, home\b", re.I
)
_WORK = re.compile(r"\b(?:at|to) (?:the )?work(?:place)?\b", re.I)


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


def find_named_place(mind: SmallvilleMind, text: str, rooms: Sequence[KnownRoom]) -> str:
    """Return the room or building that an activity's words name; empty where they name none."""
    said = text.casefold()
    rooms_named = [room.id for room in rooms if room.id.casefold() in said]
    if rooms_named:
        return max(rooms_named, key=len)
    sectors = {room.sector for room in rooms}
    named = [name for name in sorted(sectors) if _strip_article(name) in said]
    if named:
        sector = max(named, key=len)
        inside = [room for room in rooms if room.sector == sector]
        exact = (
            room.id for room in inside if re.search(rf"\b{re.escape(room.name.casefold())}\b", said)
        )
        return next(exact, sector) if len(inside) > 1 else inside[0].id
    if _HOME.search(text):
        return mind.profile.home
    return mind.profile.workplace or "" if _WORK.search(text) else ""


def leave_out_place(text: str, place: str) -> str:
    """Return an activity without its words for a building, where it does not take place there."""
    name = re.escape(_strip_article(place.split("/")[0]))
    return (
        re.sub(rf",? ?(?:\b(?:at|in|to|into)\b )?(?:\bthe )?{name}", "", text, flags=re.I).strip(
            " ,"
        )
        or text
    )


async def list_offers(
    mind: SmallvilleMind, texts: Sequence[str], clocks: Sequence[time], moment: Moment
) -> list[str]:
    """Return the rooms to choose from for these activities, where the agent is now first.

    Those that everybody knows and the agent's own are always among them while they are open, of
    others the ones whose names and things come nearest to the activities. A room that bears
    somebody else's name is one of them only where an activity names it. Out on the way is no place
    to do anything in.
    """
    here = moment.percept.me.place
    rooms = [
        room
        for room in list_rooms(mind, moment.percept.known)
        if not _is_blocked(mind, room) and _is_open(room, clocks)
        if room.id == here or not _is_of_another(mind, room, texts)
    ]
    scores = await _score_rooms(mind, rooms, texts, clocks[0], here)
    order = sorted(rooms, key=lambda room: -scores[room.id])
    rest = [room.id for room in order if not (room.common or room.own)]
    shown = [room.id for room in order if room.common or room.own or room.id in rest[:MOST_PLACES]]
    if here in scores:
        shown = [here, *(id_ for id_ in shown if id_ != here)]
    return fit_names(mind, shown or [here])


def fit_names(mind: SmallvilleMind, names: Sequence[str]) -> list[str]:
    """Return the first of `names` that leave a prompt room for more than them; at least one."""
    prompts = mind.services.prompts
    room, kept = int(prompts.limit * _PLACES_SHARE), list(names[:1])
    for name in names[1:]:
        if bound_tokens("; ".join([*kept, name])) > room or (
            prompts.small and len(kept) == MOST_PLACES
        ):
            break
        kept.append(name)
    return kept


async def rank_places(
    mind: SmallvilleMind, places: Sequence[str], text: str, clock: time, moment: Moment
) -> list[str]:
    """Return `places`, buildings or rooms, those first that have most to do with an activity."""
    rooms = list_rooms(mind, moment.percept.known)
    scores = await _score_rooms(mind, rooms, [text], clock, moment.percept.me.place)

    def worth(place: str) -> float:
        inside = [score for id_, score in scores.items() if is_related(id_, place)]
        return max(inside, default=0.0)

    return sorted(places, key=lambda place: -worth(place))


async def _score_rooms(
    mind: SmallvilleMind, rooms: Sequence[KnownRoom], texts: Sequence[str], clock: time, here: str
) -> Mapping[str, float]:
    """Return how much each room has to do with the activities and with the agent.

    First come those that the activities name, then by meaning; the one of the routine at `clock`,
    where the agent is, and its own home and workplace win among equals.
    """
    profile = mind.profile
    named = [found for text in texts if (found := find_named_place(mind, text, rooms))]
    usual = find_entry(profile, clock)
    meaning = await _compare(mind, rooms, texts)
    scores: dict[str, float] = {}
    for room, score in zip(rooms, meaning, strict=True):
        score += 2.0 * any(is_related(room.id, place) for place in named)
        score += 0.3 * (usual is not None and is_related(room.id, usual.place))
        score += 0.2 * (room.id == here)
        own = (profile.home, profile.workplace or "/")
        scores[room.id] = score + 0.1 * any(is_related(room.id, place) for place in own)
    return scores


async def _compare(
    mind: SmallvilleMind, rooms: Sequence[KnownRoom], texts: Sequence[str]
) -> list[float]:
    """Return how near each room comes to the nearest activity; by words without vectors."""
    told = [_describe_room(room) for room in rooms]
    if mind.services.embedder is None or not told:
        wanted = _find_content(" ".join(texts))
        return [len(wanted & _find_content(words)) / max(1, len(wanted)) for words in told]
    vectors = await mind.services.embed([*texts, *told])
    scores: list[float] = (vectors[len(texts) :] @ vectors[: len(texts)].T).max(axis=1).tolist()
    return scores


def _describe_room(room: KnownRoom) -> str:
    things = ", ".join(thing.name for thing in room.things)
    name = room.id.replace("/", ", ")
    return f"{name}: {things}" if things else name


def _is_of_another(mind: SmallvilleMind, room: KnownRoom, texts: Sequence[str]) -> bool:
    """Return whether a room is somebody else's, whom none of the activities names.

    One that the routine leads to is the agent's, too.
    """
    profile = mind.profile
    if room.common or any(is_related(entry.place, room.id) for entry in profile.routine):
        return False
    names = find_owner_names(profile, room.id)
    mine = set(mind.name.split())
    said = {word for text in texts for word in re.findall(r"\w+", text)}
    return bool(names) and not (mine | said) & names


def _is_blocked(mind: SmallvilleMind, room: KnownRoom) -> bool:
    return room.id in mind.blocked or room.sector in mind.blocked


def _is_open(room: KnownRoom, clocks: Sequence[time]) -> bool:
    return any(room.is_open(60 * clock.hour + clock.minute) for clock in clocks)


def is_related(place: str, other: str) -> bool:
    """Return whether one of two places is the other or a part of it."""
    return place == other or place.startswith(f"{other}/") or other.startswith(f"{place}/")


def is_within(place: str, whole: str) -> bool:
    """Return whether a place is `whole` or a part of it; an empty `whole` is anywhere."""
    return not whole or place == whole or place.startswith(f"{whole}/")


def find_arena(object_id: str) -> str:
    """Return the arena in which an object stands."""
    return object_id.rsplit("/", 1)[0]


def _strip_article(name: str) -> str:
    return name.casefold().removeprefix("the ")


def _find_content(text: str) -> set[str]:
    return _find_words(text) - _EMPTY


def _find_words(text: str) -> set[str]:
    return {word.removesuffix("'s") for word in _WORDS.findall(text.lower())}
