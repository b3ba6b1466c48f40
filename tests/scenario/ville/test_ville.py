"""Towns in the matrices of Smallville's public code: nothing is lost, nothing invented."""

from pathlib import Path

import numpy as np
import pytest

from genagents_env.errors import ScenarioError
from genagents_env.scenario import lay_out, load_scenario, validate_folder
from genagents_env.scenario.maps.ville import read_ville
from genagents_env.scenario.new_town import format_new_town
from genagents_env.scenario.town import list_warnings
from tests.scenario.bad_folders import Bad, read_rows, write
from tests.scenario.ville.matrices import HEIGHT, VILLE, WIDTH

PLACE = ["outside", "Lodge/hall", "Lodge/Bea's room", "Mill Park/park", "Lodge"]


def import_town(folder: Path) -> Path:
    drawn, world = read_ville(write(folder / "matrices", VILLE))
    return write(folder / "lodge", format_new_town(drawn, name="lodge", title="T", town=world))


def test_every_tile_sector_arena_and_object_is_there(tmp_path: Path) -> None:
    plan = lay_out(load_scenario(import_town(tmp_path)))
    assert (plan.width, plan.height) == (WIDTH, HEIGHT)
    assert [plan.arena_id(a) for a in range(len(plan.arenas))] == PLACE
    assert [arena.ground for arena in plan.arenas] == [False] * 4 + [True]
    assert {plan.object_id(o): item.tiles for o, item in enumerate(plan.objects)} == {
        "Lodge/hall/blackboard": ((1, 1),),
        "Lodge/hall/hall seating": ((3, 1), (1, 3)),
        "Lodge/Bea's room/bed": ((6, 1), (7, 1)),
        "Mill Park/park/park garden": ((1, 5), (2, 5)),
    }
    assert {spawn.id: spawn.tile for spawn in plan.spawns} == {
        "Lodge/Bea's room/sp-A": (6, 1),
        "Lodge/hall/sp-A": (2, 2),
    }


def test_the_corridor_is_the_sectors_and_a_sealed_corner_is_closed(tmp_path: Path) -> None:
    folder = import_town(tmp_path)
    assert validate_folder(folder) == []
    scenario = load_scenario(folder)
    plan = lay_out(scenario)
    assert [len(sector.arenas) for sector in scenario.sectors] == [2, 1]
    assert PLACE[plan.arena[3, 4]] == PLACE[plan.arena[4, 5]] == "Lodge"
    assert PLACE[plan.arena[6, 9]] == "outside"
    assert plan.sealed == ((8, 2),)
    assert plan.blocked[2, 8]
    (warning,) = list_warnings(plan)
    assert 'map: "Lodge/Bea\'s room": 1 of its tiles' in warning
    assert "[8, 2]" in warning


META, THINGS = "maze_meta_info.json", "special_blocks/game_object_blocks.csv"
BAD = {
    **read_rows("ville", VILLE),
    "meta: a list": Bad(META, VILLE[META], "[1]", f'{META}:maze_width: "None"; a whole', VILLE),
    "bytes": Bad("maze/collision_maze.csv", "99", "\udcff", "is no UTF-8 text", VILLE),
    "legend: long": Bad(THINGS, "bed", "b" * 61, "characters and no '/'", VILLE),
}


@pytest.mark.parametrize("name", BAD)
def test_broken_matrices_are_refused_with_file_and_tile(name: str, tmp_path: Path) -> None:
    bad = BAD[name]
    folder = write(tmp_path, bad.files())
    with pytest.raises(ScenarioError) as refused:
        read_ville(folder)
    assert any(bad.message in fault for fault in refused.value.faults), refused.value.faults


@pytest.mark.parametrize("name", VILLE)
def test_a_file_left_out_is_named(name: str, tmp_path: Path) -> None:
    files = {key: text for key, text in VILLE.items() if key != name}
    if name == "special_blocks/world_blocks.csv":
        read_ville(write(tmp_path, files))  # it says nothing that is needed
        return
    with pytest.raises(ScenarioError, match=Path(name).name):
        read_ville(write(tmp_path, files))


def test_all_numbers_on_one_line_and_a_folder_matrix_are_read_too(tmp_path: Path) -> None:
    """As the public code has them."""
    files = {name: ", ".join(text.splitlines()) for name, text in VILLE.items() if "maze/" in name}
    one, _ = read_ville(write(tmp_path / "plain", VILLE))
    write(tmp_path / "other" / "matrix", {**VILLE, **files})
    other, _ = read_ville(tmp_path / "other")
    assert np.array_equal(one.grid.arena, other.grid.arena)
    assert np.array_equal(one.grid.blocked, other.grid.blocked)
