"""Maps drawn in symbols, and in layers of numbers, which say what an alphabet could not."""

import re
from pathlib import Path

import numpy as np
import pytest

from genagents_env.scenario import Hours, TownPlan, lay_out, load_scenario, validate_folder
from genagents_env.scenario.maps.ascii import read_ascii
from genagents_env.scenario.maps.grid import format_grid, read_grid
from genagents_env.scenario.plan import parse_hours
from genagents_env.scenario.town import list_warnings
from tests.scenario.bad_folders import DRAWN, GRID, LODGE, Bad, Files, change, read_rows, write
from tests.scenario.test_layout import assert_is_a_town


def test_a_map_is_read_character_by_character(tmp_path: Path) -> None:
    plan = lay(tmp_path)
    assert_is_a_town(plan)
    names = [plan.arena_id(i) for i in range(len(plan.arenas))]
    assert names == ["outside", "Inn/taproom", "Inn/attic", "Barn"]
    assert (plan.width, plan.height) == (11, 9)
    for (x, y), name in {
        (1, 1): "Inn/taproom",
        (2, 2): "Inn/taproom",  # under the hearth
        (9, 1): "Inn/attic",
        (1, 7): "Barn",
        (0, 5): "outside",
    }.items():
        assert names[plan.arena[y, x]] == name
        assert not plan.blocked[y, x]
    assert plan.blocked[0].all()
    assert plan.blocked[7, 8:].all()  # ground that nobody can reach
    assert plan.objects[0].tile == (2, 2)
    owners = {(x, y): names[plan.arena[y, x]] for x, y in plan.doors}  # between two, the later
    assert owners == {(6, 2): "Inn/attic", (3, 4): "Inn/taproom", (4, 6): "Barn"}


def test_windows_line_ends_and_blank_lines_at_the_end_change_nothing(tmp_path: Path) -> None:
    text = DRAWN["map.txt"].replace("\n", "\r\n") + "\r\n\r\n"
    plain, other = lay(tmp_path / "plain"), lay(tmp_path / "windows", (M, DRAWN[M], text))
    assert (plain.arena == other.arena).all()
    assert (plain.blocked == other.blocked).all()


def test_the_largest_maze_is_checked_whole(tmp_path: Path) -> None:
    rows = [
        "b" * 512 if y % 2 == 0 else ("#" * 511 + "b", "b" + "#" * 511)[y // 2 % 2]
        for y in range(502)
    ]
    shut = [*rows[:250], "#" * 512, *rows[251:]]
    top = [line + "#" * 501 for line in DRAWN["map.txt"].splitlines()[:4]]
    rest = DRAWN["map.txt"].splitlines()[4].replace("#######", "#######" + "#" * 501)
    head = [*top, rest, "." * 512]
    folder = write(tmp_path, {**DRAWN, "map.txt": "\n".join(head + rows)})
    plan = lay_out(load_scenario(folder))
    assert (plan.width, plan.height) == (512, 508)
    (folder / "map.txt").write_text("\n".join(head + shut))
    (fault,) = validate_folder(folder)
    assert "there is no way to" in fault


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("08:00-20:00", Hours(480, 1200)),
        ("17:00-02:00", Hours(1020, 1560)),
        ("00:00-24:00", Hours(0, 1440)),
        ("22:30-00:00", Hours(1350, 1440)),
    ],
)
def test_hours_may_pass_midnight(text: str, hours: Hours) -> None:
    assert parse_hours(text) == hours
    bar = parse_hours("17:00-02:00")
    minutes = (1019, 1020, 0, 119, 120)
    assert [bar.contains(minute) for minute in minutes] == [False, True, True, True, False]


@pytest.mark.parametrize(
    "text", ["", "8:00-20:00", "08:00", "08:00-20:00 ", "25:00-26:00", "24:00-24:00", "08:60-09:00"]
)
def test_other_hours_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"written as|passes 24:00"):
        parse_hours(text)


def lay(folder: Path, *changes: tuple[str, str, str]) -> TownPlan:
    """Return the drawn town with changes in its files: what stands there, and what is put there."""
    files = dict(DRAWN)
    for name, old, new in changes:
        files = change(files, Bad(name, old, new, ""))
    return lay_out(load_scenario(write(folder, files)))


S, M = "scenario.toml", "map.txt"


def test_objects_have_all_tiles_that_touch_solid_ones_block_and_a_sector_may_have_ground(
    tmp_path: Path,
) -> None:
    wide = (M, "thttt", "thhtt"), (M, "#ttttt", "#htttt")
    plan = lay(tmp_path / "wide", *wide)
    assert plan.objects[0].tiles == ((1, 1), (2, 2), (3, 2))
    assert plan.arena[1, 1] == plan.arena[2, 3] == 1
    plan = lay(tmp_path / "solid", (S, 'symbol = "h"', 'symbol = "h", solid = true'))
    assert plan.blocked[2, 2]
    assert plan.arena[2, 2] == 1
    street = (M, "###+#######\n...........", "###+#######\niiiiiii....")
    plan = lay(tmp_path / "ground", (S, 'name = "Inn"', 'name = "Inn"\nsymbol = "i"'), street)
    ground = int(plan.arena[5, 0])
    assert plan.arenas[ground].ground
    assert plan.arena_id(ground) == "Inn"
    assert ground == len(plan.arenas) - 1
    assert plan.arena_id(int(plan.arena[4, 3])) == "Inn/taproom"  # the door is the room's


def test_a_sealed_corner_of_a_room_is_closed_with_a_warning(tmp_path: Path) -> None:
    plan = lay(tmp_path, (M, "#ttttt#aaa#\n#th", "#t#ttt#aaa#\n##h"))
    assert plan.sealed == ((1, 1),)
    assert plan.blocked[1, 1]
    said = 'map: "Inn/taproom": 1 of its tiles is closed, since there is no way there: [1, 1]'
    assert list_warnings(plan) == [said]


def test_a_spawn_tile_is_drawn_or_named(tmp_path: Path) -> None:
    plan = lay(
        tmp_path,
        (S, 'symbol = "t"', 'symbol = "t"\nspawns = [{ name = "in", symbol = "s" }]'),
        (S, 'symbol = "a"', 'symbol = "a"\nspawns = [{ name = "up", at = [8, 2] }]'),
        (M, "#ttttt#", "#tttst#"),
        ("people/vic.toml", '"Barn"', '"Inn/attic/up"'),
    )
    assert {s.id: s.tile for s in plan.spawns} == {"Inn/taproom/in": (4, 1), "Inn/attic/up": (8, 2)}
    assert plan.arena[1, 4] == 1


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

GRID_FILE = "map.grid"
BAD = {
    **read_rows("lodge", LODGE),
    **read_rows("lodge_with_doors", DOORS),
    "empty": Bad(
        GRID_FILE, GRID.partition("\n")[2], "", 'map.grid:line 2: "" is no size; such as', LODGE
    ),
    "object not drawn": Bad(GRID_FILE, "8*0 3 0", "10*0", '"Lodge/room/bed"', ONE_BED),
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
