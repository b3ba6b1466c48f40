"""How far facts spread among the people: who heard which fact, when, and from whom.

Heard is not known: only an interview can show that; see `knowledge`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from genagents_env.scenario.schema import Fact
from genagents_env.study.evaluate.measure import (
    FROM_THE_START,
    NOT_REACHED,
    REACHED,
    MeasuredValue,
    measure,
    ratio,
)
from genagents_env.study.evaluate.run_data import RunData, once_per_run


@dataclass(frozen=True, slots=True)
class Hearing:
    """Someone heard a fact for the first time.

    `source`: who said it; None for news, whispers and other causes without a speaker.
    `cause`: the id of the event in which it was recognised; `sentence`: the one that states it,
    where that was looked for.
    """

    agent: str
    tick: int
    source: str | None
    cause: int
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Spread:
    """How one fact spread: who knew it from the start, and who heard it, in order."""

    fact: str
    statement: str
    at_start: tuple[str, ...]
    heard: tuple[Hearing, ...]

    @classmethod
    def of(cls, data: RunData, fact: Fact, heard: Iterable[Hearing]) -> "Spread":
        """Return the spread of a fact of the scenario among the people of a run."""
        knew = tuple(name for name in data.names if name in fact.known_by)
        return cls(fact.id, fact.statement, knew, tuple(heard))


@once_per_run
def trace_run_facts(data: RunData) -> tuple[Spread, ...]:
    """Return how each fact of the scenario spread in a run, in its order.

    Knowers who take no part are left out.
    """
    heard: dict[str, list[Hearing]] = {fact.id: [] for fact in data.scenario.facts}
    for event in data.of_kind("learn"):
        if event.agent is not None and event.data["fact"] in heard:
            source, cause = event.data["source"], event.data["cause"]
            heard[event.data["fact"]].append(Hearing(event.agent, event.tick, source, cause))
    return tuple(Spread.of(data, fact, heard[fact.id]) for fact in data.scenario.facts)


def find_spread(data: RunData, fact: str | None) -> Spread:
    """Return how a fact spread; of one that the scenario does not have nobody knows."""
    found = (one for one in trace_run_facts(data) if one.fact == fact)
    return next(found, Spread(fact or "", "", (), ()))


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
        for more, (tick, _) in enumerate(find_first_hearings(data, spread), start=1):
            counts[tick] = len(spread.at_start) + more
        counts.setdefault(data.last_tick, list(counts.values())[-1])
        found[spread.fact] = [(float(tick * second), count) for tick, count in counts.items()]
    return found


def find_first_hearings(data: RunData, spread: Spread) -> list[tuple[int, str]]:
    """Return who of the run heard a fact they did not know, and the tick, each once, in order."""
    found: dict[str, int] = {}
    for hearing in sorted(spread.heard, key=lambda one: one.tick):
        if hearing.agent in data.row and hearing.agent not in spread.at_start:
            found.setdefault(hearing.agent, hearing.tick)
    return [(tick, agent) for agent, tick in found.items()]


@measure(
    "Diffusion by hearing",
    "share",
    "what an observer sees of the diffusion of Park et al. 2023, section 7.1",
    says="knew or heard of {key}",
)
def heard(data: RunData) -> dict[str, float | None]:
    """The share of all agents who knew the fact from the start or heard it by the end, by the
    record's `learn` events. One for each fact; none before any time has passed.
    """
    found = {
        one.fact: len(one.at_start) + len(find_first_hearings(data, one))
        for one in trace_run_facts(data)
    }
    people = len(data.names)
    return {fact: ratio(n, people) if data.ticks else None for fact, n in found.items()}


@measure("Time until half know", "hours", "half-time of a diffusion; ours")
def half_time(data: RunData) -> dict[str, MeasuredValue]:
    """Game hours from the start until at least half of all agents knew the fact. One for each fact.
    Where that did not happen, the hours of the run, as a time that is censored; none where it was
    so from the start.
    """
    return {one.fact: _compute_half_time(data, one) for one in trace_run_facts(data)}


def _compute_half_time(data: RunData, spread: Spread) -> MeasuredValue:
    hearings = find_first_hearings(data, spread)
    missing = -(-len(data.names) // 2) - len(spread.at_start)
    if missing <= 0:
        return MeasuredValue(None, FROM_THE_START)
    if missing > len(hearings):
        return MeasuredValue(data.hours, NOT_REACHED, censored=True)
    return MeasuredValue(hearings[missing - 1][0] / data.hour, REACHED)
