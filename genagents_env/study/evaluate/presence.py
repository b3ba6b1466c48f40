"""Presence over the ticks of a run, by its events: who was where, at a gathering, in a talk."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from genagents_env.world.events import Event
from genagents_env.world.places import is_within


@dataclass(frozen=True, slots=True)
class Stay:
    """An agent was in the arena `place` from tick `first` until before tick `end`."""

    agent: str
    place: str
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Attendance:
    """Someone's time at a gathering: the first tick there, and ticks spent in all."""

    agent: str
    first: int
    ticks: int


@dataclass(frozen=True, slots=True)
class Membership:
    """One agent's time in one conversation.

    Attributes:
        agent: the member.
        conversation: its id in the record.
        first: the tick of joining.
        end: the tick of leaving; None where the record ends before.
    """

    agent: str
    conversation: int
    first: int
    end: int | None


def find_stays(events: Iterable[Event], last_tick: int) -> list[Stay]:
    """Return where everyone was and when, in the order in which the stays ended.

    Args:
        events: of the run, in order.
        last_tick: of the run; it belongs to the last stays.
    """
    here: dict[str, tuple[str, int]] = {}
    done: list[Stay] = []

    def move(agent: str, place: str | None, tick: int) -> None:
        before = here.pop(agent, None)
        if before is not None and before[1] < tick:
            done.append(Stay(agent, before[0], before[1], tick))
        if place is not None:
            here[agent] = (place, tick)

    for event in events:
        if event.agent is None:
            continue
        if event.kind in ("start", "arrive", "put", "join"):
            move(event.agent, event.data["place"], event.tick)
        elif event.kind == "part":
            move(event.agent, None, event.tick)
    for agent in list(here):
        move(agent, None, last_tick + 1)
    return done


def find_visits(whereabouts: Sequence[Stay], place: str, first: int, end: int) -> list[Attendance]:
    """Return who was in `place`, or in a room of it, from tick `first` until before tick `end`.

    In the order of coming; one who left and came back is one visit.
    """
    found: dict[str, Attendance] = {}
    for stay in sorted(whereabouts, key=lambda stay: (stay.first, stay.agent)):
        begin, over = max(stay.first, first), min(stay.end, end)
        if begin >= over or not is_within(stay.place, place):
            continue
        before = found.get(stay.agent, Attendance(stay.agent, begin, 0))
        found[stay.agent] = Attendance(stay.agent, before.first, before.ticks + over - begin)
    return sorted(found.values(), key=lambda visit: (visit.first, visit.agent))


def find_memberships(events: Iterable[Event]) -> tuple[Membership, ...]:
    """Return everyone's time in every conversation, in the order of joining."""
    found: list[Membership] = []
    inside: dict[tuple[str, int], int] = {}  # who is in which conversation: the place in `found`
    for event in events:
        if event.agent is None or event.kind not in ("converse", "leave"):
            continue
        conversation = event.data["conversation"]
        key = event.agent, conversation
        if event.kind == "converse":
            inside[key] = len(found)
            found.append(Membership(event.agent, conversation, event.tick, None))
        elif key in inside:
            at = inside.pop(key)
            found[at] = replace(found[at], end=event.tick)
    return tuple(found)
