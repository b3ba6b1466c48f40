"""At the doors of places with rules: who is turned away, who waits there, who overstays.

Three failures of Park et al. 2023, section 7.2: a bathroom for one that two enter, a store entered
after it closed, a bar visited at noon. The town refuses the first two, so what is counted are the
attempts, the waiting before the door, and what closing time leaves inside. Nobody forbids
the third.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema.scenario import ArenaPart, arenas_of
from genagents_env.scenario.town import try_lay_out
from genagents_env.study.evaluate.measure import measure
from genagents_env.study.evaluate.measures.activities import load_customs
from genagents_env.study.evaluate.measures.norms import (
    NormAttempt,
    find_attempts,
    find_closed_ticks,
    find_residents,
)
from genagents_env.study.evaluate.run_data import Bools, RunData

NEAR = 2  # tiles from a place within which one stands before it
NOON = (12 * 60, 14 * 60)  # minutes of the day
_BAR, _DRINKING = "pub", "drinking"  # in `activities.toml`


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
    gone |= data.find_inside(attempt.place)[row, first:]
    ends = np.flatnonzero(gone)
    return first + int(ends[0]) if ends.size else max(first, data.ticks)


def find_noon_guests(data: RunData) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return who was awake in a bar between twelve and two, and which of them showed a drink.

    Those who live or work there are no guests. None where the run has no such time.
    """
    minutes = data.clock // 60
    noon: Bools = (minutes >= NOON[0]) & (minutes < NOON[1])
    if not noon.any():
        return None
    customs = load_customs()
    there: Bools = np.zeros_like(data.waking)
    for place in arenas_of(data.scenario):
        if _BAR in customs.kinds_of(place.id, [thing.name for thing in place.spec.objects]):
            there |= data.find_inside(place.id) & ~find_residents(data, place)[:, None]
    there &= noon & data.waking
    drinking: Bools = np.zeros_like(there)
    for agent, doing, first, end in data.doings:
        activity = customs.activity(doing)
        if agent in data.row and activity is not None and activity.name == _DRINKING:
            drinking[data.row[agent], first:end] = True
    return _list_names(data, there), _list_names(data, there & drinking)


def _list_names(data: RunData, ticks: Bools) -> frozenset[str]:
    return frozenset(name for name, row in data.row.items() if ticks[row].any())


def _list_limited(data: RunData) -> list[ArenaPart]:
    """Return the arenas with a capacity of their own, or of their sector."""
    return [
        place
        for place in arenas_of(data.scenario)
        if place.spec.capacity is not None or place.sector.capacity is not None
    ]


def _list_timed(data: RunData) -> list[ArenaPart]:
    """Return the arenas with opening hours of their own, or of their sector."""
    return [one for one in arenas_of(data.scenario) if one.spec.hours or one.sector.hours]


def _count_attempts(
    data: RunData, kind: str, places: Iterable[ArenaPart]
) -> dict[str, float | None]:
    found = [one.place for one in find_attempts(data) if one.kind == kind]
    return {place.id: found.count(place.id) if data.ticks else None for place in places}


def _as_minutes(data: RunData, ticks: Mapping[str, int]) -> dict[str, float | None]:
    """Return ticks as game minutes; None for each before any time has passed."""
    second = data.meta.seconds_per_tick
    return {key: n * second / 60 if data.ticks else None for key, n in ticks.items()}


_PARK = "counts a failure named in Park et al. 2023, section 7.2; the count is ours"


@measure("Attempts to enter a full place", "attempts", _PARK)
def refused_full(data: RunData) -> dict[str, float | None]:
    """How often somebody was turned away since a place held as many people as it may, for each
    place with a capacity; the same refusal of the same agent again within five game minutes is the
    same attempt. None before any time has passed.
    """
    return _count_attempts(data, "full", _list_limited(data))


@measure("Attempts to enter a closed place", "attempts", _PARK)
def refused_closed(data: RunData) -> dict[str, float | None]:
    """How often somebody was turned away since a place was closed, on the way or at its door, for
    each place with opening hours; the same refusal of the same agent again within five game minutes
    is the same attempt. None before any time has passed.
    """
    return _count_attempts(data, "closed", _list_timed(data))


@measure("Waiting before a closed or full place", "game minutes", _PARK)
def before_door(data: RunData) -> dict[str, float | None]:
    """The time that people, all together, stood before a place that turned them away: from a
    refusal at most 2 tiles from it until they were inside, or more than 2 tiles from where they
    were refused. For each place with opening hours or a capacity. None before any time has passed.
    """
    waits = [(attempt.place, ticks) for attempt, ticks in find_waits(data)]
    places = dict.fromkeys(p.id for p in (*_list_limited(data), *_list_timed(data)))
    return _as_minutes(data, {id_: sum(n for at, n in waits if at == id_) for id_ in places})


@measure("Time inside after closing", "game minutes", _PARK)
def after_hours(data: RunData) -> dict[str, float | None]:
    """The time that people, all together, were awake in a place while it was closed, but for those
    who live or work in its sector, for each place with opening hours: closing time keeps people out
    and not in. None before any time has passed.
    """
    found: dict[str, int] = {}
    for place in _list_timed(data):
        guests = data.find_inside(place.id) & data.waking & ~find_residents(data, place)[:, None]
        found[place.id] = int((guests & find_closed_ticks(data, place)).sum())
    return _as_minutes(data, found)


@measure("Time over capacity", "game minutes", _PARK)
def overcrowded(data: RunData) -> dict[str, float | None]:
    """The time in which a place held more people awake than it may, for each place with a capacity
    of its own. The town lets nobody in who would be too many: what is left are interventions. None
    before any time has passed.
    """
    found: dict[str, int] = {}
    for place in _list_limited(data):
        if place.spec.capacity is not None:
            inside = (data.find_inside(place.id) & data.waking).sum(axis=0)
            found[place.id] = int((inside > place.spec.capacity).sum())
    return _as_minutes(data, found)


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
    return {"came": len(came), "drank": len(drank)}
