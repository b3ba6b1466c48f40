"""How fine a day is: walking, activities begun, things changed and reflections, hour by hour.

Means over the hours in which agents were awake and in town, all agents together; reflections are
over all hours lived. The paper's public code ships a recorded day of three
people that the same can be counted in; `docs/smallville.md` has both side by side.
"""

import re

from genagents_env.scenario.schema.scenario import objects_of
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event

# What somebody shows between two activities: on the way, just arrived, in a talk, doing nothing.
_PASSING = re.compile(
    r"(?:walking|going|heading|turning|talking|chatting) (?:to|up to|with|home)\b"
    r"|at [A-Z]|standing around$|on the way\b|waiting\b|asleep\b|sleeping\b",
)
_REFLECTING = "reflect"  # a faculty's name: the first part of the purpose of its calls


def list_activities(data: RunData) -> tuple[Event, ...]:
    """Return the `doing` events with which an agent that was awake began another activity.

    Walking, talking and doing nothing are none, and what is taken up again after them is no other.
    """
    found: list[Event] = []
    last: dict[str, str] = {}
    for event in data.of_kind("doing"):
        doing = str(event.data["doing"])
        if event.agent not in data.row or _PASSING.match(doing) or last.get(event.agent) == doing:
            continue
        if data.awake[data.row[event.agent], min(event.tick, data.last_tick)]:
            last[event.agent] = doing
            found.append(event)
    return tuple(found)


def list_uses(data: RunData) -> tuple[Event, ...]:
    """Return the `object` events with which an agent began a use of a thing, beds left out.

    The same agent's next change of the thing ends the use where it brings back the state from
    before; what changes further is a further use. So on and off again are one use.
    """
    beds = {one.id for one in objects_of(data.scenario) if one.spec.sleep_state is not None}
    states: dict[str, str] = {}
    before: dict[tuple[str, str], str] = {}  # the state from before an agent's use of a thing
    found: list[Event] = []
    for event in data.of_kind("object"):
        thing, state = str(event.data["object"]), str(event.data["state"])
        if event.agent in data.row and thing not in beds:
            key = event.agent, thing
            if before.get(key) == state:
                del before[key]
            else:
                before[key] = states.get(thing, "")
                found.append(event)
        states[thing] = state
    return tuple(found)


_PER_HOUR = "per agent and waking hour"
_PARK = "ours; beside the recorded day of the public code of Park et al. 2023"


@measure("Time on foot", "share", _PARK)
def walking(data: RunData) -> float | None:
    """Of the time in which agents were awake, the share of ticks in which they changed their tile.
    None where nobody was awake.
    """
    moved = (data.positions[1:] != data.positions[:-1]).any(axis=2).T
    return ratio((moved & data.waking).sum(), data.waking.sum())


@measure("Activities", _PER_HOUR, _PARK)
def activities(data: RunData) -> float | None:
    """Activities begun, by the words that others see, per agent and hour awake. Being on the way,
    talking, sleeping and standing around are none; what is taken up again after them counts once.
    None where nobody was awake.
    """
    return ratio(len(list_activities(data)), data.waking_hours)


@measure("Things used", _PER_HOUR, _PARK)
def things_used(data: RunData) -> float | None:
    """Changes that agents made to the state of a thing, per agent and hour awake. Beds are left
    out, and so is a change by which one brings back the state from before one's last: on and off
    are one use. What the town changes by itself is not counted. None where nobody was awake.
    """
    return ratio(len(list_uses(data)), data.waking_hours)


@measure("Reflections", "per agent and day", _PARK)
def reflections(data: RunData) -> float | None:
    """How often an agent reflected, per agent and day of 24 hours lived: the ticks in which it made
    a model call of the faculty `reflect`, those within ten game minutes of one another as one. None
    before any time has passed.
    """
    return ratio(count_reflections(data), data.agent_hours / 24)


def count_reflections(data: RunData) -> int:
    """Return how often agents reflected; calls within ten game minutes of the last are the same."""
    apart = data.hour / 6
    last: dict[str, int] = {}
    count = 0
    reflecting = (c for c in data.calls if c.purpose.partition(".")[0] == _REFLECTING)
    for call in sorted(reflecting, key=lambda call: call.tick):
        count += call.tick - last.get(call.agent, -(10**9)) > apart
        last[call.agent] = call.tick
    return count
