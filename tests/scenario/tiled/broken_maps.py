"""The corpus of broken Tiled maps: what is changed in a good one, and what must be said of it.

Where one value is replaced, it is a row of `broken_maps.toml`.
"""

import json
import tomllib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.scenario.tiled.maps import (
    FILE,
    HEIGHT,
    SCENARIO,
    TMX,
    WIDTH,
    Table,
    change,
    pack,
    point,
    properties,
    rectangle,
    school,
    tiles,
    tileset,
)

Files = dict[str, str]
COUNT = WIDTH * HEIGHT
SECTORS, ARENAS, OBJECTS, DOORS, SPAWNS = (("layers", i, "objects") for i in range(2, 7))
GROUND: tuple[str | int, ...] = ("layers", 0)
SCHOOL, PARK = (*SECTORS, 0), (*SECTORS, 1)
DESK = (*OBJECTS, 0)
LIBRARY = (*ARENAS, 1)
_PARTS: dict[str, tuple[str | int, ...]] = {
    **{"ground": GROUND, "school": SCHOOL, "desk": DESK, "library": LIBRARY},
    **{"park": PARK, "sectors": SECTORS, "arenas": ARENAS, "objects": OBJECTS},
    **{"doors": DOORS, "spawns": SPAWNS},
}
_MAKERS: dict[str, Callable[..., Table]] = {
    "rectangle": rectangle,
    "point": point,
    "tileset": tileset,
}
Edit = tuple[tuple[str | int, ...], object]


@dataclass(frozen=True)
class Broken:
    """Files of a scenario folder, and the beginning of one of its faults."""

    files: Files
    message: str


def edited(message: str, *edits: Edit) -> Broken:
    return Broken({FILE: json.dumps(change(*edits))}, message)


def written(message: str, text: str, **files: str) -> Broken:
    """Any text in place of the map; `tsx` and the like are files beside it."""
    others = {f"t.{end}": content for end, content in files.items()}
    return Broken({FILE: text, **others}, message)


def as_tmx(message: str, text: str) -> Broken:
    scenario = SCENARIO.replace(".tmj", ".tmx")
    return Broken({"school.tmx": text, "scenario.toml": scenario}, message)


