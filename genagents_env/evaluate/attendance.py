"""Who came to a gathering: was in its place between its start and its end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genagents_env.world.events import Event


@dataclass(frozen=True, slots=True)
class Stay:
    """An agent was in the arena `place` from tick `first` until before tick `end`."""

    agent: str
    place: str
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Visit:
    """Someone's time at a gathering: the first tick there, and ticks spent in all."""

    agent: str
    first: int
    ticks: int


def stays(events: Iterable[Event], last_tick: int) -> list[Stay]:
    """Return where everyone was and when, in the order in which the stays ended.

    Args:
        events: of the run, in order.
        last_tick: of the run; it belongs to the last stays.
    """
    here: dict[str, tuple[str, int]] = {}
    done: list[Stay] = []

    def moved(agent: str, place: str | None, tick: int) -> None:
        before = here.pop(agent, None)
        if before is not None and before[1] < tick:
            done.append(Stay(agent, before[0], before[1], tick))
        if place is not None:
            here[agent] = (place, tick)

    for event in events:
        if event.agent is None:
            continue
        if event.kind in ("start", "arrive", "put", "join"):
            moved(event.agent, event.data["place"], event.tick)
        elif event.kind == "part":
            moved(event.agent, None, event.tick)
    for agent in list(here):
        moved(agent, None, last_tick + 1)
    return done


def visits(whereabouts: Sequence[Stay], place: str, first: int, end: int) -> list[Visit]:
    """Return who was in `place`, or in a room of it, from tick `first` until before tick `end`.

    In the order of coming; one who left and came back is one visit.
    """
    found: dict[str, Visit] = {}
    for stay in sorted(whereabouts, key=lambda stay: (stay.first, stay.agent)):
        begin, over = max(stay.first, first), min(stay.end, end)
        if begin >= over or not within(stay.place, place):
            continue
        before = found.get(stay.agent, Visit(stay.agent, begin, 0))
        found[stay.agent] = Visit(stay.agent, before.first, before.ticks + over - begin)
    return sorted(found.values(), key=lambda visit: (visit.first, visit.agent))


def within(place: str, whole: str) -> bool:
    """Return whether the arena `place` is `whole` or a room of it, or `whole` lies in that arena.

    A gathering at an object counts whoever is in the object's room.
    """
    return place == whole or place.startswith(whole + "/") or whole.startswith(place + "/")
