"""Every way in which Tiled saves a map, and every way in which a town can be drawn."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from typer.testing import CliRunner

from genagents_env.cli.app import app
from genagents_env.scenario import Scenario, lay_out, load_scenario, validate_folder
from genagents_env.scenario.loader import inspect_folder
from tests.scenario.bad_folders import write
from tests.scenario.tiled.maps import (
    FILE,
    HEIGHT,
    PACKERS,
    SCENARIO,
    TILE,
    WIDTH,
    Table,
    change,
    pack,
    properties,
    rectangle,
    school,
    shapes,
    tiles,
    tileset,
    write_map,
)

SAID_TOO = """
[[sectors]]
name = "park"
users = ["Ann Lee"]

[[sectors]]
name = "School"
common = true
arenas = [{ name = "Library", hours = ["09:00-17:00"], objects = [{ name = "globe" }] }]
"""
PACKED = {**PACKERS, "zstd": zstandard.ZstdCompressor().compress}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    return load_scenario(write_map(tmp_path_factory.mktemp("plain"), school()))


def load(folder: Path, table: Table, scenario: str = SCENARIO) -> Scenario:
    write_map(folder, table, scenario)
    assert validate_folder(folder) == []
    return load_scenario(folder)


def test_the_map_says_where_everything_is_and_what(plain: Scenario) -> None:
    plan = lay_out(plain)
    names = [plan.arena_id(i) for i in range(len(plan.arenas))]
    assert names == ["outside", "School/class room", "School/library", "Park"]
    assert [plan.object_id(i) for i in range(len(plan.objects))] == [
        "School/class room/desk",
        "School/library/shelf",
    ]
    assert plan.objects[0].tiles == ((4, 4), (5, 4))
    assert plan.objects[0].states == ("tidy", "messy")
    assert plan.objects[1].free_text
    for (x, y), name in {
        (3, 3): "School/class room",
        (8, 8): "School/library",
        (7, 5): "School/library",  # the door between: of the room that was drawn later
        (4, 9): "School/class room",
        (14, 2): "Park",
        (0, 0): "outside",
    }.items():
        assert names[plan.arena[y, x]] == name
        assert not plan.blocked[y, x]
    assert plan.blocked[2, 2:13].all()
    assert plan.doors == ((7, 5), (4, 9))
    assert plan.sectors[1].common
    assert str(plan.arenas[1].hours[0]) == "08:00 to 16:00"
    assert plan.arenas[2].capacity == 5
    assert plan.arenas[3].open_air
    assert plan.spawns[0].tile == (5, 6)
    assert plain.people[0].start == "School/class room/Ann Lee"
    assert plain.people[1].start is None


@pytest.mark.parametrize("compression", PACKED)
def test_tiles_may_be_packed(compression: str, plain: Scenario, tmp_path: Path) -> None:
    table = school()
    for layer in table["layers"][:2]:  # type: ignore[index]
        layer["data"] = pack(layer["data"], PACKED[compression])
        layer["encoding"] = "base64"
        if compression:
            layer["compression"] = compression
    assert load(tmp_path, table) == plain


def make_infinite(table: Table) -> None:
    """The map lies around tile -7, -3 of the plane, in chunks, as do its objects."""
    left, top = -7, -3
    table["infinite"] = True
    for layer in table["layers"]:  # type: ignore[attr-defined]
        if layer["type"] == "tilelayer":
            layer["chunks"] = list(_cut(layer.pop("data"), left, top))
            layer |= {"startx": -16, "starty": -16}
        for one in layer.get("objects", ()):
            one["x"] += left * TILE
            one["y"] += top * TILE


def group_and_shift(table: Table) -> None:
    inner = table["layers"]
    for layer in inner:  # type: ignore[attr-defined]
        for one in layer.get("objects", ()):
            one["x"] -= 2 * TILE
    for layer in inner[:2]:  # type: ignore[index]
        layer.update({"offsetx": -2 * TILE, "offsety": 0})
    group: Table = {"type": "group", "name": "town", "id": 9, "opacity": 1, "visible": True}
    table["layers"] = [{**group, "offsetx": 2 * TILE, "offsety": 0, "layers": inner}]


def flip_walls(table: Table) -> None:
    walls = table["layers"][1]  # type: ignore[index]
    walls["data"] = [gid and gid | 0xE0000000 for gid in walls["data"]]


def name_classes(table: Table) -> None:
    layers: list[Table] = table["layers"]  # type: ignore[assignment]
    everything: list[Table] = [
        {**one, "type": str(layer["name"])[:-1].capitalize()}
        for layer in layers[2:]
        for one in layer["objects"]  # type: ignore[attr-defined]
    ]
    table["layers"] = [*layers[:2], shapes("my town", *everything)]


def add_looks_and_notes(table: Table) -> None:
    notes = shapes("notes", rectangle(50, "ask Ann", 0, 0, 3, 3))
    notes["properties"] = properties(ignore=True)
    image: Table = {"type": "imagelayer", "name": "sky", "id": 8, "image": "/nowhere/sky.png"}
    table["layers"] += [notes, {**image, "opacity": 1, "visible": True}]  # type: ignore[operator]
    table["layers"].append(tiles("treetops", [3] * (WIDTH * HEIGHT)))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "alter", [make_infinite, group_and_shift, flip_walls, name_classes, add_looks_and_notes]
)
def test_a_town_drawn_otherwise_is_the_same(
    alter: Callable[[Table], None], plain: Scenario, tmp_path: Path
) -> None:
    table = school()
    alter(table)
    assert load(tmp_path, table) == plain


def _cut(data: list[int], left: int, top: int, size: int = 16) -> list[Table]:
    chunks: list[Table] = []
    for cy in (-16, 0):
        for cx in (-16, 0):
            numbers = []
            for y in range(cy, cy + size):
                for x in range(cx, cx + size):
                    inside = 0 <= x - left < WIDTH and 0 <= y - top < HEIGHT
                    numbers.append(data[(y - top) * WIDTH + x - left] if inside else 0)
            chunks.append({"x": cx, "y": cy, "width": size, "height": size, "data": numbers})
    return chunks


@pytest.mark.parametrize("end", ["tsj", "tsx", "json"])
def test_a_tileset_may_be_a_file(end: str, plain: Scenario, tmp_path: Path) -> None:
    one = tileset(1, "plain", 4)
    if end == "tsx":
        size = 'tilecount="4" columns="4" tilewidth="16" tileheight="16"'
        text = (
            f'<tileset name="plain" {size}><image source="t.png" width="64" height="16"/></tileset>'
        )
    else:
        text = json.dumps({key: value for key, value in one.items() if key != "firstgid"})
    write(tmp_path, {f"art/t.{end}": text})
    table = change((("tilesets", 0), {"firstgid": 1, "source": f"art/t.{end}"}))
    assert load(tmp_path, table) == plain


def test_a_town_may_be_painted_with_named_tiles(plain: Scenario, tmp_path: Path) -> None:
    """As the town of Park et al. is: a layer of tiles for each level, named by properties."""
    names = ("School", "Park", "class room", "library", "desk", "shelf")
    own: list[dict[str, object]] = [
        dict(common=True),
        dict(open_air=True),
        dict(hours="08:00-16:00"),
        dict(capacity=5),
    ]
    own += [dict(states="tidy, messy"), dict(free_text=True)]
    table = school()
    painted = tileset(5, "names", 6)
    painted["tiles"] = [
        {"id": i, "properties": properties(name=name, **own[i])} for i, name in enumerate(names)
    ]
    table["tilesets"] = [tileset(1, "plain", 4), painted]
    layers: list[Table] = table["layers"]  # type: ignore[assignment]
    for place in (2, 3, 4):
        data = [0] * (WIDTH * HEIGHT)
        for one in layers[place]["objects"]:  # type: ignore[attr-defined]
            x, y, width, height = (int(one[k]) // TILE for k in ("x", "y", "width", "height"))
            for row in range(y, y + height):
                for column in range(x, x + width):
                    data[row * WIDTH + column] = 5 + names.index(one["name"])
        layers[place] = tiles(str(layers[place]["name"]), data)
    assert load(tmp_path, table) == plain


def test_rooms_of_several_pieces(tmp_path: Path) -> None:
    """An L of two rectangles, a polygon, a round pond, and a piece apart that says so."""
    corners = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
    polygon = rectangle(32, "Hedge", 14, 7, 0, 0)
    polygon["polygon"] = [{"x": x * TILE, "y": y * TILE} for x, y in corners]
    round_ = {**rectangle(33, "Pond", 0, 2, 2, 2), "ellipse": True}
    table = school()
    sectors = table["layers"][2]["objects"]  # type: ignore[index]
    sectors += [
        rectangle(30, "Yard", 0, 10, 6, 1),
        rectangle(31, "Yard", 0, 5, 1, 5, capacity=3),
        polygon,
        round_,
        rectangle(34, "Park", 18, 11, 1, 1, part=True),
    ]
    plan = lay_out(load(tmp_path, table))
    names = [plan.arena_id(i) for i in range(len(plan.arenas))]
    found = {name: int((plan.arena == i).sum()) for i, name in enumerate(names)}
    assert found["Yard"] == 11
    assert found["Hedge"] == 5
    assert found["Pond"] == 4
    assert found["Park"] == 17
    assert {s.name: s.capacity for s in plan.sectors}["Yard"] == 3


def test_scenario_and_map_say_each_a_part(tmp_path: Path) -> None:
    """Keys of one place from both; order and spelling are scenario.toml's."""
    text = SCENARIO.replace("School/library", "School/Library") + SAID_TOO
    scenario = load(tmp_path, school(), text)
    assert [sector.name for sector in scenario.sectors] == ["park", "School"]
    park, building = scenario.sectors
    assert (park.users, park.arenas[0].name) == (("Ann Lee",), "Park")
    assert [arena.name for arena in building.arenas] == ["Library", "class room"]
    library = building.arenas[0]
    assert (library.hours, library.capacity) == (("09:00-17:00",), 5)
    assert [item.name for item in library.objects] == ["globe", "shelf"]
    plan = lay_out(scenario)
    assert plan.objects[0].name == "globe"
    assert plan.objects[1].tiles[0] == (11, 3)


