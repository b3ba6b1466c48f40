"""Whether word of a gathering brought people together, and why some stayed away.

Definition: *invited* is everybody but the host who knew of it before it began, from the start or by
hearing its fact; *came* are those of the invited who were in its place while it went on; others
there, but for the host, are *passers-by*. The invited who stayed away are sorted by their answer.
Source: Park et al. 2023, section 7.1: 12 invited, 5 came; of 7, 3 conflicts and 4 meant well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from genagents_env.record.rows import JSON
from genagents_env.scenario.schema import Gathering
from genagents_env.study.evaluate.interviews import InterviewReply, find_run_replies
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.diffusion import Spread, trace_run_facts
from genagents_env.study.evaluate.presence import Attendance, find_visits
from genagents_env.study.evaluate.reasons import Reason, find_reason
from genagents_env.study.evaluate.results import as_json
from genagents_env.study.evaluate.run_data import RunData, once_per_run


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
    reasons: tuple[tuple[str, Reason], ...]
    unasked: tuple[str, ...]

    def gave(self, kind: Reason) -> tuple[str, ...]:
        """Return who of the invited stayed away and gave this kind of reason."""
        return tuple(name for name, given in self.reasons if given == kind)

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values: names, and the reason of each who was asked for one."""
        return as_json(self, "gathering") | {"reasons": dict(self.reasons)}


def compute_coordination(
    gathering: Gathering,
    first_tick: int,
    spread: Spread,
    visits: Sequence[Attendance],
    questions: Iterable[str],
    given: Iterable[InterviewReply],
) -> Coordination:
    """Return how a gathering with a fact went.

    Args:
        gathering: of the scenario.
        first_tick: in which it begins.
        spread: of the gathering's fact.
        visits: to its place while it went on.
        questions: the ids of the questions about it.
        given: the answers after the run; others among them are passed over.
    """
    heard = [hearing.agent for hearing in spread.heard if hearing.tick < first_tick]
    invited = [name for name in (*spread.at_start, *heard) if name != gathering.host]
    there = [visit.agent for visit in visits if visit.agent != gathering.host]
    wanted, away = frozenset(questions), [name for name in invited if name not in there]
    answers: dict[str, str] = {}
    for reply in given:
        if reply.asked.question_id in wanted:
            answers[reply.asked.agent] = f"{answers.get(reply.asked.agent, '')} {reply.text}"
    return Coordination(
        gathering.id,
        gathering.host,
        tuple(invited),
        tuple(name for name in there if name in invited),
        tuple(name for name in there if name not in invited),
        tuple((name, find_reason(answers[name])) for name in away if name in answers),
        tuple(name for name in away if name not in answers),
    )


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
    reader = data.reader
    return tuple(
        GatheringVisits(
            gathering.id,
            gathering.place,
            gathering.start,
            gathering.end,
            tuple(
                find_visits(
                    data.stays,
                    gathering.place,
                    reader.tick_at(gathering.start),
                    reader.tick_at(gathering.end),
                )
            ),
        )
        for gathering in data.scenario.gatherings
        if gathering.start <= reader.time(data.last_tick) and gathering.end > reader.time(0)
    )


@once_per_run
def compute_coordinations(data: RunData) -> tuple[Coordination, ...]:
    """Return how the gatherings with a fact went that had begun in the time simulated."""
    spread = {one.fact: one for one in trace_run_facts(data)}
    visits = {one.gathering: one.visits for one in find_gathering_visits(data)}
    after = find_run_replies(data, "after")
    return tuple(
        compute_coordination(
            gathering,
            data.reader.tick_at(gathering.start),
            spread[gathering.fact],
            visits[gathering.id],
            [q.id for q in data.scenario.questions if q.gathering == gathering.id],
            after,
        )
        for gathering in data.scenario.gatherings
        if gathering.fact is not None and gathering.id in visits
    )


_PARK = "Park et al. 2023, section 7.1"


def _key_by_id(data: RunData) -> dict[str, Coordination | None]:
    found = {one.gathering: one for one in compute_coordinations(data)}
    told = [g.id for g in data.scenario.gatherings if g.fact is not None]
    return {id_: found.get(id_) for id_ in told}


@measure("Coordination", "share", _PARK)
def came(data: RunData) -> dict[str, float | None]:
    """Of the invited, who are all but the host that knew of the gathering before it began, the
    share who were in its place while it went on. One for each gathering that had begun; the others
    have none. None where nobody was invited.
    """
    return {
        id_: None if one is None else ratio(len(one.came), len(one.invited))
        for id_, one in _key_by_id(data).items()
    }


@measure("Invited", "agents", _PARK)
def invited(data: RunData) -> dict[str, float | None]:
    """How many but the host knew of the gathering before it began, from the start or by hearing of
    it. One for each gathering that had begun; the others have none.
    """
    return {id_: None if one is None else len(one.invited) for id_, one in _key_by_id(data).items()}


@measure("Attendance", "agents", _PARK)
def attendance(data: RunData) -> dict[str, float | None]:
    """How many were in the gathering's place at any time while it went on, the host and passers-by
    with them. One for each gathering that had begun; the others have none.
    """
    found = {one.gathering: len(one.visits) for one in find_gathering_visits(data)}
    return {gathering.id: found.get(gathering.id) for gathering in data.scenario.gatherings}
