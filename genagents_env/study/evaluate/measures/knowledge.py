"""Who knows a fact, by interview, and whether there is evidence for it.

An answer to a question of the fact *claims* to know it by the rule of
`study.evaluate.claims`. The claim is *verified* if the person knew the fact from the start,
or if the answer names an event in which this person heard it. It is *uncited* if the record has
such an event and the answer does not name it; any other claim is *hallucinated*.
Source: Park et al. 2023, section 7.1, where those who say they know are checked against their
memory for the talk in which they were told.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from genagents_env.record.rows import JSON
from genagents_env.scenario.patterns import finds_any
from genagents_env.scenario.schema import Fact
from genagents_env.study.evaluate.claims import claims_fact
from genagents_env.study.evaluate.interviews import (
    ENDS,
    InterviewReply,
    find_evidence,
    find_run_replies,
    list_hearers,
)
from genagents_env.study.evaluate.measure import measure
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.world.events import Event

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
        return {
            "asked": len(self.asked),
            "claimed": list(self.claimed),
            "verified": list(self.verified),
            "hallucinated": list(self.hallucinated),
            "uncited": list(self.uncited),
            "claimed_share": self.claimed_share,
            "verified_share": self.verified_share,
        }


@dataclass(frozen=True, slots=True)
class FactFinding:
    """Who knows one fact at the two ends of a run; None where nobody was asked."""

    fact: str
    before: FactKnowledge | None
    after: FactKnowledge | None


def find_knowledge(
    fact: Fact, questions: Iterable[str], given: Iterable[InterviewReply], events: Sequence[Event]
) -> FactKnowledge | None:
    """Return who knows `fact` by these answers; None if nobody was asked.

    One who is asked several questions of a fact claims it if any answer does, and is verified if
    any such answer is.

    Args:
        fact: of the scenario.
        questions: the ids of the questions whose knowing answer shows it.
        given: the answers at one end of the run; others among them are passed over.
        events: of the run, in order.
    """
    wanted = frozenset(questions)
    mine = [reply for reply in given if reply.asked.question_id in wanted]
    if not mine:
        return None
    claims = [reply for reply in mine if claims_fact(reply.text, fact)]
    heard = set(_find_hearings(fact, events, mine[0].tick))
    by_id = {event.id: event for event in events}
    verified = {
        reply.asked.agent
        for reply in claims
        if reply.asked.agent in fact.known_by
        or any((reply.asked.agent, event.id) in heard for event in find_evidence(reply, by_id))
    }
    claimed = tuple(dict.fromkeys(reply.asked.agent for reply in claims))
    hearers = {agent for agent, _ in heard}
    return FactKnowledge(
        tuple(dict.fromkeys(reply.asked.agent for reply in mine)),
        claimed,
        tuple(name for name in claimed if name in verified),
        tuple(name for name in claimed if name not in verified and name in hearers),
    )


@once_per_run
def compute_fact_findings(data: RunData) -> tuple[FactFinding, ...]:
    """Return who knows the facts that questions of the scenario ask for, in its order."""
    before, after = (find_run_replies(data, when) for when in ENDS)
    asked = {
        fact.id: [question.id for question in data.scenario.questions if question.fact == fact.id]
        for fact in data.scenario.facts
    }
    return tuple(
        FactFinding(
            fact.id,
            find_knowledge(fact, asked[fact.id], before, data.events),
            find_knowledge(fact, asked[fact.id], after, data.events),
        )
        for fact in data.scenario.facts
        if asked[fact.id]
    )


@measure("Verified diffusion", "share", _PARK)
def verified(data: RunData) -> dict[str, float | None]:
    """Of those asked about the fact after the run, the share who claim to know it and whose claim
    an event they name bears out, or who knew it from the start. One for each fact with a question;
    none where nobody was asked.
    """
    found = compute_fact_findings(data)
    return {one.fact: None if one.after is None else one.after.verified_share for one in found}


def _find_hearings(
    fact: Fact, events: Iterable[Event], until: int
) -> Iterator[tuple[str | None, int]]:
    """Yield who heard the fact, or words that show it, in which event, up to the tick `until`."""
    for event in events:
        if event.tick > until:
            continue
        if event.kind == "learn" and event.data["fact"] == fact.id:
            yield event.agent, event.data["cause"]
        elif (hearers := list_hearers(event)) and finds_any(fact.patterns, event.data["text"]):
            yield from ((agent, event.id) for agent in hearers)
