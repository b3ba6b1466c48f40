"""What the record tells of people beside where they were: facts they knew, things they changed."""

from functools import partial

from genagents_env.scenario.schema import ObjectCheck
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Deed, Event, follow_deed
from genagents_env.world.places import is_within


def find_present(data: RunData, place: str, tick: int) -> frozenset[str]:
    """Return who was in a place, or in a room of it, as the tick ended."""
    return frozenset(
        stay.agent
        for stay in data.stays
        if stay.first <= tick < stay.end and is_within(stay.place, place)
    )


def find_knowers(data: RunData, fact: str, tick: int) -> frozenset[str]:
    """Return who knew the fact when the tick ended: from the start, or having heard it by then."""
    known = next((one.known_by for one in data.scenario.facts if one.id == fact), ())
    heard = {
        event.agent
        for event in data.of_kind("learn")
        if event.tick <= tick and event.agent is not None and event.data["fact"] == fact
    }
    return frozenset({name for name in known if name in data.row} | heard)


def find_bringers(data: RunData, check: ObjectCheck, tick: int) -> frozenset[str]:
    """Return who had brought the check's object into the state that it had when the tick ended.

    Nobody where it has another state, where it was so from the start, or where an intervention or
    one of the people who must not see it had a part: see `ObjectCheck`.
    """
    last: Deed | None = None
    for event in data.of_kind("object"):
        if event.tick <= tick:
            last = follow_deed(check, last, event, partial(_was_there, data, event))
    if last is None or last.agent is None or last.state != check.state:
        return frozenset()
    return frozenset({last.agent})


def _was_there(data: RunData, done: Event, name: str) -> bool:
    """Return whether somebody was awake in the arena of an object as the tick of its use ended."""
    arena = str(done.data["object"]).rpartition("/")[0]
    here = data.find_arena(name, done.tick) == arena
    return here and bool(data.awake[data.row[name], done.tick])
