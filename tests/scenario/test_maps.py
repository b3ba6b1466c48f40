from pathlib import Path

import pytest

from genagents_env.scenario import Hours, TownPlan, lay_out, load_scenario, validate_folder
from genagents_env.scenario.plan import parse_hours
from genagents_env.scenario.town import list_warnings
from tests.scenario.bad_folders import DRAWN, Bad, change, write
from tests.scenario.test_layout import assert_is_a_town


def drawn(folder: Path, old: str = "", new: str = "") -> TownPlan:
    files = {**DRAWN, "map.txt": DRAWN["map.txt"].replace(old, new, 1) if old else DRAWN["map.txt"]}
    return lay_out(load_scenario(write(folder, files)))


def test_a_map_is_read_character_by_character(tmp_path: Path) -> None:
    plan = drawn(tmp_path)
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
    plain = drawn(tmp_path / "plain")
    text = DRAWN["map.txt"].replace("\n", "\r\n") + "\r\n\r\n"
    folder = write(tmp_path / "windows", DRAWN)
    (folder / "map.txt").write_bytes(text.encode())
    other = lay_out(load_scenario(folder))
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


def large(folder: Path, *changes: Bad) -> TownPlan:
    files = dict(DRAWN)
    for one in changes:
        files = change(files, one)
    return lay_out(load_scenario(write(folder, files)))


def test_an_object_drawn_on_several_tiles_that_touch_has_them_all(tmp_path: Path) -> None:
    plan = large(
        tmp_path, Bad("map.txt", "thttt", "thhtt", ""), Bad("map.txt", "#ttttt", "#htttt", "")
    )
    assert plan.objects[0].tiles == ((1, 1), (2, 2), (3, 2))
    assert plan.arena[1, 1] == plan.arena[2, 3] == 1


def test_nobody_stands_on_solid_objects(tmp_path: Path) -> None:
    solid = Bad("scenario.toml", 'symbol = "h"', 'symbol = "h", solid = true', "")
    plan = large(tmp_path, solid)
    assert plan.blocked[2, 2]
    assert plan.arena[2, 2] == 1


def test_the_ground_of_a_sector_has_a_symbol_and_a_door_to_a_room_is_the_rooms(
    tmp_path: Path,
) -> None:
    plan = large(
        tmp_path,
        Bad("scenario.toml", 'name = "Inn"', 'name = "Inn"\nsymbol = "i"', ""),
        Bad("map.txt", "###+#######\n...........", "###+#######\niiiiiii....", ""),
    )
    ground = int(plan.arena[5, 0])
    assert plan.arenas[ground].ground
    assert plan.arena_id(ground) == "Inn"
    assert ground == len(plan.arenas) - 1
    assert plan.arena_id(int(plan.arena[4, 3])) == "Inn/taproom"


def test_a_sealed_corner_of_a_room_is_closed_with_a_warning(tmp_path: Path) -> None:
    files = change(dict(DRAWN), Bad("map.txt", "#ttttt#aaa#\n#th", "#t#ttt#aaa#\n##h", ""))
    scenario = load_scenario(write(tmp_path, files))
    plan = lay_out(scenario)
    assert plan.sealed == ((1, 1),)
    assert plan.blocked[1, 1]
    (line,) = list_warnings(plan)
    assert line == (
        'map: "Inn/taproom": 1 of its tiles is closed, since there is no way there: [1, 1]'
    )


def test_a_spawn_tile_is_drawn_or_named(tmp_path: Path) -> None:
    plan = large(
        tmp_path,
        Bad(
            "scenario.toml",
            'symbol = "t"',
            'symbol = "t"\nspawns = [{ name = "in", symbol = "s" }]',
            "",
        ),
        Bad(
            "scenario.toml",
            'symbol = "a"',
            'symbol = "a"\nspawns = [{ name = "up", at = [8, 2] }]',
            "",
        ),
        Bad("map.txt", "#ttttt#", "#tttst#", ""),
        Bad("people/vic.toml", '"Barn"', '"Inn/attic/up"', ""),
    )
    assert {s.id: s.tile for s in plan.spawns} == {"Inn/taproom/in": (4, 1), "Inn/attic/up": (8, 2)}
    assert plan.arena[1, 4] == 1
