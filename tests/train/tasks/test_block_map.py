"""Towns of the other kind: every room can be reached, and every task fits."""

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.run import rollout
from genagents_env.scenario import lay_out
from genagents_env.train.tasks import ELSEWHERE
from genagents_env.train.tasks.block_map import ROOMS, draw_block
from genagents_env.train.tasks.layouts import draw_block_town, list_rooms, list_things
from genagents_env.train.tasks.street_map import GROUND, measure_walks
from tests.train.tasks.names import SMALL


@pytest.mark.parametrize("rooms", range(ROOMS[0], ROOMS[1] + 1))
def test_every_room_can_be_reached_from_every_other(rooms: int) -> None:
    for seed in range(20):
        lots, tiles = draw_block(np.random.default_rng(seed), rooms)
        assert sum(lot.rooms for lot in lots) == rooms == tiles.max()
        spots = [tuple(np.argwhere(tiles == room)[0]) for room in range(1, rooms + 1)]
        outside = tuple(np.argwhere(tiles == GROUND)[0])
        assert measure_walks(tiles, [*spots, outside]).min() >= 0


def test_all_towns_differ_and_are_larger() -> None:
    towns = [draw_block_town(seed) for seed in ELSEWHERE[:128]]
    assert len({town.map for town in towns}) == 128
    for town in towns:
        plan = lay_out(town)
        assert min(plan.width, plan.height) >= 20
        assert ROOMS[0] <= len(list_rooms(town)) <= ROOMS[1]
        assert len(list_things(town)) >= 4


@pytest.mark.parametrize("task", SMALL)
def test_a_task_can_be_solved_there(task: str) -> None:
    env = town_v0.rl_env(task, actions="words", percepts=True)
    seeds = ELSEWHERE[:4]
    earned = [np.mean(list(rollout(env, "solution", seed).returns.values())) for seed in seeds]
    chance = [np.mean(list(rollout(env, "random", seed).returns.values())) for seed in seeds]
    assert np.mean(earned) > np.mean(chance)
