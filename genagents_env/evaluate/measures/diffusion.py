"""How far facts spread: as the record has people hear of them, and as interviews show it.

Heard is not known: only an interview can show that. An answer to a question of the fact *claims* to
know it by the rule of `genagents_env.evaluate.claims`. The claim is *verified* if the person knew
the fact from the start, or if the answer names an event in which this person heard it; any other
claim is *hallucinated*.
Source: Park et al. 2023, section 7.1, where those who say they know are checked against their
memory for the talk in which they were told.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genagents_env.evaluate.claims import claims_fact
from genagents_env.evaluate.interviews import (
    ENDS,
    InterviewReply,
    find_cited_events,
    find_evidence,
    find_run_replies,
    get_heard_text,
)
from genagents_env.evaluate.measure import measure, ratio
from genagents_env.evaluate.run_data import RunData, once_per_run
from genagents_env.record.rows import JSON
from genagents_env.scenario.schema import Fact
from genagents_env.world.events import Event

_PARK = "Park et al. 2023, section 7.1"


@dataclass(frozen=True, slots=True)
class FactKnowledge:
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


@dataclass(frozen=True, slots=True)
class FactFinding:
    """Who knows one fact at the two ends of a run; None where nobody was asked."""

    fact: str
    before: FactKnowledge | None
    after: FactKnowledge | None


@dataclass(frozen=True, slots=True)
class Hearing:
    """Someone heard a fact for the first time.

    `source`: who said it; None for news, whispers and other causes without a speaker.
    `cause`: the id of the event in which it was recognised.
    """

    agent: str
    tick: int
    source: str | None
    cause: int


@dataclass(frozen=True, slots=True)
class Spread:
    """How one fact spread: who knew it from the start, and who heard it, in order."""

    fact: str
    statement: str
    at_start: tuple[str, ...]
    heard: tuple[Hearing, ...]

    def share(self, people: int) -> float:
        """Return the share of `people` who knew it at the start or heard it since."""
        return (len(self.at_start) + len(self.heard)) / people


@once_per_run
def trace_run_facts(data: RunData) -> tuple[Spread, ...]:
    """Return how each fact of the scenario spread in a run, in its order."""
    return tuple(trace_facts(data.scenario.facts, data.names, data.events))


def trace_facts(
    facts: Sequence[Fact], names: Sequence[str], events: Iterable[Event]
) -> list[Spread]:
    """Return the spread of each fact, in the scenario's order.

    Args:
        facts: of the scenario.
        names: the people of the run; knowers who take no part are left out.
        events: of the run, in order.
    """
    heard: dict[str, list[Hearing]] = {fact.id: [] for fact in facts}
    for event in events:
        if event.kind == "learn" and event.agent is not None and event.data["fact"] in heard:
            source, cause = event.data["source"], event.data["cause"]
            heard[event.data["fact"]].append(Hearing(event.agent, event.tick, source, cause))
    return [
        Spread(
            fact.id,
            fact.statement,
            tuple(name for name in names if name in fact.known_by),
            tuple(heard[fact.id]),
        )
        for fact in facts
    ]


def compute_curves(data: RunData) -> dict[str, list[tuple[float, int]]]:
    """Return for each fact the steps of how many people know it.

    Returns:
        By fact, pairs of game seconds since the start and the number who know it from then on:
        the first at 0, one for each time at which somebody heard it, the last at the end.
    """
    second = data.meta.seconds_per_tick
    found: dict[str, list[tuple[float, int]]] = {}
    for spread in trace_run_facts(data):
        counts = {0: len(spread.at_start)}
        for more, (tick, _) in enumerate(find_first_hearings(spread, data.names), start=1):
            counts[tick] = len(spread.at_start) + more
        counts.setdefault(data.last_tick, list(counts.values())[-1])
        found[spread.fact] = [(float(tick * second), count) for tick, count in counts.items()]
    return found


def find_first_hearings(spread: Spread, names: Sequence[str]) -> list[tuple[int, str]]:
    """Return who of `names` heard a fact they did not know, and the tick, each once, in order."""
    found: dict[str, int] = {}
    for hearing in sorted(spread.heard, key=lambda one: one.tick):
        if hearing.agent in names and hearing.agent not in spread.at_start:
            found.setdefault(hearing.agent, hearing.tick)
    return [(tick, agent) for agent, tick in found.items()]


def find_knowledge(
    fact: Fact, questions: Iterable[str], given: Iterable[InterviewReply], events: Sequence[Event]
) -> FactKnowledge | None:
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
    named = find_cited_events(events, claims)
    learned = _find_learners(fact, events, mine[0].tick)
    verified = {
        reply.asked.agent
        for reply in claims
        if reply.asked.agent in fact.known_by
        or any(
            _shows(event, fact, reply.asked.agent, learned) for event in find_evidence(reply, named)
        )
    }
    claimed = _drop_repeats(reply.asked.agent for reply in claims)
    hearers = {agent for agent, _ in learned}
    return FactKnowledge(
        _drop_repeats(reply.asked.agent for reply in mine),
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


@measure(
    "verified",
    "Verified diffusion",
    "share",
    """Of those asked about the fact after the run, the share who claim to know it and whose
    claim an event they name bears out, or who knew it from the start. One for each fact with a
    question; none where nobody was asked.""",
    _PARK,
    "more",
)
def verified(data: RunData) -> dict[str, float | None]:
    """Return the share by fact."""
    found = compute_fact_findings(data)
    return {one.fact: None if one.after is None else one.after.verified_share for one in found}


@measure(
    "claimed",
    "Claimed diffusion",
    "share",
    """Of those asked about the fact after the run, the share who claim to know it, borne out or
    not. One for each fact with a question; none where nobody was asked.""",
    _PARK,
)
def claimed(data: RunData) -> dict[str, float | None]:
    """Return the share by fact."""
    found = compute_fact_findings(data)
    return {one.fact: None if one.after is None else one.after.claimed_share for one in found}


@measure(
    "heard",
    "Diffusion by hearing",
    "share",
    """The share of all agents who knew the fact from the start or heard it by the end, by the
    record's `learn` events. One for each fact; none before any time has passed.""",
    "what an observer sees of the diffusion of Park et al. 2023, section 7.1",
    "more",
)
def heard(data: RunData) -> dict[str, float | None]:
    """Return the share by fact."""
    return {
        one.fact: ratio(_count_knowers(one, data), len(data.names)) if data.ticks else None
        for one in trace_run_facts(data)
    }


