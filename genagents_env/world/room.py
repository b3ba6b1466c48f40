"""Making room: who arrives on a taken tile steps aside."""

from collections.abc import Callable, Container, Sequence
from itertools import pairwise

from genagents_env.world.snapshot import Bools
from genagents_env.world.state import WorldState
from genagents_env.world.tiles import Ground, Ints


def make_room(
    state: WorldState,
    arrived: Bools,
    taken: list[int],
    goals_of: Callable[[int], Container[int]],
    trail: Sequence[Ints],
) -> None:
    """Who arrives on a taken tile steps aside to a free one that is as good, if any.

    It is one more step: who has taken all that a tick allows has not arrived yet, and takes it at
    the next.

    Args:
        state: where they are.
        arrived: who has come to where they walk, shape (N,); kept up to date.
        taken: the tiles that people stand on, once for each; kept up to date.
        goals_of: returns the tiles that somebody walks to.
        trail: the tiles before this tick's steps and after each, each shape (N,).
    """
    ground, aside = state.town.ground, dict[int, int]()
    allowed = state.town.paths.tiles_at(state.tick)
    for i in arrived.nonzero()[0].tolist():
        tile = int(state.tile[i])
        if taken.count(tile) < 2:
            continue
        near = _find_room(ground, tile, goals_of(i), taken)
        if near is None:
            continue
        taken[taken.index(tile)] = near
        if sum(bool(a[i] != b[i]) for a, b in pairwise(trail)) < allowed:
            aside[i] = near
        else:
            arrived[i] = False
    if aside:
        state.set_tiles(aside)


def _find_room(
    ground: Ground, tile: int, goals: Container[int], taken: Sequence[int]
) -> int | None:
    """Return a free tile beside `tile`, in the same room, at which one has arrived as well."""
    for near in ground.neighbours[:, tile].tolist():
        same = near >= 0 and ground.arena[near] == ground.arena[tile]
        if same and near in goals and near not in taken:
            return int(near)
    return None
