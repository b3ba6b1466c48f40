"""The rules of places: who was turned away at a door, waited there, overstayed, or was too many.

The town enforces its rules, so most breaches are attempts that it refused. Some places one can
still be in against a rule: closing time keeps people out and not in, and interventions and
beginnings ask nobody. Those who live or work in a sector are bound by no hours, as in the town.
Three failures of Park et al. 2023, section 7.2: a bathroom for one that two enter, a store entered
after it closed, a bar visited at noon, which nobody forbids.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from genagents_env.scenario.plan import TownPlan, parse_hours
from genagents_env.scenario.schema.scenario import ArenaPart, arenas_of
from genagents_env.scenario.town import try_lay_out
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.activities import load_customs
from genagents_env.study.evaluate.run_data import Bools, RunData

AGAIN = 300  # game seconds within which the same refusal is the same attempt
NEAR = 2  # tiles from a place within which one stands before it
NOON = (12 * 60, 14 * 60)  # minutes of the day
_BAR, _DRINKING = "pub", "drinking"  # in `activities.toml`
_REASONS: Mapping[str, re.Pattern[str]] = {  # as `world` words its refusals
    "closed": re.compile(r" is closed; open "),
    "private": re.compile(r" is private$"),
    "full": re.compile(r" is full$"),
    "anothers": re.compile(r" is not yours to use$"),
}


@dataclass(frozen=True, slots=True)
class NormAttempt:
    """An attempt to break a rule that the town refused; `kind` is a key of `_REASONS`."""

    agent: str
    tick: int
    kind: str
    reason: str

    @property
    def place(self) -> str:
        """The place that was closed, private or full, or the thing that is another's."""
        return self.reason.partition(" is ")[0]


def find_attempts(data: RunData) -> tuple[NormAttempt, ...]:
    """Return the attempts, in order; the same refusal soon after the last is not another one."""
    again = AGAIN / data.meta.seconds_per_tick
    last: dict[tuple[str, str], int] = {}
    found: list[NormAttempt] = []
    for event in data.of_kind("fail"):
        reason, agent = str(event.data["reason"]), event.agent or ""
        kind = next((kind for kind, words in _REASONS.items() if words.search(reason)), None)
        if kind is None or event.data["action"] == "talk":  # a conversation can be full, too
            continue
        before = last.get((agent, reason))
        if before is None or event.tick - before > again:
            found.append(NormAttempt(agent, event.tick, kind, reason))
        last[agent, reason] = event.tick
    return tuple(found)


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
    x, y = data.positions[attempt.tick, data.row[attempt.agent]].tolist()
    around = plan.arena[max(0, y - NEAR) : y + NEAR + 1, max(0, x - NEAR) : x + NEAR + 1]
    return attempt.place in {plan.arena_id(arena) for arena in np.unique(around) if arena >= 0}


def _find_end(data: RunData, attempt: NormAttempt) -> int:
    """Return the tick at which one who was refused is inside, or has gone away."""
    row, first = data.row[attempt.agent], attempt.tick
    tiles = data.positions[first : data.ticks, row].astype(np.int64)
    gone = np.abs(tiles - tiles[:1]).max(axis=1, initial=0) > NEAR
    ends = np.flatnonzero(gone | data.find_inside(attempt.place)[row, first:])
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
            there |= _find_guests(data, place) & noon
    drinking: Bools = np.zeros_like(there)
    for agent, doing, first, end in data.doings:
        if agent in data.row and customs.find_activity(doing) == _DRINKING:
            drinking[data.row[agent], first:end] = True
    came, drank = (
        frozenset(name for name, row in data.row.items() if ticks[row].any())
        for ticks in (there, there & drinking)
    )
    return came, drank


