"""Who knows of whom: the network of mutual knowledge, by the record and by interviews.

By the record two know each other who name each other among their ties, or of whom one spoke to the
other. By interview each person is asked of every other. The network's edges are the pairs in which
both claim to know of the other; its density is their share of the pairs asked. A claim is
*verified* if the other is among one's ties, or is named in what one remembered at the start, or if
the answer names an event in which the other acted, was spoken with, or was spoken of in one's
hearing. It is *uncited* if the answer names none, but the record shows that one met the other or
heard of them: see `_find_encounters` and `are_together`. Any other claim is *hallucinated*.
Source: Park et al. 2023, section 7.1: density 0.167 before and 0.74 after; of 453 answers
6 (1.3 %) were hallucinated. 0.74 of 300 pairs are 444 answers, so the 453 are read as the claims.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from genagents_env.scenario import Person, first_memories, list_dated_memories
from genagents_env.scenario.questions import When
from genagents_env.study.evaluate.claims import claims_person, names_person
from genagents_env.study.evaluate.interviews import (
    ENDS,
    find_evidence,
    find_run_replies,
    list_hearers,
)
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.world.events import Event

Pair = tuple[str, str]
_ABOUT = ("to", "source", "addressed", "members")  # keys of an event that name people


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """The network by interview.

    Attributes:
        asked: answers given, one for each person and each other asked about.
        claims: of these, the ones that claim to know of the other.
        verified: claims with evidence.
        uncited: claims that name none, though the record has it.
        pairs: both of whom were asked about the other.
        mutual: pairs in which both claim to.
        mutual_verified: pairs in which both claims have evidence.
    """

    asked: int
    claims: int
    verified: int
    uncited: int
    pairs: int
    mutual: int
    mutual_verified: int

    @property
    def hallucinated(self) -> int:
        """Claims that nothing bears out."""
        return self.claims - self.verified - self.uncited

    @property
    def hallucination_rate(self) -> float | None:
        """The share of the claims that nothing bears out; None without claims."""
        return ratio(self.hallucinated, self.claims)

    @property
    def density(self) -> float | None:
        """The share of the pairs that claim to know each other; None without pairs."""
        return ratio(self.mutual, self.pairs)

    @property
    def verified_density(self) -> float | None:
        """The share of the pairs whose two claims have evidence; None without pairs."""
        return ratio(self.mutual_verified, self.pairs)


def _draw_network(data: RunData, when: When) -> Acquaintance | None:
    """Return the network by the answers about other people at one end; None if nobody was asked."""
    about = [
        ((row.agent, one.person), row)
        for one, row in find_run_replies(data, when)
        if one.person is not None
    ]
    if not about:
        return None
    claims = [(edge, row) for edge, row in about if claims_person(row.answer, edge[1])]
    seeds = {person.name: person for person in data.people}
    forms = _list_name_forms(list(seeds))
    asked, claimed = {edge for edge, _ in about}, {edge for edge, _ in claims}
    shown = {
        edge
        for edge, row in claims
        if any(_shows(event, *edge, forms) for event in find_evidence(data, row))
    }
    verified = shown | {
        (agent, other)
        for agent, other in claimed
        if _knows_from_start(seeds[agent], forms[other], other)
    }
    open_, until = claimed - verified, about[0][1].tick
    met = _find_encounters(data, {other: forms[other] for _, other in open_}, until)
    uncited = {edge for edge in open_ if edge in met or are_together(data, *edge, until)}
    counts = (len(asked), len(claimed), len(verified), len(uncited))
    return Acquaintance(
        *counts, _count_mutual(asked), _count_mutual(claimed), _count_mutual(verified)
    )


def _find_encounters(data: RunData, forms: Mapping[str, Sequence[str]], until: int) -> set[Pair]:
    """Return (agent, other) for each other, named by `forms`, whom one met in words or heard of.

    Up to the tick `until` the other spoke in one's hearing, was spoken of there, was addressed
    together with one, heard one's words, or was in one's conversation.
    """
    found: set[Pair] = set()
    for event in data.events:
        if event.tick > until:
            break
        hearers, involved = list_hearers(event), list_involved(event)
        if not hearers and not involved:
            continue
        speaker = [] if event.agent is None else [event.agent]
        words = event.data.get("text")
        if isinstance(words, str):
            involved += [name for name, own in forms.items() if names_person(words, own)]
        found |= {(agent, other) for agent in hearers for other in (*speaker, *involved)}
        if event.kind == "say":
            found |= {(agent, other) for agent in speaker for other in hearers}
        elif "members" in event.data or event.kind == "learn":
            present = {*speaker, *involved}
            found |= {(agent, other) for agent in present for other in present}
    return {(agent, other) for agent, other in found if agent != other}


def list_involved(event: Event) -> list[str]:
    """Return the people whom the data of an event name."""
    values = (event.data.get(key) for key in _ABOUT)
    several = chain.from_iterable(v if isinstance(v, list | tuple) else [v] for v in values)
    return [name for name in several if isinstance(name, str)]


def are_together(data: RunData, agent: str, other: str, until: int) -> bool:
    """Return whether `agent`, awake, was in a room with `other` by the tick `until`.

    The open ground between the buildings is no room: two may be there and far apart.
    """
    if agent not in data.row or other not in data.row:
        return False
    rows = [data.row[agent], data.row[other]]
    here, there = data.whereabouts[rows, : until + 1]
    met = here[(here == there) & (here >= 0) & data.awake[rows[0], : until + 1]]
    return any(data.arenas[at] != data.scenario.outside for at in np.unique(met))


@once_per_run
def compute_densities(data: RunData) -> tuple[float | None, float | None]:
    """Return the share of all pairs who know each other, at the start and at the end.

    At the start those who name each other among their ties; at the end those, too, of whom one
    spoke to the other, who heard it. The paper asks each agent in an interview whether it knows
    the other; this is what can be seen from outside. None for fewer than two people.
    """
    people = {person.name: person for person in data.scenario.people}
    named = {(name, tie.to) for name, one in people.items() for tie in one.relationships}
    ties = {(a, b) for a, b in named if a < b and (b, a) in named and b in people}
    told = [(one.agent, other) for one in data.of_kind("say") for other in one.data["addressed"]]
    spoke = {(min(a, b), max(a, b)) for a, b in told if a is not None and a != b}
    pairs = len(data.names) * (len(data.names) - 1) / 2
    return ratio(len(ties), pairs), ratio(len(ties | spoke), pairs)


@once_per_run
def compute_acquaintances(data: RunData) -> tuple[Acquaintance | None, Acquaintance | None]:
    """Return the networks by interview at the start of a run and at its end."""
    before, after = (_draw_network(data, when) for when in ENDS)
    return before, after


def _count_mutual(edges: set[Pair]) -> int:
    return sum((b, a) in edges for a, b in edges) // 2


def _list_name_forms(people: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return how each may be named: in full, and by a first name that nobody shares."""
    first = [name.split()[0] for name in people]
    return {
        name: (name, short) if first.count(short) == 1 else (name,)
        for name, short in zip(people, first, strict=True)
    }


