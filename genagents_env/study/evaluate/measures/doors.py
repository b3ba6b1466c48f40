"""At the doors of places with rules: who is turned away, who waits there, who overstays.

Three failures of Park et al. 2023, section 7.2: a bathroom for one that two enter, a store entered
after it closed, a bar visited at noon. The town refuses the first two, so what is counted are the
attempts, the waiting before the door, and what closing time leaves inside. Nobody forbids
the third.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.town import try_lay_out
from genagents_env.study.evaluate.measure import measure
from genagents_env.study.evaluate.measures.activities import (
    find_stretches,
    list_objects,
    load_customs,
)
from genagents_env.study.evaluate.measures.norms import (
    NormAttempt,
    RuledPlace,
    find_attempts,
    find_closed_ticks,
    find_minutes,
    find_residents,
)
from genagents_env.study.evaluate.measures.places import get_arena_id
from genagents_env.study.evaluate.presence import Bools
from genagents_env.study.evaluate.run_data import RunData

NEAR = 2  # tiles from a place within which one stands before it
NOON = (12 * 60, 14 * 60)  # minutes of the day
_BAR, _DRINKING = "pub", "drinking"  # in `activities.toml`


def list_limited_places(data: RunData) -> list[RuledPlace]:
    """Return the arenas with a capacity of their own, or of their sector."""
    return [
        place
        for place in _list_places(data)
        if place.arena.capacity is not None or place.sector.capacity is not None
    ]


def list_timed_places(data: RunData) -> list[RuledPlace]:
    """Return the arenas with opening hours of their own, or of their sector."""
    return [place for place in _list_places(data) if place.arena.hours or place.sector.hours]


def _list_places(data: RunData) -> list[RuledPlace]:
    return [
        RuledPlace(get_arena_id(sector, arena), sector, arena)
        for sector in data.scenario.sectors
        for arena in sector.arenas
    ]


def find_waits(data: RunData) -> Iterator[tuple[NormAttempt, int]]:
    """Yield the attempts made close to a closed or full place, and for how many ticks one waited.

    One waits until one is inside, or further from where one was refused than `NEAR` tiles. Nothing
    where the town of the record cannot be laid out.
    """
    attempts = [one for one in find_attempts(data) if one.kind in ("closed", "full")]
    plan = try_lay_out(data.scenario)[0] if attempts else None
    if plan is None:
        return
    until = dict[str, int]()
    for attempt in attempts:
        if attempt.tick < until.get(attempt.agent, 0) or not _is_before(data, plan, attempt):
            continue
        until[attempt.agent] = _find_end(data, attempt)
        yield attempt, until[attempt.agent] - attempt.tick


def _is_before(data: RunData, plan: TownPlan, attempt: NormAttempt) -> bool:
    """Return whether one was refused at most `NEAR` tiles from the place."""
    ids = [plan.arena_id(arena) for arena in range(len(plan.arenas))]
    if attempt.place not in ids:
        return False
    x, y = data.positions[attempt.tick, data.row[attempt.agent]].tolist()
    around = plan.arena[max(0, y - NEAR) : y + NEAR + 1, max(0, x - NEAR) : x + NEAR + 1]
    return bool((around == ids.index(attempt.place)).any())


def _find_end(data: RunData, attempt: NormAttempt) -> int:
    """Return the tick at which one who was refused is inside, or has gone away."""
    row, first = data.row[attempt.agent], attempt.tick
    tiles = data.positions[first : data.ticks, row].astype(np.int64)
    gone = np.abs(tiles - tiles[:1]).max(axis=1) > NEAR if len(tiles) else np.zeros(0, np.bool_)
    if attempt.place in data.arenas:
        gone |= data.whereabouts[row, first : data.ticks] == data.arenas.index(attempt.place)
    ends = np.flatnonzero(gone)
    return first + int(ends[0]) if ends.size else max(first, data.ticks)


def find_noon_guests(data: RunData) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return who was awake in a bar between twelve and two, and which of them showed a drink.

    Those who live or work there are no guests. None where the run has no such time.
    """
    minutes = find_minutes(data)
    noon: Bools = (minutes >= NOON[0]) & (minutes < NOON[1])
    if not noon.any():
        return None
    customs, things = load_customs(), list_objects(data)
    there: Bools = np.zeros((len(data.names), data.ticks), dtype=np.bool_)
    for place in _list_places(data):
        if place.id in data.arenas and _BAR in customs.kinds_of(place.id, things.get(place.id, ())):
            here = data.whereabouts[:, : data.ticks] == data.arenas.index(place.id)
            there |= here & ~find_residents(data, place)[:, None]
    there &= noon & data.awake[:, : data.ticks]
    drinking: Bools = np.zeros_like(there)
    for agent, stretches in find_stretches(data).items():
        for stretch in stretches:
            activity = customs.activity(stretch.doing)
            if agent in data.row and activity is not None and activity.name == _DRINKING:
                drinking[data.row[agent], stretch.first : stretch.end] = True
    return _list_names(data, there), _list_names(data, there & drinking)


