"""Places: what the agent knows of the town, which rooms fit an activity, and what a reply means.

At the start it knows what the profile says; later also what was seen on the way. Source: Park et
al. 2023, section 5.1: the environment tree that each agent knows, put into words. What a reply
names is mapped to what there is: taken exactly, else by meaning (by shared words without an
embedder); what is like nothing is refused, and noted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import time

from genagents_env.cognition.names import find_owner_names
from genagents_env.cognition.prompts import REMEMBERED, Section
from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import find_entry
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.tokens import bound_tokens
from genagents_env.memory.columns import compare
from genagents_env.scenario.plan import Hours
from genagents_env.scenario.profiles import TownThing

from .mind import SmallvilleMind

NOTHING = "nothing"  # the thing that is used where none is
MOST_PLACES = 8  # of those that are neither everybody's nor the agent's own, and of a small prompt
_PLACES_SHARE = 0.25  # of a prompt at most for the names to choose from
# The cosine from which words are taken for a name. With the sentence model 14 of 20 wordings of a
# state lie above it and are mapped right, none is mapped wrong, and none of 10 that mean no state
# of the thing is mapped at all; at 0.3 it is 15, 1 and 3 (`python -m benchmarks.state_words`).
LIKE = 0.35
_LISTED = 12  # names listed in a note at most
_MOST_WORDS = 120  # characters of a state in the agent's own words: the world keeps no more
_WORDS = re.compile(r"[a-z']+")
_EMPTY = frozenset(
    ["a", "an", "and", "at", "for", "in", "of", "on", "or", "the", "then", "to", "with"]
)
_HOME = re.compile(
    r"\b(?:at|back|go(?:ing)?|walk(?:ing)?|return(?:ing)?) home\b|^home$|, home\b", re.I
)
_WORK = re.compile(r"\b(?:at|to) (?:the )?work(?:place)?\b", re.I)


@dataclass(frozen=True, slots=True)
class KnownRoom:
    """A room, or a piece of open ground, that the agent may enter.

    `common`: everybody knows it; `own`: the agent lives or works in the building, so that its
    `hours` do not bind. `things`: those that it may use.
    """

    id: str
    common: bool
    own: bool
    hours: tuple[Hours, ...]
    things: tuple[TownThing, ...]

    @property
    def sector(self) -> str:
        """The building."""
        return self.id.split("/")[0]

    @property
    def name(self) -> str:
        """The name within the building."""
        return self.id.split("/")[-1]

    def is_open(self, clock: time) -> bool:
        """Return True if the agent can get in at that time of a day."""
        minute = 60 * clock.hour + clock.minute
        return self.own or not self.hours or any(span.contains(minute) for span in self.hours)


def list_rooms(mind: SmallvilleMind, moment: Moment) -> list[KnownRoom]:
    """Return the rooms that the agent knows and may enter, as far as it knows, in order."""
    known = moment.percept.known
    town = {place.id: place for place in mind.profile.town}
    divided = {place.rpartition("/")[0] for place in known}
    own = {ref.split("/")[0] for ref in (mind.profile.home, mind.profile.workplace) if ref}
    seen: dict[str, list[TownThing]] = {}
    for id_, item in mind.objects.items():
        thing = TownThing(id_, item.name, tuple(item.states), item.free_text)
        seen.setdefault(find_arena(id_), []).append(thing)
    rooms: list[KnownRoom] = []
    for id_ in known:
        place = town.get(id_)
        if id_ in divided or (place is not None and not place.admits):
            continue
        if town and place is None and "/" not in id_ and id_ not in seen:
            continue  # the open ground between the buildings
        things = list(place.things) if place is not None else []
        ids = {thing.id for thing in things}
        things += [t for t in seen.get(id_, ()) if t.id not in ids and (t.states or t.free_text)]
        things = [_leave_out_sleep(mind, thing) for thing in things]
        common, hours = (place.common, place.hours) if place is not None else (False, ())
        rooms.append(KnownRoom(id_, common, id_.split("/")[0] in own, hours, tuple(things)))
    return rooms


def _leave_out_sleep(mind: SmallvilleMind, thing: TownThing) -> TownThing:
    """Return a thing without the state in which the agent sleeps: it sleeps by its plan."""
    bed = mind.profile.sleeps_in
    if bed is None or bed[0] != thing.id:
        return thing
    return replace(thing, states=tuple(state for state in thing.states if state != bed[1]))


# The town in words.


def describe_town(mind: SmallvilleMind, moment: Moment) -> Section:
    """Describe what the agent knows of the town, a sentence a building, its own ones first."""
    buildings: dict[str, list[KnownRoom]] = {}
    for room in list_rooms(mind, moment):
        buildings.setdefault(room.sector, []).append(room)
    home, work = mind.profile.home.split("/")[0], (mind.profile.workplace or "").split("/")[0]
    lines: list[JSONValue] = []
    for name in sorted(buildings, key=lambda name: (name != home, name != work)):
        head = "your home" if name == home else "your work" if name == work else "in town"
        lines.append([head, _format_building(buildings[name], brief=mind.services.prompts.small)])
    return Section("town", lines, REMEMBERED)


def _format_building(rooms: Sequence[KnownRoom], *, brief: bool) -> str:
    """Return a sentence on a building: when it is open, and unless `brief` its rooms and things."""
    name, spans = rooms[0].sector, {room.hours for room in rooms}
    whole = spans.pop() if len(spans) == 1 else ()
    begin = f"{name}, open {_format_hours(whole)}" if whole else name
    if brief:
        return begin
    if len(rooms) == 1 and rooms[0].id == name:
        return f"{begin}: {_list_names(rooms[0])}." if rooms[0].things else f"{begin}."
    parts = [
        f"{room.name}{f', open {_format_hours(room.hours)},' if room.hours and not whole else ''}"
        f"{f' ({_list_names(room)})' if room.things else ''}"
        for room in rooms
    ]
    return f"{begin}: {'; '.join(parts)}."


def _format_hours(hours: Iterable[Hours]) -> str:
    """Return opening times in words."""
    return " and ".join(str(span) for span in hours)


def _list_names(room: KnownRoom) -> str:
    """List a room's things by name."""
    return ", ".join(thing.name for thing in room.things)


