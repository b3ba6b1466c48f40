"""What the interviews of a run show: knowledge, acquaintance, coordination, hallucination.

From the record alone. Where nobody was asked, or a gathering did not take place in the time lived,
there is no finding, which is not a finding of nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from genagents_env.evaluate.acquaintance import Acquaintance, acquaintance
from genagents_env.evaluate.coordination import Coordination, coordination
from genagents_env.evaluate.interviews import Reply, replies
from genagents_env.evaluate.knowledge import Spread, fact_spreads
from genagents_env.evaluate.presence import find_visits
from genagents_env.evaluate.run_data import RunData, once_per_run
from genagents_env.evaluate.verified import Known, known
from genagents_env.record.rows import JSON
from genagents_env.scenario.schema import Fact
from genagents_env.world.events import Event


@dataclass(frozen=True, slots=True)
class FactFinding:
    """Who knows one fact at the two ends of a run; None where nobody was asked."""

    fact: str
    before: Known | None
    after: Known | None


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a run.

    Attributes:
        facts: those that a question of the scenario asks for, in its order.
        acquainted_before: the network of mutual knowledge at the start; None if nobody was asked.
        acquainted_after: at the end; None if nobody was asked.
        gatherings: those with a fact that had begun.
        claims: all claims to know a fact or a person, in all interviews.
        hallucinated: those of them that nothing bears out.
    """

    facts: tuple[FactFinding, ...]
    acquainted_before: Acquaintance | None
    acquainted_after: Acquaintance | None
    gatherings: tuple[Coordination, ...]
    claims: int
    hallucinated: int

    @property
    def asked(self) -> bool:
        """Whether anything that these measures read was answered."""
        ends = [end for fact in self.facts for end in (fact.before, fact.after)]
        return any(
            end is not None for end in (*ends, self.acquainted_before, self.acquainted_after)
        )

    @property
    def hallucination_rate(self) -> float | None:
        """The share of all claims that nothing bears out; None without claims."""
        return self.hallucinated / self.claims if self.claims else None

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values; null where nobody was asked."""
        return {
            "facts": {
                one.fact: {"before": _json(one.before), "after": _json(one.after)}
                for one in self.facts
            },
            "acquaintance": {
                "before": _json(self.acquainted_before),
                "after": _json(self.acquainted_after),
            },
            "gatherings": {one.gathering: one.as_json() for one in self.gatherings},
            "claims": self.claims if self.asked else None,
            "hallucinated": self.hallucinated if self.asked else None,
            "hallucination_rate": self.hallucination_rate,
        }


@once_per_run
def findings(data: RunData) -> Findings:
    """Return what the interviews of a run show, as far as it is recorded."""
    meta, events, last, rows = data.meta, data.events, data.last_tick, data.interviews
    before = replies(meta.scenario, meta.names, rows, "before", last)
    after = replies(meta.scenario, meta.names, rows, "after", last) if last else []
    facts = tuple(
        FactFinding(fact.id, _at(data, fact, before, events), _at(data, fact, after, events))
        for fact in meta.scenario.facts
        if any(question.fact == fact.id for question in meta.scenario.questions)
    )
    people = [person for person in meta.scenario.people if person.name in meta.names]
    knowing = [end for one in facts for end in (one.before, one.after) if end is not None]
    networks = [acquaintance(people, given, events) for given in (before, after)]
    drawn = [network for network in networks if network is not None]
    return Findings(
        facts,
        networks[0],
        networks[1],
        _gatherings(data, after),
        claims=sum(len(k.claimed) for k in knowing) + sum(n.claims for n in drawn),
        hallucinated=sum(len(k.hallucinated) for k in knowing) + sum(n.hallucinated for n in drawn),
    )


def _at(data: RunData, fact: Fact, given: Sequence[Reply], events: Sequence[Event]) -> Known | None:
    questions = [q.id for q in data.scenario.questions if q.fact == fact.id]
    return known(fact, questions, given, events)


def _gatherings(data: RunData, after: Sequence[Reply]) -> tuple[Coordination, ...]:
    scenario, run, last = data.scenario, data.reader, data.last_tick
    spread = {one.fact: one for one in fact_spreads(data)}
    found = []
    for gathering in scenario.gatherings:
        first, end = run.tick_at(gathering.start), run.tick_at(gathering.end)
        if gathering.fact is None or first > last or gathering.end <= run.time(0):
            continue
        there = find_visits(data.stays, gathering.place, first, end)
        about = [q.id for q in scenario.questions if q.gathering == gathering.id]
        of_it: Spread = spread[gathering.fact]
        found.append(coordination(gathering, first, of_it, there, about, after))
    return tuple(found)


def _json(one: Known | Acquaintance | None) -> JSON:
    return None if one is None else one.as_json()
