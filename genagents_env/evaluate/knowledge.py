"""Who heard which fact, when, and from whom. Heard, not known: only an interview can show that."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genagents_env.evaluate.run_data import RunData, once_per_run
from genagents_env.scenario.schema import Fact
from genagents_env.world.events import Event


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
def fact_spreads(data: RunData) -> tuple[Spread, ...]:
    """Return how each fact of the scenario spread in a run, in its order."""
    return tuple(spreads(data.scenario.facts, data.names, data.events))


def spreads(facts: Sequence[Fact], names: Sequence[str], events: Iterable[Event]) -> list[Spread]:
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