def _list_names(data: RunData, ticks: Bools) -> frozenset[str]:
    return frozenset(name for name, row in data.row.items() if ticks[row].any())


def _count_attempts(
    data: RunData, kind: str, places: Iterable[RuledPlace]
) -> dict[str, float | None]:
    found = [one.place for one in find_attempts(data) if one.kind == kind]
    return _settle(data, {place.id: float(found.count(place.id)) for place in places})


def _settle(data: RunData, found: Mapping[str, float]) -> dict[str, float | None]:
    """Return the numbers; None for each before any time has passed."""
    return {key: value if data.ticks else None for key, value in found.items()}


def _as_minutes(data: RunData, ticks: float) -> float:
    return ticks * data.meta.seconds_per_tick / 60


_PARK = "counts a failure named in Park et al. 2023, section 7.2; the count is ours"


@measure("Attempts to enter a full place", "attempts", _PARK)
def refused_full(data: RunData) -> dict[str, float | None]:
    """How often somebody was turned away since a place held as many people as it may, for each
    place with a capacity; the same refusal of the same agent again within five game minutes is the
    same attempt. None before any time has passed.
    """
    return _count_attempts(data, "full", list_limited_places(data))


@measure("Attempts to enter a closed place", "attempts", _PARK)
def refused_closed(data: RunData) -> dict[str, float | None]:
    """How often somebody was turned away since a place was closed, on the way or at its door, for
    each place with opening hours; the same refusal of the same agent again within five game minutes
    is the same attempt. None before any time has passed.
    """
    return _count_attempts(data, "closed", list_timed_places(data))


@measure("Waiting before a closed or full place", "game minutes", _PARK)
def before_door(data: RunData) -> dict[str, float | None]:
    """The time that people, all together, stood before a place that turned them away: from a
    refusal at most 2 tiles from it until they were inside, or more than 2 tiles from where they
    were refused. For each place with opening hours or a capacity. None before any time has passed.
    """
    waits = [(attempt.place, ticks) for attempt, ticks in find_waits(data)]
    places = dict.fromkeys(p.id for p in (*list_limited_places(data), *list_timed_places(data)))
    found = {id_: _as_minutes(data, sum(n for at, n in waits if at == id_)) for id_ in places}
    return _settle(data, found)


@measure("Time inside after closing", "game minutes", _PARK)
def after_hours(data: RunData) -> dict[str, float | None]:
    """The time that people, all together, were awake in a place while it was closed, but for those
    who live or work in its sector, for each place with opening hours: closing time keeps people out
    and not in. None before any time has passed.
    """
    found: dict[str, float] = {}
    for place in list_timed_places(data):
        inside = _find_inside(data, place) & ~find_residents(data, place)[:, None]
        found[place.id] = _as_minutes(data, float((inside & find_closed_ticks(data, place)).sum()))
    return _settle(data, found)


@measure("Time over capacity", "game minutes", _PARK)
def overcrowded(data: RunData) -> dict[str, float | None]:
    """The time in which a place held more people awake than it may, for each place with a capacity
    of its own. The town lets nobody in who would be too many: what is left are interventions. None
    before any time has passed.
    """
    found: dict[str, float] = {}
    for place in list_limited_places(data):
        if place.arena.capacity is not None:
            inside = _find_inside(data, place).sum(axis=0)
            found[place.id] = _as_minutes(data, float((inside > place.arena.capacity).sum()))
    return _settle(data, found)


def _find_inside(data: RunData, place: RuledPlace) -> Bools:
    """Return who was awake in a place: shape (N, ticks)."""
    if place.id not in data.arenas:
        return np.zeros((len(data.names), data.ticks), dtype=np.bool_)
    here: Bools = data.whereabouts[:, : data.ticks] == data.arenas.index(place.id)
    return here & data.awake[:, : data.ticks]


@measure("In a bar at noon", "people", _PARK)
def bar_at_noon(data: RunData) -> dict[str, float | None]:
    """How many people were awake in a bar (a place of the kind `pub` of `activities.toml`) between
    twelve and two without living or working there (`came`), and how many of them showed there that
    they drank something of the evening (`drank`, the activity `drinking`). None where no tick of
    the run is between twelve and two.
    """
    guests = find_noon_guests(data)
    if guests is None:
        return {"came": None, "drank": None}
    came, drank = guests
    return {"came": float(len(came)), "drank": float(len(drank))}
