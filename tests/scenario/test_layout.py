import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from genagents_env.errors import ScenarioError
from genagents_env.scenario import OUTSIDE, Scenario, TownPlan, lay_out, load_scenario
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, SectorSpec

TINY = load_scenario("tiny")

sizes = st.tuples(st.integers(2, 12), st.integers(2, 12))


@st.composite
def sectors(draw: st.DrawFn) -> tuple[SectorSpec, ...]:
    found = []
    for i in range(draw(st.integers(1, 12))):
        open_air = draw(st.booleans())
        arenas = tuple(
            ArenaSpec(
                name=f"room {j}",
                size=draw(sizes),
                open_air=open_air,
                objects=tuple(ObjectSpec(name=f"o{k}") for k in range(draw(st.integers(0, 4)))),
            )
            for j in range(draw(st.integers(1, 9)))
        )
        found.append(SectorSpec(name=f"sector {i}", arenas=arenas))
    return tuple(found)


def town(places: tuple[SectorSpec, ...]) -> Scenario:
    """A scenario with these places and the first person of `tiny` in the first of them."""
    person = TINY.people[0].model_copy(update={"home": places[0].name, "start": None})
    return TINY.model_copy(update={"sectors": places, "people": (person,), "map": None})


def assert_is_a_town(plan: TownPlan) -> None:
    """Everything walkable hangs together; rooms, doors and objects are where they should be."""
    _, parts = ndimage.label(~plan.blocked)
    assert parts == 1
    assert set(np.unique(plan.arena[~plan.blocked])) >= set(range(1, len(plan.arenas)))
    assert (plan.arena[plan.blocked] == OUTSIDE).all()
    tiles = [item.tile for item in plan.objects]
    assert len(set(tiles)) == len(tiles)
    assert not set(tiles) & set(plan.doors)
    for item in plan.objects:
        x, y = item.tile
        assert not plan.blocked[y, x]
        assert plan.arena[y, x] == item.arena
    assert len(set(plan.doors)) == len(plan.doors)
    for x, y in plan.doors:
        assert not plan.blocked[y, x]
        beside = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        near = [plan.arena[b, a] for a, b in beside if 0 <= a < plan.width and 0 <= b < plan.height]
        assert plan.arena[y, x] in near
        assert plan.arena[y, x] == max(near)


def assert_walls_are_whole(plan: TownPlan) -> None:
    """One passes between a walled arena and anything else only through a door."""
    walled = np.array([not arena.open_air for arena in plan.arenas])
    doors = np.zeros_like(plan.blocked)
    for x, y in plan.doors:
        doors[y, x] = True
    for axis in (0, 1):
        before, after = range(doors.shape[axis] - 1), range(1, doors.shape[axis])
        here, there = plan.arena.take(before, axis), plan.arena.take(after, axis)
        shut = plan.blocked.take(before, axis) | plan.blocked.take(after, axis)
        door = doors.take(before, axis) | doors.take(after, axis)
        crossing = ~shut & (here != there) & (walled[here] | walled[there])
        assert door[crossing].all()


@settings(max_examples=20, deadline=None)
@given(sectors())
def test_any_sectors_make_a_town_where_every_room_is_reached(
    places: tuple[SectorSpec, ...],
) -> None:
    scenario = town(places)
    plan = lay_out(scenario)
    assert_is_a_town(plan)
    assert_walls_are_whole(plan)
    assert len(plan.objects) == sum(len(a.objects) for s in places for a in s.arenas)
    again = lay_out(scenario)
    assert plan.objects == again.objects
    assert plan.doors == again.doors
    assert (plan.arena == again.arena).all()


def test_a_town_that_does_not_fit_is_refused() -> None:
    rooms = tuple(ArenaSpec(name=f"r{i}", size=(40, 40)) for i in range(20))
    places = tuple(SectorSpec(name=f"s{i}", arenas=rooms) for i in range(20))
    with pytest.raises(ScenarioError, match="at most 512 x 512"):
        lay_out(town(places))


def drawing(plan: TownPlan) -> list[str]:
    """The plan in characters: arenas as digits, objects as `o`."""
    marks = {item.tile: "o" for item in plan.objects} | dict.fromkeys(plan.doors, "+")
    return [
        "".join(
            "#" if plan.blocked[y, x] else marks.get((x, y)) or f"{plan.arena[y, x] or '.'}"
            for x in range(plan.width)
        )
        for y in range(plan.height)
    ]


def test_a_house_has_its_rooms_behind_the_entrance_and_a_door_to_the_street() -> None:
    rooms = ("hall", "bed", "bath", "kitchen")
    objects = (ObjectSpec(name="a"), ObjectSpec(name="b"))
    arenas = tuple(ArenaSpec(name=name, size=(3, 2), objects=objects) for name in rooms)
    park = ArenaSpec(name="Park", size=(4, 3), open_air=True)
    plan = lay_out(
        town((SectorSpec(name="House", arenas=arenas), SectorSpec(name="Park", arenas=(park,))))
    )
    assert [plan.arena_id(a) for a in (0, 1, 5)] == [TINY.outside, "House/hall", "Park"]
    assert plan.object_id(0) == "House/hall/a"
    assert drawing(plan) == [
        ".................",
        ".................",
        "..#############..",
        "..#o2o#o3o#o4o#..",
        "..#222#333#444#..",
        "..##+###+###+##..",
        "..#o1111111111#..",
        "..#1o111111111#..",
        "..######+######..",
        ".................",
        ".................",
        "..5555...........",
        "..5555...........",
        "..5555...........",
        ".................",
        ".................",
    ]
