"""Who knows a fact, by interview, and whether the evidence bears it out.

Definition: an answer to a question of the fact *claims* to know it by the rule of
`genagents_env.evaluate.claims`. The claim is *verified* if the person knew the fact from the start,
or if the answer names an event in which this person heard it; any other claim is *hallucinated*.
Source: Park et al. 2023, section 7.1, where those who say they know are checked against their
memory for the talk in which they were told.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genagents_env.evaluate.claims import claims_fact
from genagents_env.evaluate.interviews import Reply, cited, evidence, heard_words
from genagents_env.record.rows import JSON
from genagents_env.scenario.schema import Fact
from genagents_env.world.events import Event


@dataclass(frozen=True, slots=True)
class Known:
    """Who claims to know one fact, and who of them can show it; names in the order of asking.

    Attributes:
        asked: everyone asked.
        claimed: those who claim to know.
        verified: those of them whose claim is borne out.
        unnamed: those of the hallucinated who had in fact heard it, but name no such event.
    """

    asked: tuple[str, ...]
    claimed: tuple[str, ...]
    verified: tuple[str, ...]
    unnamed: tuple[str, ...]

    @property
    def hallucinated(self) -> tuple[str, ...]:
        """Those who claim to know and cannot show it."""
        return tuple(name for name in self.claimed if name not in self.verified)

    @property
    def claimed_share(self) -> float:
        """The share of those asked who claim to know."""
        return len(self.claimed) / len(self.asked)

    @property
    def verified_share(self) -> float:
        """The share of those asked whose knowledge is borne out."""
        return len(self.verified) / len(self.asked)

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values: names, the number asked, and the two shares."""
        return {
            "asked": len(self.asked),
            "claimed": list(self.claimed),
            "verified": list(self.verified),
            "hallucinated": list(self.hallucinated),
            "unnamed": list(self.unnamed),
            "claimed_share": self.claimed_share,
            "verified_share": self.verified_share,
        }


def known(
    fact: Fact, questions: Iterable[str], given: Iterable[Reply], events: Sequence[Event]
) -> Known | None:
    """Return who knows `fact` by these answers; None if nobody was asked.

    One who is asked several questions of a fact claims it if any answer does, and is borne out if
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
    named = cited(events, claims)
    learned = _learned(fact, events, mine[0].tick)
    verified = {
        reply.asked.agent
        for reply in claims
        if reply.asked.agent in fact.known_by
        or any(_shows(event, fact, reply.asked.agent, learned) for event in evidence(reply, named))
    }
    claimed = _unique(reply.asked.agent for reply in claims)
    hearers = {agent for agent, _ in learned}
    return Known(
        _unique(reply.asked.agent for reply in mine),
        claimed,
        tuple(name for name in claimed if name in verified),
        tuple(name for name in claimed if name not in verified and name in hearers),
    )


def _learned(fact: Fact, events: Iterable[Event], until: int) -> set[tuple[str, int]]:
    """Return who heard the fact first in which event, up to the tick `until`."""
    return {
        (event.agent, event.data["cause"])
        for event in events
        if event.kind == "learn" and event.agent is not None and event.tick <= until
        if event.data["fact"] == fact.id
    }


def _shows(event: Event, fact: Fact, agent: str, learned: set[tuple[str, int]]) -> bool:
    """Return whether `agent` heard the fact in this event."""
    if (agent, event.id) in learned:
        return True
    words = heard_words(event, agent)
    return words is not None and any(
        re.search(pattern, words, re.IGNORECASE) for pattern in fact.patterns
    )


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
