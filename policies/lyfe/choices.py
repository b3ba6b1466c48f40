"""The lines of a prompt from which one chooses: who is near, where one may go, whom one may seek.

Each begins with its name, as a reply gives it back; what the agent knows of it follows.
"""

from genagents_env.cognition.query import Moment
from genagents_env.llm.calls import JSONValue

from . import places
from .mind import LyfeMind
from .states import describe_tie

STRANGER = "a name only; perhaps not in town"
MISSED = "not found"
_THINGS = 4  # of a place


def describe_near(mind: LyfeMind, name: str) -> JSONValue:
    """Return the line of somebody who is near."""
    return _join("near", name, [describe_tie(mind, name)])


def describe_place(mind: LyfeMind, name: str, moment: Moment) -> JSONValue:
    """Return the line of a place: what it is to the agent, its hours, its rooms, things in it."""
    if mind.services.prompts.small:
        return ["place", name]
    parts = [place for place in mind.profile.town if f"{place.id}/".startswith(f"{name}/")]
    hours = dict.fromkeys(str(one) for place in parts for one in place.hours)
    things = dict.fromkeys(thing.name for place in parts for thing in place.things)
    rooms = [room for room in places.list_rooms(moment).get(name, ()) if room != name]
    return _join(
        "place",
        name,
        [
            _describe_own("your work", mind.profile.workplace, name),
            _describe_own("your home", mind.profile.home, name),
            f"open {', '.join(hours)}" if hours else "",
            f"rooms: {', '.join(rooms)}" if rooms else "",
            ", ".join(list(things)[:_THINGS]),
        ],
    )


def describe_absent(mind: LyfeMind, name: str) -> JSONValue:
    """Return the line of somebody absent: who it is, where last seen, whether sought in vain."""
    stranger = _describe_stranger(mind, name)
    if mind.services.prompts.small:
        return _join("person", name, [stranger])
    tie = describe_tie(mind, name)
    seen, missed = mind.seen.get(name), mind.missed.get(name)
    return _join(
        "person",
        name,
        [
            tie,
            stranger,
            f"last seen {mind.services.format_clock(seen[1])} at {seen[0]}" if seen else "",
            f"{MISSED} {mind.services.format_clock(missed)}" if missed is not None else "",
        ],
    )


def _describe_stranger(mind: LyfeMind, name: str) -> str:
    """Describe how the agent knows a mere name; empty for people whom it knows."""
    if name not in mind.named:
        return ""
    speaker = mind.named_by.get(name, "")
    return f"{STRANGER}; heard from {speaker}" if speaker else STRANGER


def _join(head: str, name: str, parts: list[str]) -> JSONValue:
    about = "; ".join(part for part in parts if part)
    return [head, name, about] if about else [head, name]


def _describe_own(what: str, place: str | None, name: str) -> str:
    """Describe a place that is the agent's own: "your home is flat 5" of that house."""
    if place is None or _find_sector(place) != _find_sector(name):
        return ""
    room = place.removeprefix(name).strip("/")
    return f"{what} is {room}" if room else what


def _find_sector(place: str | None) -> str:
    return (place or "").split("/")[0]
