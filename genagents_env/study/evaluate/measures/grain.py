"""How fine a day is: walking, activities begun, things changed and reflections, hour by hour.

Means over the hours in which agents were awake and in town, all agents together; reflections are
over all hours lived. The paper's public code ships a recorded day of three
people that the same can be counted in; `docs/smallville.md` has both side by side.
"""

import re
from dataclasses import dataclass

from genagents_env.scenario.schema.scenario import objects_of
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData, once_per_run
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


@dataclass(frozen=True, slots=True)
class Crowding:
    """Counts over a run.

    Attributes:
        detours: how often somebody went round another.
        swaps: how often two changed places, since one of them could not go round.
        asides: how often people moved up to let somebody in.
        waited: game seconds for which they had waited who then got past.
    """

    detours: int
    swaps: int
    asides: int
    waited: int


@once_per_run
def compute_crowding(data: RunData) -> Crowding | None:
    """Return the counts; None where people are not in one another's way (`rules.bodies_block`)."""
    if not data.scenario.rules.bodies_block:
        return None
    swaps, asides = data.of_kind("swap"), data.of_kind("aside")
    waited = sum(int(event.data["waited"]) for event in (*swaps, *asides))
    return Crowding(len(data.of_kind("detour")), len(swaps), len(asides), waited)


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


@measure("Changes of place", "per agent and game hour", "descriptive; ours")
def swaps(data: RunData) -> float | None:
    """How often two agents of whom one was in the other's way changed places after a wait, per
    agent and game hour. None where people are not in one another's way, and before any time has
    passed.
    """
    found = compute_crowding(data)
    return None if found is None else ratio(found.swaps, data.agent_hours)


@measure("Waiting for others", "seconds per agent and game hour", "descriptive; ours")
def waits(data: RunData) -> float | None:
    """Game seconds for which agents had waited when they got past others by a change of place or
    since these moved up, per agent and game hour. None where people are not in one another's way,
    and before any time has passed.
    """
    found = compute_crowding(data)
    return None if found is None else ratio(found.waited, data.agent_hours)