def _find_guests(data: RunData, place: ArenaPart) -> Bools:
    """Return who was awake in a place without living or working in its sector: shape (N, ticks)."""
    guests: Bools = data.find_inside(place.id) & data.waking
    for person in data.people:
        own = {ref.split("/")[0] for ref in (person.home, person.workplace) if ref}
        if place.sector.name in own:
            guests[data.row[person.name]] = False
    return guests


def _find_closed_ticks(data: RunData, place: ArenaPart) -> Bools:
    """Return at which ticks the hours of the arena or of its sector have it closed."""
    opened: Bools = np.ones(data.ticks, dtype=np.bool_)
    for hours in (place.sector.hours, place.spec.hours):
        spans = [parse_hours(text) for text in hours]
        if spans:
            day = [any(span.contains(at) for span in spans) for at in range(1440)]
            opened &= np.array(day, dtype=np.bool_)[data.clock // 60]
    return ~opened


def _list_limited(data: RunData) -> list[ArenaPart]:
    """Return the arenas with a capacity of their own, or of their sector."""
    every = arenas_of(data.scenario)
    return [one for one in every if (one.spec.capacity, one.sector.capacity) != (None, None)]


def _list_timed(data: RunData) -> list[ArenaPart]:
    """Return the arenas with opening hours of their own, or of their sector."""
    return [one for one in arenas_of(data.scenario) if one.spec.hours or one.sector.hours]


def _count_attempts(
    data: RunData, kind: str, places: Iterable[ArenaPart]
) -> dict[str, float | None]:
    found = Counter(one.place for one in find_attempts(data) if one.kind == kind)
    return {place.id: found[place.id] if data.ticks else None for place in places}


def _as_minutes(
    data: RunData, places: Iterable[ArenaPart], ticks: Mapping[str, int]
) -> dict[str, float | None]:
    """Return the ticks of each place as game minutes; None before any time has passed."""
    second = data.meta.seconds_per_tick
    return {one.id: ticks.get(one.id, 0) * second / 60 if data.ticks else None for one in places}


_PARK = "counts a failure named in Park et al. 2023, section 7.2; the count is ours"


@measure(
    "Attempts against a rule",
    "per agent and game hour",
    "failure named in Park et al. 2023, section 7.2: agents entered a bathroom for one that was "
    "taken, and stores after closing time; here the town refuses it",
)
def broken_norms(data: RunData) -> float | None:
    """Attempts that the town refused since the place was closed, private or full, or the thing
    another's, per agent and game hour; the same refusal of the same agent again within five game
    minutes is the same attempt. None before any time has passed.
    """
    return ratio(len(find_attempts(data)), data.agent_hours)


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
    waited: Counter[str] = Counter()
    for attempt, ticks in find_waits(data):
        waited[attempt.place] += ticks
    return _as_minutes(data, [*_list_limited(data), *_list_timed(data)], waited)


@measure("Time inside after closing", "game minutes", _PARK)
def after_hours(data: RunData) -> dict[str, float | None]:
    """The time that people, all together, were awake in a place while it was closed, but for those
    who live or work in its sector, for each place with opening hours: closing time keeps people out
    and not in. None before any time has passed.
    """
    timed = _list_timed(data)
    late = {one.id: _find_guests(data, one) & _find_closed_ticks(data, one) for one in timed}
    return _as_minutes(data, timed, {id_: int(ticks.sum()) for id_, ticks in late.items()})


@measure("Time over capacity", "game minutes", _PARK)
def overcrowded(data: RunData) -> dict[str, float | None]:
    """The time in which a place held more people awake than it may, for each place with a capacity
    of its own. The town lets nobody in who would be too many: what is left are interventions. None
    before any time has passed.
    """
    found: dict[str, int] = {}
    limited = [one for one in arenas_of(data.scenario) if one.spec.capacity is not None]
    for place in limited:
        inside = (data.find_inside(place.id) & data.waking).sum(axis=0)
        found[place.id] = int((inside > (place.spec.capacity or 0)).sum())
    return _as_minutes(data, limited, found)


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
