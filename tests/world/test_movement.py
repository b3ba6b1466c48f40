import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.actions import Action, Idle, Move, Restart
from tests.world.conftest import MakeTown, TownDriver, scenario


def test_a_move_advances_one_tile_a_tick_and_arrives_on_a_shortest_path(
    make_town: MakeTown,
) -> None:
    town = make_town()
    town.place("Dee", 15, 1)
    steps = 0
    while not town.percept("Dee").result.arrived:
        town.step(Dee=Move("House/hall"))
        steps += 1
        assert steps < 40
    assert town.percept("Dee").me.place == "House/hall"
    assert steps == 10  # 8 columns to the tile inside the door, 2 rows


def test_moving_to_a_person_ends_beside_them_and_needs_having_seen_them(
    make_town: MakeTown,
) -> None:
    town = make_town()
    town.place("Ann", 1, 1)
    town.place("Bob", 7, 4)
    for _ in range(12):
        town.step(Ann=Move("Bob"))
    assert town.percept("Ann").people[0].distance <= 1
    town.step(Ann=Move("Dee Dogwood"))
    assert "do not know where" in town.percept("Ann").result.text
    assert town.infos["Ann Ash"]["illegal"] == 1


def test_one_goes_where_a_person_was_last_seen_and_is_told_when_they_are_gone(
    make_town: MakeTown,
) -> None:
    town = make_town()
    town.place("Ann", 1, 1)
    town.place("Bob", 7, 3)
    town.place("Bob", 12, 1)  # left unseen
    texts = []
    for _ in range(12):
        town.step(Ann=Move("Bob"))
        texts.append(town.percept("Ann").result.text)
    assert any("not there any more" in t for t in texts)


@settings(max_examples=25)
@given(
    st.sampled_from([0.03, 0.1, 0.15, 0.25, 0.4]),
    st.lists(
        st.tuples(
            *[st.sampled_from(["House/hall", "House/den", "12,3", "stove", "Bob", "2,6", ""])] * 4
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_nobody_walks_further_in_a_tick_than_the_speed_allows(
    speed: float, errands: list[tuple[str, ...]]
) -> None:
    town = TownDriver(scenario(rules={"walk_speed": speed}))
    paths = town.world.town.paths
    for errand in errands:
        for _ in range(7):
            before = town.world.positions
            acts: dict[str, Action] = {
                name: Move(place) if place else Idle()
                for name, place in zip(("Ann", "Bob", "Cem", "Dee"), errand, strict=True)
            }
            town.step(**acts)
            walked = np.abs(town.world.positions - before).sum(axis=1)
            assert walked.max() <= paths.tiles_at(town.world.tick)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("Huose/den", "did you mean House/den?"),
        *((tile, "") for tile in ("99,99", "0,0", "-1,3", "4,", "a,b", "1" * 30 + ",1")),
    ],
)
def test_what_is_no_place_is_refused_and_nothing_moves(
    make_town: MakeTown, place: str, told: str
) -> None:
    town = make_town()
    before = town.world.positions
    town.step(Ann=Move(place))
    assert not town.percept("Ann").result.ok
    assert told in town.percept("Ann").result.text
    assert (town.world.positions == before).all()


def test_restart_returns_to_the_start_only_where_the_scenario_allows_it(
    make_town: MakeTown,
) -> None:
    town = make_town(rules={"restart": True})
    start = town.percept("Dee").me.tile
    for _ in range(5):
        town.step(Dee=Move("House/hall"))
    town.step(Dee=Restart())
    assert town.percept("Dee").me.tile == start
    town = make_town()
    town.step(Dee=Restart())
    assert not town.percept("Dee").result.ok
