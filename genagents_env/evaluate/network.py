"""Who knows whom: the mutual-knowledge network of Park et al. 2023, section 7.1."""

from collections.abc import Iterable, Sequence

from genagents_env.evaluate.run_data import RunData, once_per_run
from genagents_env.scenario.schema import Person
from genagents_env.world.events import Event

Pair = tuple[str, str]


def known_at_start(people: Sequence[Person]) -> set[Pair]:
    """Return the pairs in which each names the other among their relationships, names sorted."""
    named = {(person.name, other.to) for person in people for other in person.relationships}
    names = {person.name for person in people}
    return {(a, b) for a, b in named if a < b and (b, a) in named and {a, b} <= names}


def met(events: Iterable[Event]) -> set[Pair]:
    """Return the pairs of whom one spoke to the other, who heard it; names sorted.

    The paper asks each agent in an interview whether it knows the other; this is what can be
    seen from outside.
    """
    pairs: set[Pair] = set()
    for event in events:
        if event.kind != "say" or event.agent is None:
            continue
        for other in event.data["addressed"]:
            if other != event.agent:
                pairs.add((min(event.agent, other), max(event.agent, other)))
    return pairs


def density(pairs: set[Pair], people: int) -> float:
    """Return the share of all pairs of `people` that are in `pairs`; 0 for fewer than two."""
    return len(pairs) / (people * (people - 1) / 2) if people > 1 else 0.0


@once_per_run
def density_before(data: RunData) -> float:
    """Return the density of mutual knowledge at the start of a run."""
    return density(known_at_start(data.scenario.people), len(data.names))


@once_per_run
def density_after(data: RunData) -> float:
    """Return the density at the end of a run: with those added who spoke with one another."""
    pairs = known_at_start(data.scenario.people) | met(data.events)
    return density(pairs, len(data.names))
