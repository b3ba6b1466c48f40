"""What the interviews of a run show: knowledge, acquaintance, coordination, hallucination.

An answer to a question of a fact *claims* to know it by the rule of `study.evaluate.claims`. The
claim is *verified* if the person knew the fact from the start, or if the answer names an event in
which this person heard it. It is *uncited* if the record has such an event and the answer does not
name it; any other claim is *hallucinated*. Where nobody was asked, or a gathering did not take
place in the time simulated, there is no finding, which differs from a finding of zero.
Source: Park et al. 2023, section 7.1, where those who say they know are checked against their
memory for the talk in which they were told.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from genagents_env.record.rows import JSON
from genagents_env.scenario.patterns import finds_any
from genagents_env.scenario.questions import When
from genagents_env.scenario.schema import Fact
from genagents_env.study.evaluate.claims import claims_fact
from genagents_env.study.evaluate.interviews import (
    ENDS,
    find_evidence,
    find_run_replies,
    list_hearers,
)
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.acquaintance import Acquaintance, compute_acquaintances
from genagents_env.study.evaluate.measures.gatherings import Coordination, compute_coordinations
from genagents_env.study.evaluate.results import as_json
from genagents_env.study.evaluate.run_data import RunData, once_per_run

_PARK = "Park et al. 2023, section 7.1"


@dataclass(frozen=True, slots=True)
class FactKnowledge:
    """Who claims to know one fact, and who of them can show it; names in the order of asking.

    Attributes:
        asked: everyone asked.
        claimed: those who claim to know.
        verified: those of them whose claim has evidence.
        uncited: those of them who had heard it, as the record shows, but name no such event.
    """

    asked: tuple[str, ...]
    claimed: tuple[str, ...]
    verified: tuple[str, ...]
    uncited: tuple[str, ...]

    @property
    def hallucinated(self) -> tuple[str, ...]:
        """Those who claim to know what they never heard."""
        true = {*self.verified, *self.uncited}
        return tuple(name for name in self.claimed if name not in true)

    @property
    def claimed_share(self) -> float:
        """The share of those asked who claim to know."""
        return len(self.claimed) / len(self.asked)

    @property
    def verified_share(self) -> float:
        """The share of those asked whose claim has evidence."""
        return len(self.verified) / len(self.asked)

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values: names, the number asked, and the two shares."""
        return as_json(self) | {"asked": len(self.asked)}


Knowledge: TypeAlias = tuple[FactKnowledge | None, FactKnowledge | None]  # before and after


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a run.

    Attributes:
        facts: by the facts that a question of the scenario asks for, who knows each before the run
            and after; None where nobody was asked.
        networks: of mutual knowledge, before and after; None where nobody was asked.
        gatherings: those with a fact that had begun.
        claims: all claims to know a fact or a person, in all interviews.
        hallucinated: those of them that nothing bears out.
        uncited: those that the record bears out, though they name none of its events.
    """

    facts: Mapping[str, Knowledge]
    networks: tuple[Acquaintance | None, Acquaintance | None]
    gatherings: tuple[Coordination, ...]
    claims: int
    hallucinated: int
    uncited: int

    @property
    def asked(self) -> bool:
        """Whether anything that these measures read was answered."""
        ends = [*self.networks, *(end for both in self.facts.values() for end in both)]
        return any(end is not None for end in ends)

    @property
    def hallucination_rate(self) -> float | None:
        """The share of all claims that nothing bears out; None without claims."""
        return ratio(self.hallucinated, self.claims)

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values; null where nobody was asked."""
        asked = self.asked
        facts = {
            fact: {when: one and one.as_json() for when, one in zip(ENDS, both, strict=True)}
            for fact, both in self.facts.items()
        }
        networks = zip(ENDS, self.networks, strict=True)
        return {
            "facts": facts,
            "acquaintance": {when: one and as_json(one) for when, one in networks},
            "gatherings": {one.gathering: as_json(one, "gathering") for one in self.gatherings},
            "claims": self.claims if asked else None,
            "hallucinated": self.hallucinated if asked else None,
            "hallucination_rate": self.hallucination_rate,
            "uncited": self.uncited if asked else None,
        }


