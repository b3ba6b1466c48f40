import numpy as np
import pytest

from genagents_env.actions import Move, Restart
from genagents_env.scenario import lay_out
from genagents_env.world.tiles import STAY, Ground
from tests.world.conftest import Play, scenario


def test_a_move_advances_one_tile_a_tick_and_arrives_on_a_shortest_path(play: Play) -> None:
    stage = play()
    stage.place("Dee", 15, 1)
    steps = 0
    while not stage.percept("Dee").result.arrived:
        stage.step(Dee=Move("House/hall"))
        steps += 1
        assert steps < 40
    assert stage.percept("Dee").me.place == "House/hall"
    assert steps == 10  # 8 columns to the tile inside the door, 2 rows


def test_faster_walkers_cover_the_distance_their_speed_and_the_tick_give(play: Play) -> None:
    stage = play(rules={"walk_speed": 0.25})  # 2.5 tiles in 10 seconds
    stage.place("Dee", 15, 3)
    columns = []
    for _ in range(4):
        stage.step(Dee=Move("1,3"))
        columns.append(stage.percept("Dee").me.tile[0])
    assert columns == [13, 10, 8, 5]


def test_the_same_move_is_markov_after_the_walker_was_carried_away(play: Play) -> None:
    stage = play()
    stage.step(Dee=Move("House/hall"))
    stage.place("Dee", 18, 1)
    for _ in range(20):
        stage.step(Dee=Move("House/hall"))
    assert stage.percept("Dee").me.place == "House/hall"


def test_moving_to_an_object_ends_beside_it(play: Play) -> None:
    stage = play()
    for _ in range(20):
        stage.step(Dee=Move("stove"))
    assert stage.percept("Dee").result.arrived
    assert next(o for o in stage.percept("Dee").objects if o.name == "stove").usable


def test_moving_to_a_person_ends_beside_them_and_needs_having_seen_them(
    play: Play,
) -> None:
    stage = play()
    stage.place("Ann", 1, 1)
    stage.place("Bob", 7, 4)
    for _ in range(12):
        stage.step(Ann=Move("Bob"))
    assert stage.percept("Ann").people[0].distance <= 1
    stage.step(Ann=Move("Dee Dogwood"))
    assert "do not know where" in stage.percept("Ann").result.text
    assert stage.infos["Ann Ash"]["illegal"] == 1


def test_one_goes_where_a_person_was_last_seen_and_is_told_when_they_are_gone(play: Play) -> None:
    stage = play()
    stage.place("Ann", 1, 1)
    stage.place("Bob", 7, 3)
    stage.place("Bob", 12, 1)  # left unseen
    texts = []
    for _ in range(12):
        stage.step(Ann=Move("Bob"))
        texts.append(stage.percept("Ann").result.text)
    assert any("not there any more" in t for t in texts)


def test_people_who_arrive_on_one_tile_make_room_for_each_other(play: Play) -> None:
    stage = play()
    for name, x in (("Ann", 9), ("Bob", 10), ("Cem", 11), ("Dee", 12)):
        stage.place(name, x, 3)
    for _ in range(15):
        move = Move("House/hall")
        stage.step(Ann=move, Bob=move, Cem=move, Dee=move)
    tiles = {stage.percept(n).me.tile for n in ("Ann", "Bob", "Cem", "Dee")}
    assert len(tiles) == 4


def test_unknown_names_are_refused_with_a_suggestion_and_nothing_moves(play: Play) -> None:
    stage = play()
    before = stage.world.positions
    stage.step(Ann=Move("Huose/den"))
    assert "did you mean House/den?" in stage.percept("Ann").result.text
    assert (stage.world.positions == before).all()


@pytest.mark.parametrize("tile", ["99,99", "0,0", "-1,3", "4,", "a,b", "1" * 30 + ",1"])
def test_tiles_outside_walls_or_nonsense_are_refused(play: Play, tile: str) -> None:
    stage = play()
    stage.step(Ann=Move(tile))
    assert not stage.percept("Ann").result.ok


def test_restart_returns_to_the_start_only_where_the_scenario_allows_it(play: Play) -> None:
    stage = play(rules={"restart": True})
    start = stage.percept("Dee").me.tile
    for _ in range(5):
        stage.step(Dee=Move("House/hall"))
    stage.step(Dee=Restart())
    assert stage.percept("Dee").me.tile == start
    stage = play()
    stage.step(Dee=Restart())
    assert not stage.percept("Dee").result.ok


def test_every_direction_field_leads_downhill_to_its_target(play: Play) -> None:
    ground = Ground(lay_out(play().world.scenario))
    target = ground.tile(18, 1)
    field = ground.field((target,))
    for start in np.flatnonzero(ground.free).tolist():
        tile, steps = start, 0
        while tile != target:
            assert field[tile] != STAY
            tile += int(ground.delta[field[tile]])
            steps += 1
            assert steps < ground.count
        assert field[tile] == STAY


def test_nobody_cuts_through_a_house_on_the_way_to_another() -> None:
    from genagents_env.scenario import load_scenario

    plan = lay_out(load_scenario("valentines_party"))
    ground = Ground(plan)
    sector = np.array([a.sector for a in plan.arenas])[ground.arena]
    indoors = ground.zone > 0
    random = np.random.default_rng(1)
    free = np.flatnonzero(ground.free & indoors)
    for start, target in random.choice(free, (60, 2)).tolist():
        field, tile, entered = ground.field((target,)), start, set()
        while tile != target:
            tile += int(ground.delta[field[tile]])
            if indoors[tile]:
                entered.add(int(sector[tile]))
        assert entered <= {int(sector[start]), int(sector[target])}


def test_a_house_inside_a_house_can_still_be_reached(play: Play) -> None:
    sectors = scenario().model_dump(mode="json")["sectors"]
    hall, den, closet = sectors[0]["arenas"]
    stage = play(
        sectors=[
            {"name": "House", "common": True, "arenas": [hall]},
            {"name": "Shop", "common": True, "arenas": [den]},
            {"name": "Vault", "common": True, "arenas": [closet]},
        ],
        people=[
            {"name": n, "persona": "x", "home": "House"}
            for n in ("Ann Ash", "Bob Birch", "Cem Cedar", "Dee Dogwood")
        ],
    )
    for _ in range(30):
        stage.step(Ann=Move("Vault"))
    assert stage.percept("Ann").me.place == "Vault/closet"
