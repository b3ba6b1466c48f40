"""Whether people are where their routine has them be: by the clock, with time to get there.

The entry in force is the latest begun by the clock, yesterday's last before the first: as
`cognition.routine` reads one. Plans of a mind are not in the record; this is the scenario's routine
alone. It covers every day alike.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from genagents_env.scenario import Person
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.places import is_within

TRAVEL = 20 * 60  # game seconds: 120 tiles at the towns' usual 0.1 tiles a second


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