@once_per_run
def compute_findings(data: RunData) -> Findings:
    """Return what the interviews of a run show, as far as it is recorded."""
    facts, networks = compute_knowledge(data), compute_acquaintances(data)
    knowing = [end for both in facts.values() for end in both if end is not None]
    drawn = [network for network in networks if network is not None]
    return Findings(
        facts,
        networks,
        compute_coordinations(data),
        claims=sum(len(k.claimed) for k in knowing) + sum(n.claims for n in drawn),
        hallucinated=sum(len(k.hallucinated) for k in knowing) + sum(n.hallucinated for n in drawn),
        uncited=sum(len(k.uncited) for k in knowing) + sum(n.uncited for n in drawn),
    )


@once_per_run
def compute_knowledge(data: RunData) -> dict[str, Knowledge]:
    """Return who knows the facts that questions of the scenario ask for, in its order."""
    wanted = {question.fact for question in data.scenario.questions}
    return {
        fact.id: (_find_knowledge(data, fact, "before"), _find_knowledge(data, fact, "after"))
        for fact in data.scenario.facts
        if fact.id in wanted
    }


def _find_knowledge(data: RunData, fact: Fact, when: When) -> FactKnowledge | None:
    """Return who knows a fact at one end of a run; None if nobody was asked.

    One who is asked several questions of a fact claims it if any answer does, and is verified if
    any such answer is.
    """
    wanted = {question.id for question in data.scenario.questions if question.fact == fact.id}
    replies = find_run_replies(data, when)
    mine = [row for asked, row in replies if asked.question_id in wanted]
    if not mine:
        return None
    claims = [row for row in mine if claims_fact(row.answer, fact)]
    heard = set(_find_hearings(data, fact, mine[0].tick))
    verified = {
        row.agent
        for row in claims
        if row.agent in fact.known_by
        or any((row.agent, event.id) in heard for event in find_evidence(data, row))
    }
    claimed = tuple(dict.fromkeys(row.agent for row in claims))
    hearers = {agent for agent, _ in heard} - verified
    return FactKnowledge(
        tuple(dict.fromkeys(row.agent for row in mine)),
        claimed,
        tuple(name for name in claimed if name in verified),
        tuple(name for name in claimed if name in hearers),
    )


def _find_hearings(data: RunData, fact: Fact, until: int) -> Iterator[tuple[str | None, int]]:
    """Yield who heard the fact, or words that show it, in which event, up to the tick `until`."""
    for event in data.events:
        if event.tick > until:
            continue
        if event.kind == "learn" and event.data["fact"] == fact.id:
            yield event.agent, event.data["cause"]
        elif (hearers := list_hearers(event)) and finds_any(fact.patterns, event.data["text"]):
            yield from ((agent, event.id) for agent in hearers)


@measure("Verified diffusion", "share", _PARK)
def verified(data: RunData) -> dict[str, float | None]:
    """Of those asked about the fact after the run, the share who claim to know it and whose claim
    an event they name bears out, or who knew it from the start. One for each fact with a question;
    none where nobody was asked.
    """
    after = {fact: both[1] for fact, both in compute_knowledge(data).items()}
    return {fact: None if one is None else one.verified_share for fact, one in after.items()}


@measure("Hallucination", "share", _PARK)
def hallucinated(data: RunData) -> float | None:
    """Of all claims to know a fact or a person, in the interviews at both ends, the share that
    nothing bears out, neither an event that is named nor any other of the record. None where
    nothing was claimed.
    """
    return compute_findings(data).hallucination_rate


@measure("True without a source", "share", f"ours; in {_PARK}, the authors look for the memory")
def uncited(data: RunData) -> float | None:
    """Of all claims to know a fact or a person, in the interviews at both ends, the share that
    names no event which bears it out, though the record has one: the fact was said in the agent's
    hearing, or the two spoke, one heard of the other, or both were in one room. None where nothing
    was claimed.
    """
    found = compute_findings(data)
    return ratio(found.uncited, found.claims)
