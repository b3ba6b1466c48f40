"""Here and now: the sections with which every prompt's data begins.

They have date and clock, place, people nearby and what they do: only what is perceived.
"""

import re
from datetime import datetime

from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import JSONValue
from genagents_env.percept import Percept, SeenObject, SeenPerson

NOW, HERE = "now", "here"  # the names of its sections
_QUOTED = re.compile(r"((?<!\w)'[^']*'(?!\w))")
_COMPANY = 12  # people named at most, the nearest


def format_date(time: datetime) -> str:
    """Return a day as people write it: Monday 13 February 2023."""
    return f"{time:%A} {time.day} {time:%B %Y}"


def format_clock(time: datetime) -> str:
    """Return a moment: Monday 13 February 2023, 08:00."""
    return f"{format_date(time)}, {time:%H:%M}"


def format_moment(time: datetime) -> str:
    """Return a moment in few characters, as it stands on a memory: Mon 13 Feb 08:00."""
    return f"{time:%a} {time.day} {time:%b} {time:%H:%M}"


def describe_now(time: datetime, place: str) -> Section:
    """Return the section of time and place; without the place where it is empty."""
    where: list[JSONValue] = [["you are at", place]] if place else []
    return Section(NOW, [["now", format_clock(time)], *where])


def describe_here_and_now(percept: Percept) -> list[Section]:
    """Return the sections of time, place, and people nearby, the nearest first."""
    if percept.me.asleep:
        now = describe_now(percept.time, percept.me.place)
        return [Section(NOW, [*now.lines, ["you are", "asleep"]])]
    people: list[JSONValue] = [
        ["here with you", person.name, _describe_doing(percept, person)]
        for person in percept.people[:_COMPANY]
    ]
    if more := len(percept.people) - _COMPANY:
        people += [["here with you", f"{more} others"]] if more > 0 else []
    return [
        describe_now(percept.time, percept.me.place),
        Section(HERE, people or [["here with you", "nobody"]]),
    ]


def _describe_doing(percept: Percept, seen: SeenPerson) -> str:
    """Return somebody's activity, with the observer's name as "you", unless it is quoted."""
    if seen.asleep:
        return "asleep"
    name = re.escape(percept.me.name)
    if not name:
        return seen.doing
    parts = _QUOTED.split(seen.doing)
    for at in range(0, len(parts), 2):
        owned = re.sub(rf"\b{name}['\u2019]s\b", "your", parts[at])
        parts[at] = re.sub(rf"\b{name}\b", "you", owned)
    return "".join(parts)


def find_person(percept: Percept, name: str) -> SeenPerson | None:
    """Find somebody in sight by name."""
    return next((seen for seen in percept.people if seen.name == name), None)


def find_object(percept: Percept, object_id: str) -> SeenObject | None:
    """Find an object in sight by its id."""
    return next((item for item in percept.objects if item.id == object_id), None)