def test_missing_tiled_reader_is_reported_with_its_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_map(tmp_path, school())
    monkeypatch.setitem(sys.modules, "pytiled_parser", None)
    (fault,) = validate_folder(tmp_path)
    assert fault.startswith("school.tmj:file: to read a map of Tiled, install its reader: ")
    assert "[tiled]" in fault


def test_validate_warns_of_a_thing_drawn_under_a_misspelt_name(tmp_path: Path) -> None:
    described = (
        SCENARIO
        + """
[[sectors]]
name = "School"
arenas = [{ name = "library", objects = [{ name = "shelv", states = ["full", "empty"] }] }]
"""
    )
    write_map(tmp_path, school(), described)
    found = inspect_folder(tmp_path)
    assert found.faults == []
    (line,) = found.warnings
    assert line.startswith(f'{FILE}:layer "objects", object ')
    assert '"School/library/shelf" is not in scenario.toml, which has "shelv" there' in line
    assert line in CliRunner().invoke(app, ["validate", str(tmp_path)]).output.replace(
        "\n    ", " "
    )


def test_turned_small_and_tile_objects_cover_their_visible_tiles(tmp_path: Path) -> None:
    turned = {**rectangle(40, "bench", 16, 3, 2, 1), "rotation": 90}  # clockwise: down and left
    small = rectangle(41, "stone", 16.2, 4.7, 0.2, 0.2)
    tile = {**rectangle(42, "tree", 17, 3, 1, 1), "gid": 2}  # placed by its lower left corner
    dot = rectangle(43, "sign", 14.5, 5.5, 0, 0)
    table = school()
    table["layers"][4]["objects"] += [turned, small, tile, dot]  # type: ignore[index]
    plan = lay_out(load(tmp_path, table))
    found = {item.name: item.tiles for item in plan.objects}
    assert found["bench"] == ((15, 3), (15, 4))
    assert found["stone"] == ((16, 4),)
    assert found["tree"] == ((17, 2),)
    assert found["sign"] == ((14, 5),)


def test_a_map_may_have_lists_with_commas_and_what_follows_what(tmp_path: Path) -> None:
    own: dict[str, object] = {"states": "cold\nwarm, with soup\n", "sleep_state": "cold"}
    own |= {"next.cold": "warm, with soup\n", "lasting": "warm, with soup\n", "state": "cold"}
    table = school()
    table["layers"][4]["objects"][0]["properties"] = properties(**own)  # type: ignore[index]
    item = lay_out(load(tmp_path, table)).objects[0]
    assert item.states == ("cold", "warm, with soup")
    assert item.next == (("cold", ("warm, with soup",)),)
    assert item.lasting == ("cold", "warm, with soup")
    assert item.sleep_state == "cold"