def _knows_from_start(person: Person, forms: Sequence[str], other: str) -> bool:
    """Return whether `person` knew of `other` from the start."""
    if any(tie.to == other for tie in person.relationships):
        return True
    past = (memory.text for memory in list_dated_memories(person))
    remembered = (*first_memories(person), *person.recent_memories, *past, person.goal)
    return any(names_person(text, forms) for text in remembered)


def _shows(event: Event, agent: str, other: str, forms: dict[str, tuple[str, ...]]) -> bool:
    """Return whether `agent` met with `other`, or with word of them, in this event.

    What is not speech counts wherever the other did it: a mind can only name what it perceived.
    """
    words = str(event.data["text"]) if agent in list_hearers(event) else None
    if words is not None and (event.agent == other or names_person(words, forms[other])):
        return True
    if event.kind != "say" and event.agent == other:
        return True
    involved = list_involved(event)
    if event.kind == "say" and event.agent == agent:
        involved += event.data["heard_by"]
    here = event.agent == agent or words is not None or agent in involved
    return here and other in involved


_PARK = "Park et al. 2023, section 7.1"


@measure("Network density", "share", f"{_PARK}, as seen from outside instead of asked")
def density(data: RunData) -> float | None:
    """The share of all pairs of agents who know each other at the end: by ties on both sides from
    the start, or since one spoke and the other, addressed, heard it. None for fewer than two
    agents, and before any time has passed.
    """
    return compute_densities(data)[1] if data.ticks else None


@measure("Network density by interview", "share", _PARK)
def acquainted(data: RunData) -> float | None:
    """The share of the pairs asked about each other after the run in which both claim to know of
    the other. None where no pair was asked.
    """
    after = compute_acquaintances(data)[1]
    return None if after is None else after.density
