"""How far it is in a town, and so how long an episode there has to last."""

import math

import numpy as np

from genagents_env.scenario import Scenario, lay_out
from genagents_env.train.tasks.layouts import list_rooms
from genagents_env.world.places import find_arenas
from genagents_env.world.tiles import Ground, Ints

_USUAL = 45  # steps between the farthest rooms of a drawn town, at most


def fit_horizon(town: Scenario, ticks: int) -> int:
    """Return how many ticks an episode has in `town` that has `ticks` in a drawn one.

    It grows with the way between the two rooms farthest from each other.
    """
    plan = lay_out(town)
    ground = Ground(plan)
    rooms = [ground.tiles_of(find_arenas(plan, room)) for room in list_rooms(town)]
    firsts = [tiles[0] for tiles in rooms if tiles]
    longest = max(int(count_steps(ground, tile)[firsts].max()) for tile in firsts)
    return ticks if longest <= _USUAL else math.ceil(ticks * longest / _USUAL)


def count_steps(ground: Ground, tile: int) -> Ints:
    """Return the steps of a shortest path from a tile to every other, -1 where there is none."""
    steps: Ints = np.full(ground.count, -1, dtype=np.int64)
    level = np.array([tile])
    steps[tile] = 0
    while len(level):
        beyond = np.unique(ground.neighbours[:, level])
        level, before = beyond[(beyond >= 0) & (steps[beyond] < 0)], steps[level[0]]
        steps[level] = before + 1
    return steps