def _count_knowers(spread: Spread, data: RunData) -> int:
    return len(spread.at_start) + len(find_first_hearings(spread, data.names))


@measure(
    "half_time",
    "Time until half know",
    "hours",
    """Game hours from the start until at least half of all agents knew the fact. One for each
    fact; none where that did not happen, or was so from the start.""",
    "half-time of a diffusion; ours",
    "less",
)
def half_time(data: RunData) -> dict[str, float | None]:
    """Return the hours by fact."""
    return {
        one.fact: _compute_half_time(
            len(one.at_start), [t for t, _ in find_first_hearings(one, data.names)], data
        )
        for one in trace_run_facts(data)
    }


def _compute_half_time(knowing: int, ticks: list[int], data: RunData) -> float | None:
    missing = -(-len(data.names) // 2) - knowing
    if missing <= 0 or missing > len(ticks):
        return None
    return ratio(ticks[missing - 1], data.hour)


@measure(
    "telling",
    "Utterances that tell a fact",
    "share",
    """Of all utterances, the share in which a fact of the scenario is recognised. None where
    nothing was said or the scenario has no facts.""",
    "ours",
)
def telling(data: RunData) -> float | None:
    """Return the share."""
    if not data.scenario.facts:
        return None
    said = data.utterances
    return ratio(sum(bool(event.data["facts"]) for event in said), len(said))


def _find_learners(fact: Fact, events: Iterable[Event], until: int) -> set[tuple[str, int]]:
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
    words = get_heard_text(event, agent)
    return words is not None and any(
        re.search(pattern, words, re.IGNORECASE) for pattern in fact.patterns
    )


def _drop_repeats(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
