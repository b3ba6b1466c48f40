"""What of a percept the tools go by: who is near, what a scan tells, what the checker knows."""

from genagents_env.cognition.query import Moment
from genagents_env.percept import Percept, Tile

from .checker import ToolScope
from .mind import SimuverseMind


def find_scope(mind: SimuverseMind, moment: Moment) -> ToolScope:
    """Return the people, places and tools that replies are checked against now."""
    percept = moment.percept
    return ToolScope(
        mind.agent,
        mind.name,
        mind.profile.home,
        percept.me.place,
        percept.known,
        tuple(mind.people),
        list_near(mind, percept),
        mind.config.allow_idle,
    )


def list_near(mind: SimuverseMind, percept: Percept) -> tuple[str, ...]:
    """List the people near enough to talk to, the nearest first; sleepers are left out."""
    most = mind.config.talk_range
    return tuple(
        person.name
        for person in percept.people
        if not person.asleep and (not most or person.distance <= most)
    )


def describe_scan(mind: SimuverseMind, percept: Percept) -> list[str]:
    """Return a line for everything within the range of a scan, the nearest first."""
    lines, clock = _list_things(mind, percept), f"{percept.time:%H:%M}"
    reach = mind.config.scan_range
    within = f"{reach} tiles" if reach is not None else "sight"
    if not lines:
        return [f"Your scan at {clock} found nothing within {within}."]
    here = format_tile(percept.me.tile)
    return [f"Your scan at {clock} found within {within}, seen from {here}:", *lines]


def describe_arrival(mind: SimuverseMind, percept: Percept) -> list[str]:
    """Describe the people here, and the few nearest things."""
    here = [one.name for one in percept.people if is_within(one.place, percept.me.place)]
    company = f"Here: {', '.join(here)}." if here else "Nobody else is here."
    things = [
        f"{item.name} ({item.state}), {item.distance} tiles away"
        for item in percept.objects[: mind.config.small_scan]
    ]
    return [company, *([f"Nearest: {'; '.join(things)}."] if things else [])]


def is_within(place: str, whole: str) -> bool:
    """Return True if a place is another, or in it."""
    return f"{place}/".startswith(f"{whole}/")


def format_tile(tile: Tile) -> str:
    """Return the coordinates of a tile."""
    return f"({tile[0]}, {tile[1]})"


def _list_things(mind: SimuverseMind, percept: Percept) -> list[str]:
    reach = mind.config.scan_range
    people = [(one.distance, one.name, one.tile, "person", one.doing) for one in percept.people]
    things = [(one.distance, one.name, one.tile, "thing", one.state) for one in percept.objects]
    return [
        f"{name}, {kind}, {distance} tiles away at {format_tile(tile)}: {state}."
        for distance, name, tile, kind, state in sorted([*people, *things])
        if reach is None or distance <= reach
    ]
