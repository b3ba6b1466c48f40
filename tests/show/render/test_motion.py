"""People between ticks: at their speed, over free tiles, and where the record has them."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.actions import Action, Idle, Move
from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.film import find_moments
from genagents_env.show.render.fonts import Fonts
from genagents_env.show.render.motion import Motion
from genagents_env.show.render.picture import Picture
from tests.world.conftest import TownDriver, scenario
from tests.world.mazes import make_scenario

CORRIDOR = ["#" * 34, "#a" + "." * 30 + "b#", "#" * 34]


def follow(town: TownDriver) -> Motion:
    world = town.world
    motion = Motion(world.plan, world.scenario.rules, world.town.clock.seconds_per_tick)
    motion.note(world.tick, world.positions)
    return motion


def step(town: TownDriver, motion: Motion, **actions: Action) -> None:
    town.step(**actions)
    motion.note(town.world.tick, town.world.positions)


@pytest.mark.parametrize("speed", [0.01, 0.03, 0.07, 0.1, 0.15, 0.25, 0.4])
def test_one_walks_at_the_same_speed_all_the_time(speed: float) -> None:
    town = TownDriver(make_scenario(CORRIDOR, "a", rules={"walk_speed": speed}))
    motion, ticks = follow(town), int(20 / (10 * speed))
    for _ in range(ticks):
        step(town, motion, P0=Move("Room b"))
    times = np.arange(0, motion.known_until, 0.05)
    columns = np.array([motion.find_positions(time)[0, 0] for time in times])
    assert columns == pytest.approx(1 + times * speed * 10)
    assert motion.known_until > ticks - 1 / (10 * speed)
    assert motion.find_positions(motion.known_until)[0, 0] == town.world.positions[0, 0]


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from([0.02, 0.03, 0.1, 0.15, 0.25, 0.4]),
    st.booleans(),
    st.lists(
        st.tuples(*[st.sampled_from(["House/hall", "House/den", "12,3", "stove", "2,6", ""])] * 4),
        min_size=1,
        max_size=4,
    ),
)
def test_nobody_is_faster_than_the_speed_or_off_the_tiles(
    speed: float, bodies_block: bool, errands: list[tuple[str, ...]]
) -> None:
    town = TownDriver(scenario(rules={"walk_speed": speed, "bodies_block": bodies_block}))
    motion, ground = follow(town), town.world.town.ground
    recorded = [town.world.positions]
    for errand in errands:
        for _ in range(6):
            acts: dict[str, Action] = {
                name: Move(place) if place else Idle()
                for name, place in zip(("Ann", "Bob", "Cem", "Dee"), errand, strict=True)
            }
            step(town, motion, **acts)
            recorded.append(town.world.positions)
    every, before = 0.125, motion.find_positions(0)
    for time in np.arange(0, motion.known_until, every):
        now = motion.find_positions(float(time))
        assert np.abs(now - before).sum(axis=1).max() <= speed * 10 * every + 1e-6
        if time == int(time):
            assert np.abs(now - recorded[int(time)]).sum(axis=1).max() < 1 + 1e-6
        for x, y in now.tolist():
            assert x == int(x) or y == int(y)
            for column, row in ((np.floor(x), np.floor(y)), (np.ceil(x), np.ceil(y))):
                assert ground.free[ground.tile(int(column), int(row))]
        before = now


@pytest.mark.parametrize(("speed", "frames", "late"), [(0.04, 3, 3), (0.1, 4, 0), (0.25, 5, 0)])
def test_a_film_has_its_pictures_at_equal_distances(speed: float, frames: int, late: int) -> None:
    rows = [row[:9] + row[-2:] for row in CORRIDOR]
    town = TownDriver(make_scenario(rows, "a", rules={"walk_speed": speed}))
    world = town.world
    picture = Picture(world.plan, world.names, fonts=Fonts(noto=False))
    motion = Motion(world.plan, world.scenario.rules, 10)
    over = False

    def walk() -> Iterator[RenderSnapshot]:
        nonlocal over
        yield world.snapshot
        for _ in range(6):
            town.step(P0=Move("Room b"))
            yield world.snapshot
        over = True

    early, shown = 0, []
    for moment in find_moments(walk(), motion, frames):
        shown.append(picture.draw(*moment))
        early += not over
    assert (early, len(shown)) == (6 * frames + 1 - late, 6 * frames + 1)
    moves = [not np.array_equal(a, b) for a, b in pairwise(shown)]
    walking = int(min(6, 8 / (10 * speed)) * frames) - late
    assert all(moves[:walking])
    assert np.array_equal(shown[-1], picture.draw(world.snapshot))