def format_room(room: KnownRoom) -> JSONValue:
    """Return a line on a room: when it is open, and what stands there in which states."""
    hours = [f"open {_format_hours(room.hours)}"] if room.hours else []
    things = [
        f"{thing.name}: {' / '.join(thing.states)}{' / any words' if thing.free_text else ''}"
        for thing in room.things
    ]
    return ["place", room.id, *hours, "; ".join(things) or "nothing to use"]


def list_things(rooms: Sequence[KnownRoom]) -> list[str]:
    """Return the names of the things to choose from, nothing first."""
    names = (thing.name for room in rooms for thing in room.things)
    return list(dict.fromkeys([NOTHING, *names]))


def list_states(rooms: Sequence[KnownRoom]) -> list[str]:
    """Return the states to choose from; none where a thing may be put into any."""
    things = [thing for room in rooms for thing in room.things]
    if any(thing.free_text for thing in things):
        return []
    return list(dict.fromkeys(["", *(state for thing in things for state in thing.states)]))


# What words name.


def is_related(place: str, other: str) -> bool:
    """Return True if one of two places is the other or a part of it."""
    return place == other or place.startswith(f"{other}/") or other.startswith(f"{place}/")


def is_within(place: str, whole: str) -> bool:
    """Return True if a place is `whole` or a part of it; an empty `whole` is anywhere."""
    return not whole or place == whole or place.startswith(f"{whole}/")


def find_arena(object_id: str) -> str:
    """Return the arena in which an object stands."""
    return object_id.rpartition("/")[0]


def find_best_match(words: str, names: Sequence[str]) -> str:
    """Find which of `names` shares most words with `words`; empty where none shares any."""
    wanted = _find_words(words)
    # A name such as "on" is made of words that mean nothing elsewhere.
    shared = [len(wanted & (_find_content(name) or _find_words(name))) for name in names]
    most = max(shared, default=0)
    return names[shared.index(most)] if most else ""


