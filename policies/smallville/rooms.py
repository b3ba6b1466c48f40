"""What the agent knows of the town: rooms, when they are open, and what stands in them.

At the start it is what the profile says; later also what was seen on the way. Sentences of it stand
in plans, so that a place can be thought of before it is needed. Source: Park et al. 2023, section
5.1: the environment tree that each agent knows, put into words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from genagents_env.cognition.sections import REMEMBERED, Section
from genagents_env.llm.calls import JSONValue
from genagents_env.scenario.plan import Hours

from .mind import BelievedObject, SmallvilleMind

TOWN = "town"  # the name of its section
_MINUTES = 1440  # of a day


@dataclass(frozen=True, slots=True)
class KnownThing:
    """A thing that the agent may use: the states it can have, and whether any words will do."""

    id: str
    name: str
    states: tuple[str, ...]
    free_text: bool = False


@dataclass(frozen=True, slots=True)
class KnownRoom:
    """A room, or a piece of open ground, that the agent may enter.

    `common`: everybody knows it; `own`: the agent lives or works in the building, so that its
    `hours` do not bind.
    """

    id: str
    common: bool
    own: bool
    hours: tuple[Hours, ...] = ()
    things: tuple[KnownThing, ...] = ()

    @property
    def sector(self) -> str:
        """The building."""
        return self.id.split("/")[0]

    @property
    def name(self) -> str:
        """What it is called within the building."""
        return self.id.split("/")[-1]

    def is_open(self, minute: int) -> bool:
        """Return whether the agent can get in at that minute of a day."""
        return self.own or not self.hours or any(h.contains(minute) for h in self.hours)


def list_rooms(mind: SmallvilleMind, known: Sequence[str]) -> list[KnownRoom]:
    """Return the rooms that the agent knows and may enter, as far as it knows, in order.

    Args:
        mind: whose.
        known: the ids of the places it knows of, of rooms and of buildings.
    """
    told = {place.id: place for place in mind.profile.town}
    whole = {place.rpartition("/")[0] for place in known}
    own = {ref.split("/")[0] for ref in (mind.profile.home, mind.profile.workplace) if ref}
    seen: dict[str, list[KnownThing]] = {}
    for id_, item in mind.objects.items():
        seen.setdefault(id_.rpartition("/")[0], []).append(_make_thing(id_, item))
    rooms: list[KnownRoom] = []
    for id_ in known:
        place = told.get(id_)
        if id_ in whole or (place is not None and not place.admits):
            continue
        if told and place is None and "/" not in id_ and id_ not in seen:
            continue  # the open ground between the buildings
        things = (
            [KnownThing(t.id, t.name, t.states, t.free_text) for t in place.things] if place else []
        )
        ids = {thing.id for thing in things}
        things += [t for t in seen.get(id_, ()) if t.id not in ids and (t.states or t.free_text)]
        things = [_leave_out_sleep(mind, thing) for thing in things]
        common, hours = (place.common, place.hours) if place else (False, ())
        rooms.append(KnownRoom(id_, common, id_.split("/")[0] in own, hours, tuple(things)))
    return rooms


def _make_thing(id_: str, item: BelievedObject) -> KnownThing:
    return KnownThing(id_, item.name, tuple(item.states), item.free_text)


def _leave_out_sleep(mind: SmallvilleMind, thing: KnownThing) -> KnownThing:
    """Return a thing without the state in which the agent sleeps: one sleeps by one's plan."""
    bed = mind.profile.sleeps_in
    if bed is None or bed[0] != thing.id:
        return thing
    return replace(thing, states=tuple(state for state in thing.states if state != bed[1]))


def describe_town(mind: SmallvilleMind, known: Sequence[str]) -> Section:
    """Return what the agent knows of the town: a sentence for each building, its own ones first."""
    buildings: dict[str, list[KnownRoom]] = {}
    for room in list_rooms(mind, known):
        buildings.setdefault(room.sector, []).append(room)
    home, work = mind.profile.home.split("/")[0], (mind.profile.workplace or "").split("/")[0]
    order = sorted(buildings, key=lambda name: (name != home, name != work))
    lines: list[JSONValue] = []
    for name in order:
        head = "your home" if name == home else "your work" if name == work else "in town"
        lines.append([head, format_building(buildings[name], brief=mind.services.prompts.small)])
    return Section(TOWN, lines, REMEMBERED)


def format_building(rooms: Sequence[KnownRoom], *, brief: bool = False) -> str:
    """Return a sentence about a building: when it is open, which rooms it has, and what is there.

    Args:
        rooms: of one building, at least one.
        brief: leave out the rooms and their things.
    """
    name, spans = rooms[0].sector, {room.hours for room in rooms}
    whole = spans.pop() if len(spans) == 1 else ()
    begin = f"{name}, open {format_hours(whole)}" if whole else name
    if brief:
        return begin
    if len(rooms) == 1 and rooms[0].id == name:
        return f"{begin}: {_list_names(rooms[0])}." if rooms[0].things else f"{begin}."
    parts = [
        f"{room.name}{f', open {format_hours(room.hours)},' if room.hours and not whole else ''}"
        f"{f' ({_list_names(room)})' if room.things else ''}"
        for room in rooms
    ]
    return f"{begin}: {'; '.join(parts)}."


def format_hours(hours: Iterable[Hours]) -> str:
    """Return opening times in words."""
    return " and ".join(str(one) for one in hours)


def _list_names(room: KnownRoom) -> str:
    return ", ".join(thing.name for thing in room.things)
