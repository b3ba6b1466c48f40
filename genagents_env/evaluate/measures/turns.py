"""How evenly turns are shared."""

import math
from collections import Counter
from statistics import fmean

import numpy as np

from genagents_env.evaluate.conversations import members_of, spoken_in
from genagents_env.evaluate.measures.measure import measure
from genagents_env.evaluate.run_data import RunData

_SHANNON = "normalised entropy (Shannon 1948; Pielou 1966)"


@measure(
    "turn_balance",
    "Balance of turns",
    "0..1",
    """For each conversation the entropy of who speaks, over the logarithm of the number of its
    members: 1 where all speak equally often, 0 where one alone does; the mean over the
    conversations with two members or more in which anything was said. None without one.""",
    _SHANNON,
)
def turn_balance(data: RunData) -> float | None:
    """Return the mean."""
    members = members_of(data)
    found = [
        evenness(list(counts.values()), members.get(id_, len(counts)))
        for id_, counts in spoken_in(data).items()
        if members.get(id_, len(counts)) > 1
    ]
    return fmean(found) if found else None


@measure(
    "talk_inequality",
    "Inequality of talk",
    "0..1",
    """The Gini coefficient of the utterances of all agents: 0 where all speak equally often, near
    1 where one says everything. None for fewer than two agents, or where nothing was said.""",
    "Gini 1912",
)
def talk_inequality(data: RunData) -> float | None:
    """Return the coefficient."""
    counts = Counter(event.agent for event in data.utterances)
    return gini([counts[name] for name in data.names])


def evenness(counts: list[int], of: int) -> float:
    """Return the entropy of `counts` over log(of), in 0..1; `of` is at least 2 and their number."""
    whole = sum(counts)
    entropy = -sum(n / whole * math.log(n / whole) for n in counts if n)
    return min(1.0, max(0.0, entropy / math.log(max(of, len(counts)))))


def gini(counts: list[int]) -> float | None:
    """Return the Gini coefficient; None of fewer than two, or of zeros alone."""
    ordered = np.sort(np.asarray(counts, dtype=np.float64))
    n, whole = len(ordered), float(ordered.sum())
    if n < 2 or not whole:
        return None
    ranks = np.arange(1, n + 1)
    return float(2 * (ranks * ordered).sum() / (n * whole) - (n + 1) / n)
