"""Whether people are where their routine has them be: by the clock, with time to get there.

The entry in force is the latest begun by the clock, yesterday's last before the first: as
`cognition.routine` reads one. Plans of a mind are not in the record; this is the scenario's routine
alone. It covers every day alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import numpy as np

from genagents_env.scenario import Person
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import Bools, RunData
from genagents_env.world.places import is_within

TRAVEL = 20 * 60  # game seconds: 120 tiles at the towns' usual 0.1 tiles a second


@dataclass(frozen=True, slots=True)
class Appointment:
    """One stretch in which an entry of somebody's routine was in force.

    Attributes:
        agent: whose.
        place: where the entry has one be.
        first: the tick at which it began.
        end: the tick before which it was over; one past the last of a record that ends before.
        came: the first tick in it at the place; None for never.
        awake: whether one was awake in any of its ticks.
        whole: whether both its ends are in the record.
        moved: whether the entry before it had another place.
    """

    agent: str
    place: str
    first: int
    end: int
    came: int | None
    awake: bool
    whole: bool
    moved: bool


def list_appointments(data: RunData) -> tuple[Appointment, ...]:
    """Return everyone's appointments in the time simulated, person by person, in order."""
    return tuple(one for person in _list_people(data) for one in _find_appointments(data, person))


def _list_people(data: RunData) -> list[Person]:
    """Return who has a routine; nobody before any time has passed."""
    return [person for person in data.people if person.routine] if data.ticks else []


def _find_appointments(data: RunData, person: Person) -> Iterator[Appointment]:
    """Yield one's appointments."""
    entries = sorted(person.routine, key=lambda entry: entry.at)
    hours = [entry.at.hour * 3600 + entry.at.minute * 60 + entry.at.second for entry in entries]
    force = (np.searchsorted(hours, data.clock, side="right") - 1) % len(entries)
    awake = data.awake[data.row[person.name]]
    edges = [0, *(np.flatnonzero(np.diff(force)) + 1).tolist(), len(force)]
    for first, end in pairwise(edges):
        entry, before = entries[force[first]], entries[force[first] - 1]
        came = np.flatnonzero(_find_presence(data, person.name, entry.place)[first:end])
        yield Appointment(
            person.name,
            entry.place,
            first,
            end,
            first + int(came[0]) if came.size else None,
            bool(awake[first:end].any()),
            first > 0 and end < len(force),
            first > 0 and before.place != entry.place,
        )


def _find_presence(data: RunData, agent: str, place: str) -> Bools:
    """Return at which ticks one was in a place, or in a room of it: shape (ticks,)."""
    rooms = [k for k, arena in enumerate(data.arenas) if is_within(arena, place)]
    found: Bools = np.isin(data.where[data.row[agent]], rooms)
    return found


def count_kept_ticks(data: RunData) -> tuple[int, int]:
    """Return the waking ticks spent where the routine says, and those in which one was to be there.

    The first `TRAVEL` seconds of an entry with another place than the one before are left out
    until one has come.
    """
    there = due = 0
    travel = round(TRAVEL / data.meta.seconds_per_tick)
    for one in list_appointments(data):
        until = one.end if one.came is None else one.came
        first = min(until, one.first + travel) if one.moved else one.first
        counted = data.waking[data.row[one.agent], first : one.end]
        here = _find_presence(data, one.agent, one.place)[first : one.end]
        due, there = due + int(counted.sum()), there + int((counted & here).sum())
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


def _list_changes(data: RunData) -> list[Appointment]:
    return [one for one in list_appointments(data) if one.moved and one.awake]


@measure("Lateness", "game minutes", "ours")
def lateness(data: RunData) -> float | None:
    """The mean time from the hour at which the routine changes the place until its agent is there,
    over the changes after which it came while the entry was in force; 0 for one who was there
    before. None without one.
    """
    minute = 60 / data.meta.seconds_per_tick
    late = [(one.came - one.first) / minute for one in _list_changes(data) if one.came is not None]
    return fmean(late) if late else None


@measure("Missed appointments", "share", "ours")
def missed(data: RunData) -> float | None:
    """Of the entries of the routine that change the place, lie wholly in the time lived and found
    their agent awake, the share in which it never was at the place that the scenario's routine has
    one be at by the clock. None without one.
    """
    whole = [one for one in _list_changes(data) if one.whole]
    return ratio(sum(one.came is None for one in whole), len(whole))
