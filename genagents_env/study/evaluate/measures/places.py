"""Where people spend their time: by arena, at home and at work, together, and by their routine.

Of a routine the entry in force is the latest begun by the clock, yesterday's last before the first:
as `cognition.routine` reads one. Plans of a mind are not in the record; this is the scenario's
routine alone. It covers every day alike.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genagents_env.scenario import Person
from genagents_env.scenario.schema.scenario import arenas_of
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.talk import compute_evenness
from genagents_env.study.evaluate.run_data import Bools, RunData
from genagents_env.world.places import is_within

TRAVEL = 20 * 60  # game seconds: 120 tiles at the towns' usual 0.1 tiles a second
Floats = npt.NDArray[np.float64]


def count_waking_ticks(data: RunData) -> Floats:
    """Return the ticks that everyone was in each arena and awake: shape (N, arenas)."""
    found: Floats = np.zeros((len(data.names), len(data.arenas)))
    for row, where in enumerate(data.where):
        here = where[data.waking[row] & (where >= 0)]
        found[row] = np.bincount(here, minlength=len(data.arenas))
    return found


def list_homes(data: RunData) -> list[str | None]:
    """Return the sector of everyone's home, None where the scenario has none."""
    found = {person.name: person.home.split("/")[0] for person in data.people}
    return [found.get(name) for name in data.names]


def list_workplaces(data: RunData) -> list[str | None]:
    """Return the sector of everyone's workplace, None without one, or where it is one's home."""
    found = {one.name: one.workplace.split("/")[0] for one in data.people if one.workplace}
    homes = zip(data.names, list_homes(data), strict=True)
    return [None if found.get(name) == home else found.get(name) for name, home in homes]


def find_accompanied(data: RunData) -> Bools:
    """Return who had somebody else in the same arena as each tick ended: shape (N, ticks).

    The open ground between the buildings is no room to be together in.
    """
    found: Bools = np.zeros_like(data.waking)
    for room in data.arenas:
        if room != data.scenario.outside:
            here = data.find_inside(room)
            found |= here & (here.sum(axis=0) > 1)
    return found


_OURS = "descriptive; ours"


@measure("Spread over places", "0..1", "normalised entropy (Shannon 1948; Pielou 1966)")
def place_entropy(data: RunData) -> float | None:
    """The entropy of the waking time of all agents over the arenas, divided by the logarithm of the
    number of arenas of the town, the open ground with them: 0 where all is spent in one, 1 where
    all are used alike. None where nobody was awake.
    """
    arenas = 1 + len(list(arenas_of(data.scenario)))
    return compute_evenness(count_waking_ticks(data).sum(axis=0), arenas)


def _share_in(data: RunData, sectors: list[str | None]) -> float | None:
    """Return which share of the time awake of those who have a sector they were in it."""
    time, of = count_waking_ticks(data), [place.split("/")[0] for place in data.arenas]
    rows = [row for row, sector in enumerate(sectors) if sector is not None]
    here = sum(time[row, k] for row in rows for k, one in enumerate(of) if one == sectors[row])
    return ratio(here, time[rows].sum())


@measure("Time at home", "share", _OURS)
def at_home(data: RunData) -> float | None:
    """Of the time in which agents were awake, the share in the sector of their home. None where
    nobody was awake.
    """
    return _share_in(data, list_homes(data))


@measure("Time at work", "share", _OURS)
def at_work(data: RunData) -> float | None:
    """Of the time in which agents with a workplace that is not their home were awake, the share in
    its sector. None without such an agent awake.
    """
    return _share_in(data, list_workplaces(data))


@measure("Time together", "share", _OURS)
def together(data: RunData) -> float | None:
    """Of the time in which agents were awake, the share with at least one other, asleep or awake,
    in the same arena; the open ground between the buildings is none. None for fewer than two
    agents, and where nobody was awake.
    """
    if len(data.names) < 2:
        return None
    return ratio((find_accompanied(data) & data.waking).sum(), data.waking.sum())


class Appointment(NamedTuple):
    """One stretch in which an entry of somebody's routine was in force, from `first` to `end`.

    `moved`: whether the entry before it had another place.
    """

    agent: str
    place: str
    first: int
    end: int
    moved: bool


def list_appointments(data: RunData) -> tuple[Appointment, ...]:
    """Return everyone's appointments in the time simulated, person by person, in order."""
    people = [person for person in data.people if person.routine] if data.ticks else []
    return tuple(one for person in people for one in _find_appointments(data, person))


def _find_appointments(data: RunData, person: Person) -> Iterator[Appointment]:
    """Yield one's appointments."""
    entries = sorted(person.routine, key=lambda entry: entry.at)
    hours = [entry.at.hour * 3600 + entry.at.minute * 60 + entry.at.second for entry in entries]
    force = (np.searchsorted(hours, data.clock, side="right") - 1) % len(entries)
    edges = [0, *(np.flatnonzero(np.diff(force)) + 1).tolist(), len(force)]
    for first, end in pairwise(edges):
        place, before = entries[force[first]].place, entries[force[first] - 1].place
        yield Appointment(person.name, place, first, end, first > 0 and before != place)


def count_kept_ticks(data: RunData) -> tuple[int, int]:
    """Return the waking ticks spent where the routine says, and those in which one was to be there.

    The first `TRAVEL` seconds of an entry with another place than the one before are left out
    until one has come.
    """
    there = due = 0
    travel = round(TRAVEL / data.meta.seconds_per_tick)
    for one in list_appointments(data):
        row, span = data.row[one.agent], slice(one.first, one.end)
        rooms = [k for k, arena in enumerate(data.arenas) if is_within(arena, one.place)]
        here = np.isin(data.where[row, span], rooms)
        came = int(here.argmax()) if here.any() else len(here)
        begun = min(came, travel) if one.moved else 0
        counted = data.waking[row, span][begun:]
        due, there = due + int(counted.sum()), there + int((counted & here[begun:]).sum())
    return there, due


@measure(
    "Adherence to the routine",
    "share",
    "ours; minds follow plans of their own, which the record does not hold",
)
def adherence(data: RunData) -> float | None:
    """Of the time in which agents with a routine were awake, the share at the place that the
    scenario's routine has one be at by the clock. After a change of place up to 20 game minutes on
    the way are left out. None without such time.
    """
    return ratio(*count_kept_ticks(data))