def read_rows() -> dict[str, Broken]:
    """Return the schools of `broken_maps.toml`: with values replaced, or another scenario.toml."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    found: dict[str, Broken] = {}
    for name, (message, old, new) in rows.pop("scenario").items():
        assert old in SCENARIO
        text = SCENARIO.replace(old, new, 1)
        found[name] = Broken({FILE: json.dumps(school()), "scenario.toml": text}, message)
    for name, (message, *edits) in rows.items():
        pairs = zip(edits[::2], edits[1::2], strict=True)
        found[name] = edited(f"{FILE}:{message}", *(_read_edit(*pair) for pair in pairs))
    return found


def _read_edit(key: str, value: object) -> Edit:
    first, *rest = key.removeprefix("-").split(".")
    parts = (*_PARTS.get(first, (first,)), *(int(p) if p.isdigit() else p for p in rest))
    if isinstance(value, dict) and parts[-1] == "properties":
        value = properties(**value)
    return parts, None if key.startswith("-") else _make(value)


def _make(value: object) -> object:
    """Return a value in which `{ point = [...], own = {...} }` and the like are made."""
    if isinstance(value, list):
        return [_make(part) for part in value]
    for name, maker in _MAKERS.items():
        if isinstance(value, dict) and name in value:
            return maker(*value[name], **value.get("own", {}))
    return value


def external(source: str) -> Edit:
    return (("tilesets", 0), {"firstgid": 1, "source": source})


def encode(data: object, encoding: str, compression: str = "") -> Edit:
    layer: Table = {**tiles("ground", []), "data": data, "encoding": encoding}
    return (GROUND, {**layer, "compression": compression})


def _spiky(number: int, name: str) -> Table:
    """A polygon with very many corners."""
    points = [{"x": i % 2 * 300, "y": i % 3 * 90} for i in range(40_000)]
    return {**rectangle(number, name, 0, 0, 0, 0), "polygon": points}


_GROUND = 'school.tmj:layer "ground": '
_XML = '<map orientation="orthogonal" width="1" height="1" tilewidth="16" tileheight="16">{}</map>'
_ENTITY = '<!DOCTYPE map [<!ENTITY s SYSTEM "file:///etc/hostname">]>' + _XML.format("&s;")
_CHUNK: Table = {"x": 0, "y": 0, "width": 16, "height": 16, "data": [1] * 256}
_FAR: Table = {**_CHUNK, "x": 5000}

BROKEN: dict[str, Broken] = {
    **read_rows(),
    # The file.
    "not JSON": written("school.tmj:file: not JSON: ", '{"width": '),
    "no number of JSON": written("school.tmj:file: not JSON: NaN is no number", '{"width": NaN}'),
    "a list": written("school.tmj:file: it is no table in { }", "[1]"),
    "deep": written("school.tmj:file: nested too deeply", "[" * 200_000),
    "no text": Broken({FILE: "\udcff"}, "school.tmj:file: not UTF-8 text (byte 0)"),
    "another root": as_tmx(
        "school.tmx:file: its root is <tileset>; <map> is wanted", "<tileset></tileset>"
    ),
    "external entity": as_tmx("school.tmx:file: it declares a document type", _ENTITY),
    "deep XML": as_tmx("school.tmx:file: not XML: no element found", "<map>" * 50_000),
    "groups in groups": as_tmx(
        "school.tmx:file: groups in groups; at most 8 levels",
        _XML.format("<group>" * 50 + "</group>" * 50),
    ),
    "too many parts": written("school.tmj:file: too much; at most 1000000 parts", "[" * 1_000_001),
    # Its head.
    "infinite and empty": edited(
        "school.tmj:file: the map is infinite and no tile is painted",
        (("infinite",), True),
        (("layers",), [{**tiles("ground", []), "chunks": []}]),
    ),
    "infinite and huge": edited(
        "school.tmj:file: what is painted is 5016 x 16 tiles; at most 512 x 512 are allowed",
        (("infinite",), True),
        (GROUND, {**tiles("ground", []), "chunks": [_CHUNK, _FAR]}),
    ),
    # Tilesets.
    "tileset without a count": written(
        'school.tmj:tileset "t.tsx": it lacks "tilecount", which Tiled writes',
        json.dumps(change(external("t.tsx"))),
        tsx='<tileset name="t" tilewidth="16" tileheight="16" columns="1"/>',
    ),
    "tileset with an entity": written(
        'school.tmj:tileset "t.tsx": it declares a document type',
        json.dumps(change(external("t.tsx"))),
        tsx=_ENTITY,
    ),
    # Layers of tiles.
    "unknown encoding": edited(
        _GROUND + 'encoding "base58" is unknown; allowed: "csv", "base64"', encode("x", "base58")
    ),
    "unknown compression": edited(
        _GROUND + 'compression "rar" is unknown; allowed: "gzip", "zlib", "zstd"',
        encode("x", "base64", "rar"),
    ),
    "no base64": edited(_GROUND + "its data is not base64: ", encode("a b!", "base64")),
    "no zlib": edited(
        _GROUND + "its data is not zlib: ", encode(pack([2] * COUNT), "base64", "zlib")
    ),
    "no zstd": edited(
        _GROUND + "its data is not zstd: ", encode(pack([2] * COUNT), "base64", "zstd")
    ),
    "half a number": edited(
        _GROUND + "its data has 3 bytes; 4 a tile are wanted", encode("AAAA", "base64")
    ),
    "zip bomb": edited(
        _GROUND + f"it holds {COUNT + 1} tiles; 20 x 12 = {COUNT} are wanted",
        encode(pack([0] * 10_000_000, zlib.compress), "base64", "zlib"),
    ),
    "unnamed tile": edited(
        'school.tmj:layer "arenas", tile 0, 0: tile 0 of tileset "plain" has no property "name"',
        (("layers", "+"), tiles("arenas", [1] + [0] * (COUNT - 1))),
    ),
    # What they mean together.
    "nothing drawn": edited(
        "school.tmj:file: no sector is drawn; ",
        (("layers",), school()["layers"][:2]),  # type: ignore[index]
    ),
    "no walkable tile": edited(
        "school.tmj:file: no tile is left on which one can stand",
        (("layers", 1, "data"), [1] * COUNT),
        (DOORS, []),
    ),
    "too much to cover": edited(
        'school.tmj:layer "objects", object 1 "a": what is drawn is too much; use fewer, smaller',
        (OBJECTS, [_spiky(1, "a")]),
    ),
    # Together with scenario.toml.
    "a second map": Broken(
        {FILE: json.dumps(school()), "map.txt": "..."},
        "map.txt:file: a second map beside school.tmj; one is allowed",
    ),
    # The same in the other format.
    "no point of numbers in XML": as_tmx(
        'school.tmx:layer "objects", object 7 "desk": it has no place; numbers of pixels',
        TMX.replace('name="desk" x="384"', 'name="desk" x="nan"'),
    ),
    "endless property in XML": as_tmx(
        'school.tmx:layer "sectors", object 1 "Cottage": it is not as Tiled writes it',
        TMX.replace('"common" type="bool" value="true"', '"capacity" type="int" value="inf"'),
    ),
}
