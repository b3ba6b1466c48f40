"""Broken maps in layers of numbers: each fault names file, line, tile and what is allowed."""

from pathlib import Path

import pytest

from genagents_env.scenario import validate_folder
from tests.scenario.bad_folders import Bad, Files, change, write
from tests.scenario.large_town import GRID, LODGE

DOORS: Files = {**LODGE, "map.grid": GRID.replace("[layer closed]", "[doors]\n1 1\n[layer closed]")}
ONE_BED: Files = {**LODGE, "map.grid": GRID.replace("1 1 1 0 0 0 3 0", "1 1 1 5*0")}

M, S = "map.grid", "scenario.toml"

BAD = {
    "first line": Bad(
        M, "map 1", "map 2", 'map.grid:line 1: "genagents map 2"; "genagents map 1" as'
    ),
    "two maps": Bad("map.txt", "", "###", "map.grid:file: a second map beside map.txt; one is"),
    "no size": Bad(
        M, "size 10 6", "sized 10 6", 'map.grid:line 3: "sized 10 6" is no size; such as'
    ),
    "empty": Bad(M, GRID.partition("\n")[2], "", 'map.grid:line 2: "" is no size; such as'),
    "size 0": Bad(M, "size 10 6", "size 0 6", "line 3: the size is 0 x 6; from 1 x 1 to 512 x 512"),
    "size 513": Bad(M, "size 10 6", "size 10 513", "the size is 10 x 513; from 1 x 1 to 512"),
    "another size": Bad(
        M, "size 10 6", "size 9 6", "line 17: layer closed, row 1: it has 10 tiles;"
    ),
    "stray line": Bad(M, "[places]", "hello", 'line 5: "hello" stands in no section; "places"'),
    "section": Bad(M, "[doors]", "[walls]", 'unknown section "walls"; allowed: "places"', DOORS),
    "section twice": Bad(M, "[objects]", "[places]", 'line 9: a second section "places"; one'),
    "number twice": Bad(M, "7 Lodge/room", "2 Lodge/room", "line 8: places: the number 2 is used"),
    "number 0": Bad(M, "7 Lodge/room", "0 Lodge/room", 'line 8: places: "0 Lodge/room"; a number'),
    "no number": Bad(
        M, "7 Lodge/room", "Lodge/room", 'line 8: places: "Lodge/room"; a number from 1'
    ),
    "place twice": Bad(M, "7 Lodge/room", "7 Lodge/hall", '"Lodge/hall" is listed twice; once is'),
    "strange place": Bad(
        M, "7 Lodge/room", "7 Lodge/rom", 'no place "Lodge/rom" in scenario.toml; did'
    ),
    "place not drawn": Bad(
        M, "[objects]", "8 Lodge/a\n[objects]", '8, "Lodge/a", is nowhere in the'
    ),
    "object not drawn": Bad(M, "8*0 3 0", "10*0", '"Lodge/room/bed"', ONE_BED),
    "strange object": Bad(
        M, "hall/table", "hall/tabel", 'line 10: no object "Lodge/hall/tabel" in'
    ),
    "object in a room": Bad(
        M, "8*0 3 0", "3 0 0 3 6*0", "[3, 1] lies outside its arena; an object"
    ),
    "object in a wall": Bad(
        M, "0, 2, 8*0", "9*0 2", "line 11: nobody can stand at [9, 0] or beside it in its arena"
    ),
    "object in a door": Bad(M, "1 1", "2 2", "line 10: [2, 2] is a door; an object stands", DOORS),
    "object said twice": Bad(S, '"table"', '"table", at = [1, 3]', "at: its tiles are said twice;"),
    "strange spawn": Bad(M, "hall/head", "hall/tail", 'line 14: no spawn "Lodge/hall/tail" in'),
    "spawn left out": Bad(
        M, "1 2 Lodge/hall/head\n", "", "spawns[0].at: missing; a spawn is a tile"
    ),
    "spawn outside": Bad(
        M, "1 2 Lodge", "10 2 Lodge", "line 14: spawns: [10, 2] lies outside the map"
    ),
    "spawn in a wall": Bad(
        M, "1 2 Lodge", "0 2 Lodge", "line 14: [0, 2] is no free tile of its arena"
    ),
    "spawn elsewhere": Bad(
        M, "1 2 Lodge", "7 2 Lodge", "line 14: [7, 2] is no free tile of its arena"
    ),
    "spawn without name": Bad(
        M, "1 2 Lodge/hall/head", "1 2", 'line 14: spawns: "1 2"; such as `6 2 '
    ),
    "spawn twice": Bad(
        M, "7 1 Lodge/room/rug", "7 1 Lodge/hall/head", '"Lodge/hall/head" is listed'
    ),
    "door with a name": Bad(M, "1 1", "1 1 x", 'doors: "1 1 x"; such as `6 2` is wanted', DOORS),
    "sprite": Bad(M, "Ann Low = ann.png", "Ann Low", 'line 38: sprites: "Ann Low"; such as'),
    "no layer": Bad(
        M, "[layer place]", "[layer closed]", 'a second section "layer closed"; one is'
    ),
    "layer left out": Bad(M, "[layer place]", "#", "map.grid:layer place: it has 0 rows; the size"),
    "a row lost": Bad(M, "0 8*1 0\n", "", "map.grid:layer place: it has 5 rows; the size says 6"),
    "a tile lost": Bad(
        M, "0 8*1 0\n", "0 7*1 0\n", "layer place, row 5: it has 9 tiles; the size says"
    ),
    "no run": Bad(
        M, "0 8*1 0\n", "0 8x1 0\n", 'layer place, row 5: "8x1" is no number; such as `7`'
    ),
    "long run": Bad(
        M, "0 8*1 0\n", "0 999999*1 0\n", "row 5: it has more than 1024 tiles; the size"
    ),
    "unknown number": Bad(M, "0 8*1 0\n", "0 8*3 0\n", "3 at tile [1, 4] is unknown; allowed: "),
    "closed is 0 or 1": Bad(
        M, "1 8*0 1", "2 8*0 1", 'row 5: 2 at tile [0, 4] is unknown; allowed: "0"'
    ),
    "start outside": Bad(
        S, '"4,3"', '"40,3"', "people[1].start: [40, 3] lies outside the map, which"
    ),
    "start in a wall": Bad(
        S, '"4,3"', '"0,0"', "start: [0, 0] is a wall, or there is no way to it;"
    ),
    "start in another's room": Bad(
        S, 'name = "hall"', 'name = "hall"\nusers = ["Ann Low"]', "start: Bob Mey is not among the"
    ),
    "start in another's corridor": Bad(
        S,
        'name = "Lodge"\ncommon = true',
        'name = "Lodge"\nusers = ["Ann Low"]',
        'start: Bob Mey is not among the users of "Lodge"',
        {**LODGE, S: LODGE[S].replace('"4,3"', '"4,4"')},
    ),
    "start nowhere": Bad(
        S, '"4,3"', '"room/bed"', 'start: no place "room/bed"; did you mean "Lodge/ro'
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_grid_faults_name_their_place(name: str, tmp_path: Path) -> None:
    bad = BAD[name]
    faults = validate_folder(write(tmp_path, change(dict(bad.base or LODGE), bad)))
    assert any(bad.message in fault for fault in faults), faults
    rows = 18 if name == "another size" else 0
    assert len(faults) <= 4 + rows, "one slip is not told as many"


def test_unchanged_grids_are_valid(tmp_path: Path) -> None:
    for name, files in {"plain": LODGE, "doors": DOORS, "bed": ONE_BED}.items():
        assert validate_folder(write(tmp_path / name, files)) == []