def find_named_place(mind: SmallvilleMind, text: str, rooms: Sequence[KnownRoom]) -> str:
    """Return the room or building that an activity's words name; empty where they name none."""
    said = text.casefold()
    named = [room.id for room in rooms if room.id.casefold() in said]
    if named:
        return max(named, key=len)
    named = [
        name for name in sorted({room.sector for room in rooms}) if _strip_article(name) in said
    ]
    if named:
        sector = max(named, key=len)
        inside = [room for room in rooms if room.sector == sector]
        if len(inside) == 1:
            return inside[0].id
        exact = (r.id for r in inside if re.search(rf"\b{re.escape(r.name.casefold())}\b", said))
        return next(exact, sector)
    if _HOME.search(text):
        return mind.profile.home
    return mind.profile.workplace or "" if _WORK.search(text) else ""


def leave_out_shut(mind: SmallvilleMind, text: str, place: str, rooms: Sequence[KnownRoom]) -> str:
    """Return an activity without its words for a building, where the agent could not get in there.

    Args:
        mind: whose.
        text: the activity.
        place: where it takes place instead.
        rooms: those that the agent knows.
    """
    shut = [blocked for blocked in mind.blocked if not is_related(blocked, place)]
    named = find_named_place(mind, text, rooms) if shut else ""
    if not named or not any(is_related(named, blocked) for blocked in shut):
        return text
    name = re.escape(_strip_article(named.split("/")[0]))
    words = rf",? ?(?:\b(?:at|in|to|into)\b )?(?:\bthe )?{name}"
    return re.sub(words, "", text, flags=re.I).strip(" ,") or text


def _strip_article(name: str) -> str:
    return name.casefold().removeprefix("the ")


def _find_content(text: str) -> set[str]:
    """Find the words of a text that say something."""
    return _find_words(text) - _EMPTY


def _find_words(text: str) -> set[str]:
    return {word.removesuffix("'s") for word in _WORDS.findall(text.lower())}


# Which rooms fit.


