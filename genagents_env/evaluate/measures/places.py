"""How the places of the town are used."""

import numpy as np

from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.places import (
    accompanied,
    arena_count,
    entropy,
    homes,
    in_sectors,
    waking,
    works,
)
from genagents_env.evaluate.run_data import RunData

_OURS = "descriptive; ours"


@measure(
    "place_entropy",
    "Spread over places",
    "0..1",
    """The entropy of the waking time of all agents over the arenas, divided by the logarithm of
    the number of arenas of the town, the open ground with them: 0 where all is spent in one, 1
    where all are used alike. None where nobody was awake.""",
    "normalised entropy (Shannon 1948; Pielou 1966)",
)
def place_entropy(data: RunData) -> float | None:
    """Return the entropy."""
    return entropy(waking(data).sum(axis=0), arena_count(data))


@measure(
    "places_visited",
    "Places visited",
    "arenas",
    """The mean over all agents of the number of arenas in which each was, if only for a tick. None
    before any time has passed.""",
    _OURS,
)
def places_visited(data: RunData) -> float | None:
    """Return the mean."""
    if not data.ticks:
        return None
    visited = {(stay.agent, stay.place) for stay in data.stays if stay.agent in data.row}
    return over(len(visited), len(data.names))


def _share_in(data: RunData, sectors: list[str | None]) -> float | None:
    time = waking(data)
    return over((time * in_sectors(data, sectors)).sum(), time.sum())


@measure(
    "at_home",
    "Time at home",
    "share",
    """Of the time in which agents were awake, the share in the sector of their home. None where
    nobody was awake.""",
    _OURS,
)
def at_home(data: RunData) -> float | None:
    """Return the share."""
    return _share_in(data, homes(data))


@measure(
    "at_work",
    "Time at work",
    "share",
    """Of the time in which agents with a workplace that is not their home were awake, the share in
    its sector. None without such an agent awake.""",
    _OURS,
)
def at_work(data: RunData) -> float | None:
    """Return the share."""
    sectors, time = works(data), waking(data)
    working = np.array([sector is not None for sector in sectors], dtype=np.bool_)
    here = (time * in_sectors(data, sectors)).sum()
    return over(here, time[working].sum())


@measure(
    "elsewhere",
    "Time elsewhere",
    "share",
    """Of the time in which agents were awake, the share neither in the sector of their home nor in
    that of their workplace. None where nobody was awake.""",
    _OURS,
)
def elsewhere(data: RunData) -> float | None:
    """Return the share."""
    time = waking(data)
    own = in_sectors(data, homes(data)) | in_sectors(data, works(data))
    return over((time * ~own).sum(), time.sum())


@measure(
    "together",
    "Time together",
    "share",
    """Of the time in which agents were awake, the share with at least one other, asleep or awake,
    in the same arena; the open ground between the buildings is none. None for fewer than two
    agents, and where nobody was awake.""",
    _OURS,
)
def together(data: RunData) -> float | None:
    """Return the share."""
    if len(data.names) < 2:
        return None
    awake = data.awake[:, : data.ticks]
    return over((accompanied(data) & awake).sum(), awake.sum())
