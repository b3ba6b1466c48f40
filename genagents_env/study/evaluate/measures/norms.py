"""The rules of places, and who broke or tried to break them: closed, private, full, another's.

The town enforces its rules, so most breaches are attempts that it refused. Some places one can
still be in against a rule: closing time keeps people out and not in, and interventions and
beginnings ask nobody. Those who live or work in a sector are bound by no hours, as in the town.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from genagents_env.scenario.plan import parse_hours
from genagents_env.scenario.schema.scenario import ArenaPart, arenas_of
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import Bools, RunData

AGAIN = 300  # game seconds within which the same refusal is the same attempt
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


def find_trespass(data: RunData) -> Bools:
    """Return who was awake where a rule forbids it: shape (N, ticks).

    In a place that is closed, for all but those who live or work in its sector; in one that is for
    others; in an arena or a sector with more people than its capacity, for each of them.
    """
    found: Bools = np.zeros_like(data.waking)
    for place in arenas_of(data.scenario):
        here = data.find_inside(place.id)
        closed, own = find_closed_ticks(data, place), find_residents(data, place)
        found |= here & closed[None, :] & ~own[:, None]
        found |= here & ~_find_users(data, place)[:, None]
        if place.spec.capacity is not None:
            found |= here & (here.sum(axis=0) > place.spec.capacity)[None, :]
    for sector in data.scenario.sectors:
        if sector.capacity is not None:
            arenas = [k for k, id_ in enumerate(data.arenas) if id_.split("/")[0] == sector.name]
            inside = np.isin(data.where, arenas)
            found |= inside & (inside.sum(axis=0) > sector.capacity)[None, :]
    return found & data.waking


def find_closed_ticks(data: RunData, place: ArenaPart) -> Bools:
    """Return at which ticks the hours of the arena or of its sector have it closed."""
    opened: Bools = np.ones(data.ticks, dtype=np.bool_)
    for hours in (place.sector.hours, place.spec.hours):
        spans = [parse_hours(text) for text in hours]
        if spans:
            day = [any(span.contains(at) for span in spans) for at in range(1440)]
            opened &= np.array(day, dtype=np.bool_)[data.clock // 60]
    return ~opened


def find_residents(data: RunData, place: ArenaPart) -> Bools:
    """Return who lives or works in the place's sector."""
    own = {
        person.name: {ref.split("/")[0] for ref in (person.home, person.workplace) if ref}
        for person in data.people
    }
    here = [place.sector.name in own.get(name, ()) for name in data.names]
    return np.array(here, dtype=np.bool_)


def _find_users(data: RunData, place: ArenaPart) -> Bools:
    """Return who is among the users of the place and of its sector."""
    both = [users for users in (place.sector.users, place.spec.users) if users]
    return np.array([all(name in users for users in both) for name in data.names], dtype=np.bool_)


_PARK = (
    "failure named in Park et al. 2023, section 7.2: agents entered a bathroom for one that was "
    "taken, and stores after closing time; here the town refuses it"
)


@measure("Attempts against a rule", "per agent and game hour", _PARK)
def broken_norms(data: RunData) -> float | None:
    """Attempts that the town refused since the place was closed, private or full, or the thing
    another's, per agent and game hour; the same refusal of the same agent again within five game
    minutes is the same attempt. None before any time has passed.
    """
    return ratio(len(find_attempts(data)), data.agent_hours)


@measure("Time against a rule", "share", _PARK)
def trespass(data: RunData) -> float | None:
    """Of the time in which agents were awake, the share in a place that was closed (but for those
    who live or work in its sector), that is for others, or that held more people than it may. None
    where nobody was awake.
    """
    return ratio(find_trespass(data).sum(), data.waking.sum())
