"""Tiled maps for tests: a school and a park, as the editor saves them, and what may be changed."""

import base64
import gzip
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

from tests.scenario.bad_folders import write

Table = dict[str, object]
TILE = 16
WIDTH, HEIGHT = 20, 12
FILE = "school.tmj"
DRAWN = Path(__file__).parent / "drawn"
TMX = (DRAWN / "tiny.tmx").read_text("utf-8")  # of another town
SCENARIO = """\
name = "school"
title = "A school"
town = "Schooltown"
start = 2023-02-13T08:00:00
hours = 1
map = "school.tmj"

[[people]]
name = "Ann Lee"
persona = "Ann Lee teaches"
home = "School/class room"

[[people]]
name = "Bob Ray"
persona = "Bob Ray learns"
home = "School/library"
"""


def properties(**values: object) -> list[Table]:
    kinds = {bool: "bool", int: "int", float: "float"}
    return [
        {"name": name, "type": kinds.get(type(value), "string"), "value": value}
        for name, value in values.items()
    ]


def rectangle(
    number: int, name: str, x: float, y: float, width: float, height: float, **own: object
) -> Table:
    """An object, measured in tiles."""
    place = {"x": x * TILE, "y": y * TILE, "width": width * TILE, "height": height * TILE}
    found: Table = {"id": number, "name": name, "type": "", **place}
    return {**found, "rotation": 0, "visible": True, "properties": properties(**own)}


def point(number: int, name: str, x: float, y: float, **own: object) -> Table:
    return {**rectangle(number, name, x + 0.5, y + 0.5, 0, 0, **own), "point": True}


def shapes(name: str, *objects: Table) -> Table:
    layer: Table = {"type": "objectgroup", "name": name, "id": 1, "opacity": 1, "visible": True}
    return {**layer, "x": 0, "y": 0, "draworder": "topdown", "objects": list(objects)}


def tiles(name: str, data: list[int]) -> Table:
    layer: Table = {"type": "tilelayer", "name": name, "id": 1, "opacity": 1, "visible": True}
    return {**layer, "x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "data": data}


def tileset(first: int, name: str, count: int, **names: str) -> Table:
    """A tileset inside the map; `t3="Inn"` gives its tile 3 the property `name`."""
    own = [{"id": int(key[1:]), "properties": properties(name=n)} for key, n in names.items()]
    size: Table = {"tilecount": count, "columns": 4, "tilewidth": TILE, "tileheight": TILE}
    image: Table = {"image": "t.png", "imagewidth": 64, "imageheight": 64, "margin": 0}
    return {"firstgid": first, "name": name, **size, **image, "spacing": 0, "tiles": own}


def school() -> Table:
    """The map, its layers: ground, collisions, sectors, arenas, objects, doors, spawns."""
    table: Table = json.loads((DRAWN / FILE).read_text("utf-8"))
    return table


def write_map(folder: Path, table: Table, scenario: str = SCENARIO) -> Path:
    return write(folder, {FILE: json.dumps(table), "scenario.toml": scenario})


def change(*edits: tuple[tuple[str | int, ...], object]) -> Table:
    """The school with values replaced, each named by its path; None takes the key away."""
    table = school()
    for path, value in edits:
        place: object = table
        for part in path[:-1]:
            place = place[part]  # type: ignore[index]  # a path into nested tables and lists
        if value is None:
            del place[path[-1]]  # type: ignore[attr-defined]
        elif path[-1] == "+":
            place.append(value)  # type: ignore[attr-defined]
        else:
            place[path[-1]] = value  # type: ignore[index]
    return table


def pack(data: list[int], compress: Callable[[bytes], bytes] = bytes) -> str:
    return base64.b64encode(compress(struct.pack(f"<{len(data)}I", *data))).decode()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "zlib": zlib.compress,
    "gzip": gzip.compress,
}
