"""Who met whom, or heard of them, by the record: what makes a claim to know somebody true."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from genagents_env.study.evaluate.claims import names_person
from genagents_env.study.evaluate.interviews import list_hearers
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event

_ABOUT = ("to", "source", "addressed", "members")  # keys of an event that name people


def find_encounters(
    events: Iterable[Event], forms: Mapping[str, Sequence[str]], until: int
) -> set[tuple[str, str]]:
    """Return (agent, other) for each other whom an agent met in words or heard of.

    The other spoke in one's hearing, was spoken of there, was addressed together with one, heard
    one's words, or was in one's conversation.

    Args:
        events: of the run, in order.
        forms: how each of the people may be named.
        until: the last tick that counts.
    """
    found: set[tuple[str, str]] = set()
    for event in events:
        if event.tick > until:
            break
        hearers, involved = list_hearers(event), list_involved(event)
        if not hearers and not involved:
            continue
        speaker = [] if event.agent is None else [event.agent]
        words = event.data.get("text")
        if isinstance(words, str):
            involved += [name for name, own in forms.items() if names_person(words, own)]
        found |= {(agent, other) for agent in hearers for other in (*speaker, *involved)}
        if event.kind == "say":
            found |= {(agent, other) for agent in speaker for other in hearers}
        elif "members" in event.data or event.kind == "learn":
            present = {*speaker, *involved}
            found |= {(agent, other) for agent in present for other in present}
    return {(agent, other) for agent, other in found if agent != other}


def list_involved(event: Event) -> list[str]:
    """Return the people whom the data of an event name."""
    found: list[str] = []
    for key in _ABOUT:
        value = event.data.get(key)
        several = value if isinstance(value, list | tuple) else [value]
        found += [name for name in several if isinstance(name, str)]
    return found


def are_together(data: RunData, agent: str, other: str, until: int) -> bool:
    """Return whether `agent`, awake, was in a room with `other` by the tick `until`.

    The open ground between the buildings is no room: two may be there and far apart.
    """
    if agent not in data.row or other not in data.row:
        return False
    one, two = data.row[agent], data.row[other]
    here, there = data.whereabouts[one, : until + 1], data.whereabouts[two, : until + 1]
    rooms = np.array([place != data.scenario.outside for place in data.arenas], dtype=np.bool_)
    same = (here == there) & (here >= 0) & data.awake[one, : until + 1]
    return bool(rooms[here[same]].any())
