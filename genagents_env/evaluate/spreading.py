"""How the knowledge of each fact grew over time."""

from collections.abc import Sequence

from genagents_env.evaluate.knowledge import Spread, fact_spreads
from genagents_env.evaluate.run_data import RunData


def curves(data: RunData) -> dict[str, list[tuple[float, int]]]:
    """Return for each fact the steps of how many people know it.

    Returns:
        By fact, pairs of game seconds since the start and the number who know it from then on:
        the first at 0, one for each time at which somebody heard it, the last at the end.
    """
    second = data.meta.seconds_per_tick
    found: dict[str, list[tuple[float, int]]] = {}
    for spread in fact_spreads(data):
        counts = {0: len(spread.at_start)}
        for more, (tick, _) in enumerate(first_heard(spread, data.names), start=1):
            counts[tick] = len(spread.at_start) + more
        counts.setdefault(data.last_tick, list(counts.values())[-1])
        found[spread.fact] = [(float(tick * second), count) for tick, count in counts.items()]
    return found


def first_heard(spread: Spread, names: Sequence[str]) -> list[tuple[int, str]]:
    """Return who of `names` heard a fact they did not know, and the tick, each once, in order."""
    found: dict[str, int] = {}
    for hearing in sorted(spread.heard, key=lambda one: one.tick):
        if hearing.agent in names and hearing.agent not in spread.at_start:
            found.setdefault(hearing.agent, hearing.tick)
    return [(tick, agent) for agent, tick in found.items()]