async def list_offers(
    mind: SmallvilleMind,
    rooms: Sequence[KnownRoom],
    texts: Sequence[str],
    clocks: Sequence[time],
    moment: Moment,
) -> list[str]:
    """Return the ids of the rooms to choose from for these activities, the agent's own place first.

    Those that everybody knows and the agent's own are always among them while they are open, of
    others the ones whose names and things come nearest to the activities. A room that bears
    somebody else's name is one of them only where an activity names it. Out on the way is no place
    to do anything in.
    """
    here = moment.percept.me.place
    rooms = [
        room
        for room in rooms
        if not is_blocked(mind, room)
        and any(room.is_open(clock) for clock in clocks)
        and (room.id == here or not _is_of_another(mind, room, texts))
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
    for name in names[1 : MOST_PLACES if prompts.small else None]:
        if bound_tokens("; ".join([*kept, name])) > room:
            break
        kept.append(name)
    return kept


async def rank_places(
    mind: SmallvilleMind, places: Sequence[str], text: str, clock: time, moment: Moment
) -> list[str]:
    """Return `places`, buildings or rooms, those first that have most to do with an activity."""
    rooms = list_rooms(mind, moment)
    scores = await _score_rooms(mind, rooms, [text], clock, moment.percept.me.place)

    def find_worth(place: str) -> float:
        return max((score for id_, score in scores.items() if is_related(id_, place)), default=0.0)

    return sorted(places, key=find_worth, reverse=True)


async def _score_rooms(
    mind: SmallvilleMind, rooms: Sequence[KnownRoom], texts: Sequence[str], clock: time, here: str
) -> Mapping[str, float]:
    """Score how much each room has to do with the activities and with the agent.

    First come those that the activities name, then by meaning; the one of the routine at `clock`,
    where the agent is, and its own home and workplace win among equals.
    """
    profile = mind.profile
    named = [place for text in texts if (place := find_named_place(mind, text, rooms))]
    usual = find_entry(profile, clock)
    own = (profile.home, profile.workplace or "/")
    scores: dict[str, float] = {}
    for room, score in zip(rooms, await _compare(mind, rooms, texts), strict=True):
        score += 2.0 * any(is_related(room.id, place) for place in named)
        score += 0.3 * (usual is not None and is_related(room.id, usual.place))
        score += 0.2 * (room.id == here)
        scores[room.id] = score + 0.1 * any(is_related(room.id, place) for place in own)
    return scores


async def _compare(
    mind: SmallvilleMind, rooms: Sequence[KnownRoom], texts: Sequence[str]
) -> list[float]:
    """Score how near each room is to the nearest activity; by shared words without vectors."""
    described = [_describe_room(room) for room in rooms]
    if mind.services.embedder is None or not described:
        wanted = _find_content(" ".join(texts))
        return [len(wanted & _find_content(text)) / max(1, len(wanted)) for text in described]
    vectors = await mind.services.embed([*texts, *described])
    return list(compare(vectors[len(texts) :], vectors[: len(texts)]).max(axis=1).tolist())


def _describe_room(room: KnownRoom) -> str:
    """Describe a room and its things, for its embedding."""
    name = room.id.replace("/", ", ")
    return f"{name}: {_list_names(room)}" if room.things else name


def is_blocked(mind: SmallvilleMind, room: KnownRoom) -> bool:
    """Return True if the agent lately could not get in."""
    return room.id in mind.blocked or room.sector in mind.blocked


def _is_of_another(mind: SmallvilleMind, room: KnownRoom, texts: Sequence[str]) -> bool:
    """Return True if a room is somebody else's, whom none of the activities names.

    One that the routine leads to is the agent's, too.
    """
    profile = mind.profile
    if room.common or any(is_related(entry.place, room.id) for entry in profile.routine):
        return False
    names = find_owner_names(profile, room.id)
    said = {word for text in texts for word in re.findall(r"\w+", text)}
    return bool(names) and not (said | set(mind.name.split())) & names


# What a reply means.


async def match_place(mind: SmallvilleMind, said: str, places: Sequence[str]) -> str:
    """Return which of the places offered a reply means; empty, and noted, where it means none."""
    folded = said.casefold().strip()
    for fits in (
        [place for place in places if place.casefold() == folded],
        [place for place in places if place.casefold().startswith(f"{folded}/")],
        [place for place in places if folded.endswith(place.casefold().split("/")[-1])],
    ):
        if folded and fits:
            return fits[0]
    place = await find_like(mind, said, places)
    if not place:
        mind.note_wish(f"place: {said!r}; allowed: {', '.join(places[:_LISTED])}")
    return place


async def match_use(
    mind: SmallvilleMind, rooms: Sequence[KnownRoom], place: str, thing: str, state: str
) -> tuple[str, str, str]:
    """Return place, id of the thing and its new state for what a reply names.

    A thing of another room of the building is gone to; one that is nowhere in it is not used.
    """
    here = [room for room in rooms if room.id == place]
    near = [room for room in rooms if here and room.sector == here[0].sector]
    item = await _find_thing(mind, here, thing) or await _find_thing(mind, near, thing)
    if item is None:
        names = [item.name for room in near for item in room.things]
        mind.note_wish(f"{place}: {thing!r}; there are: {', '.join(names[:_LISTED])}")
        return place, "", ""
    return find_arena(item.id), item.id, await _match_state(mind, item, state)


async def _find_thing(
    mind: SmallvilleMind, rooms: Sequence[KnownRoom], thing: str
) -> TownThing | None:
    """Find the thing in these rooms that the words mean."""
    things = {item.name: item for room in reversed(rooms) for item in room.things}
    return things.get(await find_like(mind, thing.split("/")[-1], list(things)))


async def _match_state(mind: SmallvilleMind, thing: TownThing, state: str) -> str:
    """Return the state that the words mean for a thing; empty, and noted, where it allows none."""
    if not state.strip():
        return ""
    if thing.free_text:
        exact = (known for known in thing.states if known.casefold() == state.casefold())
        return next(exact, state[:_MOST_WORDS])
    match = await find_like(mind, state, thing.states)
    if not match:
        mind.note_wish(f"{thing.id}: {state!r}; allowed: {', '.join(thing.states[:_LISTED])}")
    return match


async def find_like(mind: SmallvilleMind, words: str, names: Sequence[str]) -> str:
    """Find which of `names` the words mean; empty where they mean none of them."""
    folded = words.casefold().strip()
    exact = next((name for name in names if name.casefold() == folded), "")
    if exact or not folded or not names:
        return exact
    if mind.services.embedder is not None:
        vectors = await mind.services.embed([words, *names])
        scores: list[float] = compare(vectors[:1], vectors[1:])[0].tolist()
        if max(scores) >= LIKE:
            return names[scores.index(max(scores))]
    return find_best_match(words, names)
