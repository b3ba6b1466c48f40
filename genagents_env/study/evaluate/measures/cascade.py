"""The shape of the tree by which a fact was told on; see `study.evaluate.tellings`."""

from collections import Counter
from collections.abc import Callable

from genagents_env.study.evaluate.measure import measure
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.evaluate.tellings import ToldFact, trace_tellings

_SOURCE = "Vosoughi et al. 2018, The spread of true and false news online; Goel et al. 2016"


def count_generations(fact: ToldFact) -> Counter[int]:
    """Return how many heard a fact in which generation; 1 are those who heard it of the first."""
    found: Counter[int] = Counter()
    for depth, one in fact.walk_tree():
        found[depth + 1] += len(one.hearers)
    return found


@measure("Depth of the cascade", "tellings", _SOURCE)
def cascade_depth(data: RunData) -> dict[str, float | None]:
    """The longest chain of tellings by which the fact reached somebody; news and whispers begin
    one. 0 where nobody heard it. One for each fact that somebody did not know from the start; none
    before any time has passed.
    """
    return _count_each(data, lambda generations: max(generations, default=0))


@measure("Breadth of the cascade", "agents", _SOURCE)
def cascade_breadth(data: RunData) -> dict[str, float | None]:
    """The most people who heard the fact by chains of one length. 0 where nobody heard it. One for
    each fact that somebody did not know from the start; none before any time has passed.
    """
    return _count_each(data, lambda generations: max(generations.values(), default=0))


def _count_each(data: RunData, count: Callable[[Counter[int]], int]) -> dict[str, float | None]:
    return {
        one.fact: float(count(count_generations(one))) if data.ticks else None
        for one in trace_tellings(data)
        if one.heard or one.never
    }
