"""Whether word of a gathering brought people together, and why some stayed away.

Others than the invited who were there, but for the host, are *passers-by*. The invited who stayed
away are sorted by their answer, read by the phrases of `phrases.toml`.
Source: Park et al. 2023, section 7.1: 12 invited, 5 came; of 7, three had something else to do (a
conflict), and four would have liked to come but planned nothing (meant well).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from genagents_env.scenario.schema import Gathering
from genagents_env.study.evaluate.claims import ANSWER_LIMIT
from genagents_env.study.evaluate.interviews import find_run_replies
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.diffusion import find_spread
from genagents_env.study.evaluate.phrases import load_phrases, straighten
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.text import clean
from genagents_env.world.places import is_within

Reason: TypeAlias = Literal["conflict", "meant well", "silent"]


@dataclass(frozen=True, slots=True)
class Coordination:
    """One gathering: names in the order of hearing of it, or of coming.

    `reasons`: for those of the invited who stayed away and were asked, the kind of reason they
    gave; `unasked` are the others. Where no interview was held everybody is unasked.
    """

    gathering: str
    host: str | None
    invited: tuple[str, ...]
    came: tuple[str, ...]
    passers_by: tuple[str, ...]
    reasons: Mapping[str, Reason]
    unasked: tuple[str, ...]

    def gave(self, kind: Reason) -> tuple[str, ...]:
        """Return who of the invited stayed away and gave this kind of reason."""
        return tuple(name for name, given in self.reasons.items() if given == kind)


@dataclass(frozen=True, slots=True)
class Attendance:
    """Someone's time at a gathering: the first tick there, and ticks spent in all."""

    agent: str
    first: int
    ticks: int


@dataclass(frozen=True, slots=True)
class GatheringVisits:
    """A gathering of the scenario and who came, in the order of coming."""

    gathering: str
    place: str
    start: datetime
    end: datetime
    visits: tuple[Attendance, ...]


@once_per_run
def find_gathering_visits(data: RunData) -> tuple[GatheringVisits, ...]:
    """Return who came to each gathering that falls into the time simulated."""
    begun, over = data.reader.time(0), data.reader.time(data.last_tick)
    return tuple(
        GatheringVisits(one.id, one.place, one.start, one.end, tuple(_find_visits(data, one)))
        for one in data.scenario.gatherings
        if one.start <= over and one.end > begun
    )


def _find_visits(data: RunData, gathering: Gathering) -> list[Attendance]:
    """Return who was in its place, or in a room of it, while it went on, in the order of coming.

    One who left and came back is one visit.
    """
    start, end = map(data.reader.tick_at, (gathering.start, gathering.end))
    found: dict[str, Attendance] = {}
    for stay in sorted(data.stays, key=lambda stay: (stay.first, stay.agent)):
        first, over = max(stay.first, start), min(stay.end, end)
        if first < over and is_within(stay.place, gathering.place):
            before = found.get(stay.agent, Attendance(stay.agent, first, 0))
            found[stay.agent] = replace(before, ticks=before.ticks + over - first)
    return sorted(found.values(), key=lambda visit: (visit.first, visit.agent))


@once_per_run
def compute_coordinations(data: RunData) -> tuple[Coordination, ...]:
    """Return how the gatherings with a fact went that had begun in the time simulated."""
    visits = {one.gathering: one.visits for one in find_gathering_visits(data)}
    return tuple(
        _coordinate(data, one, [visit.agent for visit in visits[one.id]])
        for one in data.scenario.gatherings
        if one.fact is not None and one.id in visits
    )


def _coordinate(data: RunData, gathering: Gathering, visitors: Sequence[str]) -> Coordination:
    """Return how a gathering went to which these people came, in their order."""
    spread = find_spread(data, gathering.fact)
    begin, host = data.reader.tick_at(gathering.start), gathering.host
    heard = [hearing.agent for hearing in spread.heard if hearing.tick < begin]
    invited = [name for name in (*spread.at_start, *heard) if name != host]
    there = [name for name in visitors if name != host]
    away = [name for name in invited if name not in there]
    asked = {one.id for one in data.scenario.questions if one.gathering == gathering.id}
    answers: dict[str, str] = {}
    for one, row in find_run_replies(data, "after"):
        if one.question_id in asked:
            answers[row.agent] = f"{answers.get(row.agent, '')} {row.answer}"
    return Coordination(
        gathering.id,
        host,
        tuple(invited),
        tuple(name for name in there if name in invited),
        tuple(name for name in there if name not in invited),
        {name: find_reason(answers[name]) for name in away if name in answers},
        tuple(name for name in away if name not in answers),
    )


def find_reason(answer: str) -> Reason:
    """Return which kind of reason an answer gives for having stayed away; of two the conflict."""
    phrases = load_phrases()
    told = phrases["no_reason"].sub(" ", straighten(clean(answer, ANSWER_LIMIT)))
    if phrases["conflict"].search(told):
        return "conflict"
    return "meant well" if phrases["meant_well"].search(told) else "silent"


_PARK = "Park et al. 2023, section 7.1"


def _count_each(
    data: RunData, count: Callable[[Coordination], float | None]
) -> dict[str, float | None]:
    found = {one.gathering: count(one) for one in compute_coordinations(data)}
    told = [one.id for one in data.scenario.gatherings if one.fact is not None]
    return {id_: found.get(id_) for id_ in told}


@measure("Coordination", "share", _PARK)
def came(data: RunData) -> dict[str, float | None]:
    """Of the invited, who are all but the host that knew of the gathering before it began, the
    share who were in its place while it went on. One for each gathering that had begun; the others
    have none. None where nobody was invited.
    """
    return _count_each(data, lambda one: ratio(len(one.came), len(one.invited)))


@measure("Invited", "agents", _PARK)
def invited(data: RunData) -> dict[str, float | None]:
    """How many but the host knew of the gathering before it began, from the start or by hearing of
    it. One for each gathering that had begun; the others have none.
    """
    return _count_each(data, lambda one: len(one.invited))


@measure("Attendance", "agents", _PARK)
def attendance(data: RunData) -> dict[str, float | None]:
    """How many were in the gathering's place at any time while it went on, the host and passers-by
    with them. One for each gathering that had begun; the others have none.
    """
    found = {one.gathering: len(one.visits) for one in find_gathering_visits(data)}
    return {gathering.id: found.get(gathering.id) for gathering in data.scenario.gatherings}
