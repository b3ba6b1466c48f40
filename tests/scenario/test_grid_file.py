"""Maps in layers of numbers: what they can say that an alphabet of symbols could not."""

import re
from pathlib import Path

import numpy as np
import pytest

from genagents_env.scenario import lay_out, load_scenario, validate_folder
from genagents_env.scenario.maps.ascii import read_ascii
from genagents_env.scenario.maps.grid import format_grid, read_grid
from tests.scenario.bad_folders import DRAWN, GRID, LODGE, Bad, Files, read_rows, write


def test_objects_corridors_and_spawns_are_in_the_plan(tmp_path: Path) -> None:
    town = lay_out(load_scenario(write(tmp_path, LODGE)))
    assert [item.tiles for item in town.objects] == [
        ((2, 2), (3, 2), (4, 2)),
        ((1, 0),),
        ((8, 1), (8, 2)),
    ]
    corridor = town.arena[4, 3]
    assert town.arenas[corridor].ground
    assert town.arena_id(corridor) == "Lodge"
    rooms = [town.arena_id(a) for a, arena in enumerate(town.arenas) if not arena.ground]
    assert rooms == ["outside", "Lodge/hall", "Lodge/room"]
    assert {spawn.id: spawn.tile for spawn in town.spawns} == {
        "Lodge/hall/head": (1, 2),
        "Lodge/room/rug": (7, 1),
    }
    assert town.find_tile("Lodge/room/rug") == (7, 1)
    assert town.find_tile("4,3") == (4, 3)
    assert town.find_tile("Lodge/room") is None


def test_a_grid_file_goes_through_the_neutral_form_unchanged() -> None:
    drawn, faults = read_grid(GRID + "[doors]\n1 1\n")
    assert drawn is not None
    assert faults == []
    assert drawn.sprites == (("Ann Low", "ann.png"),)
    assert drawn.grid.doors == [(1, 1)]
    text = format_grid(drawn)
    again, _ = read_grid(text)
    assert again is not None
    assert format_grid(again) == text
    assert np.array_equal(drawn.grid.arena, again.grid.arena)
    assert [item.tiles for item in drawn.objects] == [item.tiles for item in again.objects]


def test_a_drawn_town_as_layers_is_the_same_town(tmp_path: Path) -> None:
    first = load_scenario(write(tmp_path / "text", DRAWN))
    drawn, _ = read_ascii(first)
    assert drawn is not None
    files = {**DRAWN, "map.grid": format_grid(drawn)}
    del files["map.txt"]
    files["scenario.toml"] = files["scenario.toml"].replace(', symbol = "h"', "")
    one, other = lay_out(first), lay_out(load_scenario(write(tmp_path / "grid", files)))
    assert np.array_equal(one.blocked, other.blocked)
    assert np.array_equal(one.arena, other.arena)
    assert one.objects == other.objects
    assert one.doors == other.doors


def test_the_map_that_the_docs_show_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "maps.md").read_text()
    (grid,) = re.findall(r"```\n(genagents map 1\n.*?)```", page, re.S)
    text = LODGE["scenario.toml"].replace('spawns = [{ name = "head" }]\n', "")
    text = text.replace('  { name = "blackboard", states = ["clean", "full"] },\n', "")
    files = {"scenario.toml": text, "map.grid": grid}
    town = lay_out(load_scenario(write(tmp_path, files)))
    assert town.objects[0].tiles == ((2, 2), (3, 2), (4, 2))
    assert town.doors == ((5, 5),)
    assert len(town.objects) == 2, "the bed, which is not drawn, has a tile by rule"


DOORS: Files = {**LODGE, "map.grid": GRID.replace("[layer closed]", "[doors]\n1 1\n[layer closed]")}
ONE_BED: Files = {**LODGE, "map.grid": GRID.replace("1 1 1 0 0 0 3 0", "1 1 1 5*0")}

M, S = "map.grid", "scenario.toml"
BAD = {
    **read_rows("lodge", LODGE),
    **read_rows("lodge_with_doors", DOORS),
    "empty": Bad(M, GRID.partition("\n")[2], "", 'map.grid:line 2: "" is no size; such as', LODGE),
    "object not drawn": Bad(M, "8*0 3 0", "10*0", '"Lodge/room/bed"', ONE_BED),
    "start in another's corridor": Bad(
        S,
        'name = "Lodge"\ncommon = true',
        'name = "Lodge"\nusers = ["Ann Low"]',
        'start: Bob Mey is not among the users of "Lodge"',
        {**LODGE, S: LODGE[S].replace('"4,3"', '"4,4"')},
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_grid_faults_name_their_place(name: str, tmp_path: Path) -> None:
    bad = BAD[name]
    faults = validate_folder(write(tmp_path, bad.files()))
    assert any(bad.message in fault for fault in faults), faults
    rows = 18 if name == "another size" else 0
    assert len(faults) <= 4 + rows, "one slip is not told as many"


def test_unchanged_grids_are_valid(tmp_path: Path) -> None:
    for name, files in {"plain": LODGE, "doors": DOORS, "bed": ONE_BED}.items():
        assert validate_folder(write(tmp_path / name, files)) == []
