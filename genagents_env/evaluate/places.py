"""Where people spend their time: by arena, at home and at work, alone and together."""

import math

import numpy as np
import numpy.typing as npt

from genagents_env.evaluate.presence import Bools
from genagents_env.evaluate.run_data import RunData
from genagents_env.scenario.schema import ArenaSpec, SectorSpec

Floats = npt.NDArray[np.float64]


def occupancy(data: RunData) -> tuple[tuple[str, ...], tuple[str, ...], Floats]:
    """Return how long everyone was where, asleep or awake.

    Returns:
        The arenas that anybody was in, the names, and game seconds: shape (arenas, names).
    """
    found: Floats = np.zeros((len(data.arenas), len(data.names)))
    for row, where in enumerate(data.whereabouts[:, : data.ticks]):
        found[:, row] = np.bincount(where[where >= 0], minlength=len(data.arenas))
    return data.arenas, data.names, found * data.meta.seconds_per_tick


def waking(data: RunData) -> Floats:
    """Return the ticks that everyone was in each arena and awake: shape (N, arenas)."""
    found: Floats = np.zeros((len(data.names), len(data.arenas)))
    for row, where in enumerate(data.whereabouts[:, : data.ticks]):
        here = where[data.awake[row, : data.ticks] & (where >= 0)]
        found[row] = np.bincount(here, minlength=len(data.arenas))
    return found


def in_sectors(data: RunData, sectors: list[str | None]) -> Bools:
    """Return which arenas lie in which agent's sector: shape (N, arenas); None is no sector.

    Args:
        data: of the run.
        sectors: one for each name.
    """
    of = [place.split("/")[0] for place in data.arenas]
    return np.array([[sector == one for one in of] for sector in sectors], dtype=np.bool_).reshape(
        len(sectors), len(of)
    )


def homes(data: RunData) -> list[str | None]:
    """Return the sector of everyone's home, None where the scenario has none."""
    found = {person.name: person.home.split("/")[0] for person in data.people}
    return [found.get(name) for name in data.names]


def works(data: RunData) -> list[str | None]:
    """Return the sector of everyone's workplace, None without one, or where it is one's home."""
    found = {
        person.name: person.workplace.split("/")[0]
        for person in data.people
        if person.workplace is not None
    }
    return [
        None if found.get(name) == home else found.get(name)
        for name, home in zip(data.names, homes(data), strict=True)
    ]


def arena_id(sector: SectorSpec, arena: ArenaSpec) -> str:
    """Return the id by which the record names an arena of the scenario."""
    return sector.name if arena.name == sector.name else f"{sector.name}/{arena.name}"


def arena_count(data: RunData) -> int:
    """Return how many arenas the town has, the open ground between the buildings among them."""
    return 1 + sum(len(sector.arenas) for sector in data.scenario.sectors)


def entropy(times: Floats, of: int) -> float | None:
    """Return the entropy of `times` over log(of), in 0..1; None where that has no meaning."""
    whole = float(times.sum())
    if not whole or of < 2:
        return None
    shares = times[times > 0] / whole
    return min(1.0, max(0.0, float(-(shares * np.log(shares)).sum()) / math.log(of)))


def accompanied(data: RunData) -> Bools:
    """Return who had somebody else in the same arena as each tick ended: shape (N, ticks).

    The open ground between the buildings is no room to be together in.
    """
    where = data.whereabouts[:, : data.ticks]
    outside = data.scenario.outside
    rooms = [at for at, place in enumerate(data.arenas) if place != outside]
    found: Bools = np.zeros(where.shape, dtype=np.bool_)
    for room in rooms:
        here = where == room
        found |= here & (here.sum(axis=0) > 1)
    return found
