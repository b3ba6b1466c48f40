"""Who knows a fact, by interview, and whether there is evidence for it.

An answer to a question of the fact *claims* to know it by the rule of
`study.evaluate.claims`. The claim is *verified* if the person knew the fact from the start,
or if the answer names an event in which this person heard it. It is *uncited* if the record has
such an event and the answer does not name it; any other claim is *hallucinated*.
Source: Park et al. 2023, section 7.1, where those who say they know are checked against their
memory for the talk in which they were told.
"""

from collections.abc import Iterator
from dataclasses import dataclass

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
from genagents_env.study.evaluate.measure import measure
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


@dataclass(frozen=True, slots=True)
class FactFinding:
    """Who knows one fact at the two ends of a run; None where nobody was asked."""

    fact: str
    before: FactKnowledge | None
    after: FactKnowledge | None


@once_per_run
def compute_fact_findings(data: RunData) -> tuple[FactFinding, ...]:
    """Return who knows the facts that questions of the scenario ask for, in its order."""
    wanted = {question.fact for question in data.scenario.questions}
    facts = [fact for fact in data.scenario.facts if fact.id in wanted]
    return tuple(
        FactFinding(fact.id, *(_find_knowledge(data, fact, when) for when in ENDS))
        for fact in facts
    )


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
    found = compute_fact_findings(data)
    return {one.fact: None if one.after is None else one.after.verified_share for one in found}
