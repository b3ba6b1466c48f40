"""Drawn towns: valid, reachable, all different, and the same for the same seed."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.errors import ConfigError
from genagents_env.run import rollout
from genagents_env.scenario import Scenario, lay_out, load_scenario
from genagents_env.scenario.digest import digest_scenario
from genagents_env.scenario.loader import check_scenario
from genagents_env.train.tasks import ELSEWHERE
from genagents_env.train.tasks.block_map import ROOMS as BLOCK_ROOMS
from genagents_env.train.tasks.block_map import draw_block
from genagents_env.train.tasks.layouts import (
    ROOMS,
    draw_block_town,
    draw_names,
    draw_town,
    list_rooms,
    list_things,
)
from genagents_env.train.tasks.street_map import GROUND, measure_walks
from tests.train.tasks.names import SMALL

SEEDS = (*range(128), *range(1_000_000, 1_000_032))


@cache
def draw_towns() -> tuple[Scenario, ...]:
    return tuple(draw_town(seed) for seed in SEEDS)


def test_towns_are_valid_and_all_of_each_can_be_reached() -> None:
    for town in draw_towns():
        assert check_scenario(town) == []
        plan = lay_out(town)
        assert not plan.sealed
        assert len(plan.objects) == len(list_things(town))


def test_no_two_towns_are_alike_and_each_repeats() -> None:
    towns = draw_towns()
    assert len({town.map for town in towns}) == len(towns)
    assert len({tuple(list_things(town)) for town in towns}) == len(towns)
    again = [draw_town(seed) for seed in SEEDS[::10]]
    assert again == list(towns[::10])


def test_towns_have_all_numbers_of_rooms_and_one_to_three_things_in_each() -> None:
    counts: Counter[int] = Counter()
    states: Counter[int] = Counter()
    things: Counter[int] = Counter()
    for town in draw_towns():
        counts[len(list_rooms(town))] += 1
        states.update(len(known) for known in list_things(town).values())
        things.update(len(arena.objects) for sector in town.sectors for arena in sector.arenas)
    assert set(counts) == set(range(ROOMS[0], ROOMS[1] + 1))
    assert min(counts.values()) > 16
    assert set(things) == {1, 2, 3}
    assert set(states) == {2, 3, 4}


def test_towns_are_those_of_earlier_versions() -> None:
    """A policy that was trained on them, and figures over held-out ones, stay comparable."""
    drawn = [digest_scenario(draw_town(seed))[:16] for seed in (0, 127, 1_000_000)]
    assert drawn == ["625425fdda9f6d49", "4811d81d11db40f7", "5685c1f26e501bad"]


def test_of_a_shipped_town_only_what_is_open_to_everybody_is_listed() -> None:
    town = load_scenario("valentines_party")
    rooms, things = list_rooms(town), list_things(town)
    assert len(rooms) > 10
    assert {thing.rpartition("/")[0] for thing in things} <= set(rooms)
    assert not [thing for thing in things if thing.endswith("s bed")]
    house_rules = load_scenario("house_rules")
    closed = {sector.name for sector in house_rules.sectors if sector.hours}
    assert closed
    assert not [room for room in list_rooms(house_rules) if room.split("/")[0] in closed]


def test_names_differ_from_one_another() -> None:
    names = draw_names(np.random.default_rng(0), 48)
    assert len({name.split()[0] for name in names}) == 48
    assert len({name.split()[1] for name in names[:25]}) == 25
    with pytest.raises(ConfigError, match="at most 48 names"):
        draw_names(np.random.default_rng(0), 49)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"seed": -1}, "seed: -1 is not allowed; 0 or more"),
        ({"rooms": (3, 8)}, r"rooms: \(3, 8\) is not allowed; from 4 to 8"),
        ({"rooms": (6, 5)}, r"rooms: \(6, 5\) is not allowed"),
        ({"people": 0}, "people: 0 is not allowed; at least 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        draw_town(**{"seed": 0, **wrong})  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("rooms", range(BLOCK_ROOMS[0], BLOCK_ROOMS[1] + 1))
def test_every_room_can_be_reached_from_every_other(rooms: int) -> None:
    for seed in range(8):
        lots, tiles = draw_block(np.random.default_rng(seed), rooms)
        assert sum(lot.rooms for lot in lots) == rooms == tiles.max()
        spots = [tuple(np.argwhere(tiles == room)[0]) for room in range(1, rooms + 1)]
        outside = tuple(np.argwhere(tiles == GROUND)[0])
        assert measure_walks(tiles, [*spots, outside]).min() >= 0


def test_all_towns_differ_and_are_larger() -> None:
    towns = [draw_block_town(seed) for seed in ELSEWHERE[:64]]
    assert len({town.map for town in towns}) == 64
    for town in towns:
        plan = lay_out(town)
        assert min(plan.width, plan.height) >= 20
        assert BLOCK_ROOMS[0] <= len(list_rooms(town)) <= BLOCK_ROOMS[1]
        assert len(list_things(town)) >= 4


@pytest.mark.parametrize("task", SMALL)
def test_a_task_can_be_solved_there(task: str) -> None:
    env = town_v0.rl_env(task, actions="words", percepts=True)
    seeds = ELSEWHERE[:3]
    earned = [np.mean(list(rollout(env, "solution", seed).returns.values())) for seed in seeds]
    chance = [np.mean(list(rollout(env, "random", seed).returns.values())) for seed in seeds]
    assert np.mean(earned) > np.mean(chance)
