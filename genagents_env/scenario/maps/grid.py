"""A town as layers of numbers: `map.grid`, for maps larger than an alphabet of symbols.

    genagents map 1              the first line
    size 4 3                     tiles across and down
    [places]                     what the numbers of the layer `place` mean; 0 is open ground
    1 Inn                        a sector: its ground outside its arenas
    2 Inn/taproom
    [objects]                    what the numbers of the layer `object` mean; 0 is none
    1 Inn/taproom/hearth
    [spawns]                     tiles with names: across, down, id
    2 1 Inn/taproom/by the fire
    [doors]                      tiles; may be left out, as spawns and sprites may
    1 1
    [sprites]                    who is drawn as which file
    Una Ash = una.png
    [layer closed]               1 where nobody can stand; every layer has one line a row
    4*1
    1 0 0 1
    4*1
    [layer place]                `4*1` is four times 1
    4*0
    0 2*2 0
    4*0
    [layer object]
    4*0
    0 0 1 0
    4*0

Blank lines and lines that begin with `#` mean nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.faults import Fault, choices, quote, suggest
from genagents_env.scenario.maps.drawn import (
    GROUND,
    DrawnMap,
    DrawnObject,
    DrawnSpawn,
    Grid,
    Tile,
)
from genagents_env.scenario.schema import SIDE_LIMIT

FIRST_LINE = "genagents map 1"
_LAYERS = ("closed", "place", "object")
_RUN = re.compile(r"(?:([0-9]{1,6})\*)?([0-9]{1,9})")
_HEAD = re.compile(r"\[\s*(.*?)\s*\]")
_SIZE = re.compile(r"size\s+([0-9]{1,6})\s+([0-9]{1,6})")
_NUMBERED = re.compile(r"(?P<number>(?=0*[1-9])[0-9]{1,9})\s+(?P<id>\S.*)")
_DOOR = r"(?P<x>[0-9]{1,6})\s+(?P<y>[0-9]{1,6})"
_LEGEND = "a number from 1 on and an id are wanted, `1 Inn/taproom`"
# The pattern of a line in each section that is no layer, and the words for other lines.
_LISTS: Mapping[str, tuple[re.Pattern[str], str]] = {
    "places": (_NUMBERED, _LEGEND),
    "objects": (_NUMBERED, _LEGEND),
    "spawns": (
        re.compile(_DOOR + r"\s+(?P<id>\S.*)"),
        "such as `6 2 Inn/taproom/by the fire` is wanted",
    ),
    "doors": (re.compile(_DOOR), "such as `6 2` is wanted"),
    "sprites": (
        re.compile(r"(?P<id>[^=\s][^=]*?)\s*=\s*(?P<file>\S.*)"),
        "such as `Una Ash = una.png` is wanted",
    ),
}
_SECTIONS = (*_LISTS, *(f"layer {name}" for name in _LAYERS))
_MANY = 100  # faults of one file

Layer = npt.NDArray[np.int32]


@dataclass(slots=True)
class _Reading:
    """The parts of a file read so far: entries of lists and rows of layers, by line."""

    size: tuple[int, int]
    entries: dict[str, dict[int, re.Match[str]]] = field(
        default_factory=lambda: {name: {} for name in _LISTS}
    )
    rows: dict[str, dict[int, str]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def refuse(self, line: int, text: str) -> None:
        """Note the fault of a line."""
        if len(self.faults) < _MANY:
            self.faults.append(Fault(("map", f"line {line}"), text))

    def list_legend(self, layer: str) -> dict[int, str]:
        """Map the numbers of a layer to ids, in the order of the file."""
        entries = self.entries.get(f"{layer}s", {}).values()
        return {int(entry["number"]): entry["id"] for entry in entries}


def is_grid(text: str) -> bool:
    """Return True if a map is a `map.grid`."""
    return text.split("\n", 1)[0].strip() == FIRST_LINE


def read_grid(text: str) -> tuple[DrawnMap | None, list[Fault]]:
    """Read a `map.grid`; return the map, None if it has faults, and the faults."""
    lines = _list_lines(text)
    next(lines)
    number, first = next(lines, (2, ""))
    size = _SIZE.fullmatch(first)
    if size is None:
        text = f"{quote(first)} is no size; such as `size 140 100` is wanted here"
        return None, [Fault(("map", f"line {number}"), text)]
    width, height = int(size[1]), int(size[2])
    if not (0 < width <= SIDE_LIMIT and 0 < height <= SIDE_LIMIT):
        allowed = f"from 1 x 1 to {SIDE_LIMIT} x {SIDE_LIMIT} are allowed"
        text = f"the size is {width} x {height}; {allowed}"
        return None, [Fault(("map", f"line {number}"), text)]
    reading = _Reading((width, height))
    _read_sections(reading, lines)
    sound = not reading.faults  # else numbers may be unknown only since their lines are at fault
    layers = {name: _read_layer(reading, name, check_numbers=sound) for name in _LAYERS}
    if not reading.faults:
        _refuse_undrawn(reading, layers)
    if reading.faults:
        return None, reading.faults
    return _draw(reading, layers), []


def _list_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if (stripped := line.strip()) and not stripped.startswith("#"):
            yield number, stripped


def _read_sections(reading: _Reading, lines: Iterator[tuple[int, str]]) -> None:
    section, seen = "", dict[str, set[str]]()
    for number, line in lines:
        head = _HEAD.fullmatch(line)
        if head is not None:
            section = head[1]
            if section not in _SECTIONS:
                text = f"unknown section {quote(section)}; {suggest(section, _SECTIONS)}"
                reading.refuse(number, text)
            elif section in seen:
                reading.refuse(number, f"a second section {quote(section)}; one is allowed")
            seen.setdefault(section, set())
        elif section.startswith("layer "):
            reading.rows.setdefault(section.removeprefix("layer "), {})[number] = line
        elif section in _LISTS:
            _read_entry(reading, section, number, line, seen[section])
        elif not section:
            reading.refuse(number, f"{quote(line)} stands in no section; {choices(_SECTIONS)}")
            section = "?"  # lines that follow have the same fault, which is reported once


def _read_entry(reading: _Reading, section: str, number: int, line: str, seen: set[str]) -> None:
    """Read a line of a list; `seen` are the numbers and ids of those before it."""
    pattern, wanted = _LISTS[section]
    entry = pattern.fullmatch(line)
    if entry is None:
        reading.refuse(number, f"{section}: {quote(line)}; {wanted}")
        return
    parts = entry.groupdict()
    own, id_ = f"number {int(parts.get('number', 0))}", parts.get("id", "")
    if "x" in parts and not (
        int(parts["x"]) < reading.size[0] and int(parts["y"]) < reading.size[1]
    ):
        tile, size = [int(parts["x"]), int(parts["y"])], f"{reading.size[0]} x {reading.size[1]}"
        reading.refuse(number, f"{section}: {tile} lies outside the map, which is {size}")
    elif "number" in parts and own in seen:
        reading.refuse(number, f"{section}: the {own} is used twice")
    elif id_ and f"id {id_}" in seen:
        reading.refuse(number, f"{section}: {quote(id_)} is listed twice; once is allowed")
    else:
        seen |= {own, f"id {id_}"}
        reading.entries[section][number] = entry


def _read_layer(reading: _Reading, name: str, *, check_numbers: bool) -> Layer:
    width, height = reading.size
    layer = np.zeros((height, width), np.int32)
    rows = reading.rows.get(name, {})
    if len(rows) != height and (rows or name != "object"):  # a town without things is one too
        text = f"it has {len(rows)} rows; the size says {height}"
        reading.faults.append(Fault(("map", f"layer {name}"), text))
        return layer
    known = {0, 1} if name == "closed" else {0, *reading.list_legend(name)}
    for y, (number, line) in enumerate(rows.items()):
        where_in = f"layer {name}, row {y + 1}"
        values = _read_row(line, width)
        if isinstance(values, str):
            reading.refuse(number, f"{where_in}: {values}")
            continue
        layer[y] = values
        odd = next((x for x, value in enumerate(values) if value not in known), None)
        if odd is not None and check_numbers:
            allowed = choices(map(str, sorted(known)), 8)
            text = f"{where_in}: {values[odd]} at tile [{odd}, {y}] is unknown; allowed: {allowed}"
            reading.refuse(number, text)
    return layer


def _read_row(line: str, width: int) -> list[int] | str:
    """Return the numbers of a row, or its fault."""
    values: list[int] = []
    for part in line.replace(",", " ").split():
        run = _RUN.fullmatch(part)
        if run is None:
            return f"{quote(part)} is no number; such as `7` or `12*7` is wanted"
        values += [int(run[2])] * min(int(run[1] or 1), 2 * SIDE_LIMIT)
        if len(values) > 2 * SIDE_LIMIT:
            break
    if len(values) != width:
        many = f"more than {2 * SIDE_LIMIT}" if len(values) > 2 * SIDE_LIMIT else f"{len(values)}"
        return f"it has {many} tiles; the size says {width}"
    return values


def _refuse_undrawn(reading: _Reading, layers: Mapping[str, Layer]) -> None:
    """Reject entries of a legend that no tile has."""
    for name in ("place", "object"):
        drawn = set(np.unique(layers[name]).tolist())
        for line, entry in reading.entries[f"{name}s"].items():
            number, id_ = int(entry["number"]), quote(entry["id"])
            if number not in drawn:
                text = f"{name}s: {number}, {id_}, is nowhere in the layer {name}; draw it"
                reading.refuse(line, text)


def _draw(reading: _Reading, layers: Mapping[str, Layer]) -> DrawnMap:
    places = reading.list_legend("place")
    numbers, where = np.unique(layers["place"], return_inverse=True)
    order = {number: index for index, number in enumerate(places, 1)}
    ranks = np.array([order.get(number, GROUND) for number in numbers.tolist()], np.int32)
    tiles: dict[int, list[Tile]] = {number: [] for number in reading.list_legend("object")}
    for y, x in np.argwhere(layers["object"]).tolist():
        tiles[int(layers["object"][y, x])].append((x, y))
    entries = reading.entries
    return DrawnMap(
        Grid(
            layers["closed"] == 1,
            ranks[where].reshape(layers["place"].shape),
            [_get_tile(entry) for entry in entries["doors"].values()],
        ),
        places=tuple(places.values()),
        objects=tuple(
            DrawnObject(entry["id"], tuple(tiles[int(entry["number"])]), ("map", f"line {line}"))
            for line, entry in entries["objects"].items()
        ),
        spawns=tuple(
            DrawnSpawn(entry["id"], _get_tile(entry), ("map", f"line {line}"))
            for line, entry in entries["spawns"].items()
        ),
        sprites=tuple((entry["id"], entry["file"]) for entry in entries["sprites"].values()),
    )


def _get_tile(entry: re.Match[str]) -> Tile:
    return int(entry["x"]), int(entry["y"])


def format_grid(drawn: DrawnMap) -> str:
    """Format a map as a `map.grid`, which `read_grid` reads back.

    Raises:
        ValueError: two objects share a tile, which layers of numbers cannot say.
    """
    grid, objects = drawn.grid, np.zeros(drawn.grid.arena.shape, np.int32)
    for number, item in enumerate(drawn.objects, 1):
        for x, y in item.tiles:
            if objects[y, x]:
                other = drawn.objects[int(objects[y, x]) - 1].id
                raise ValueError(f"{item.id} and {other} share the tile {[x, y]}")
            objects[y, x] = number
    sections = {
        "places": [f"{n} {id_}" for n, id_ in enumerate(drawn.places, 1)],
        "objects": [f"{n} {item.id}" for n, item in enumerate(drawn.objects, 1)],
        "spawns": [f"{spawn.tile[0]} {spawn.tile[1]} {spawn.id}" for spawn in drawn.spawns],
        "doors": [f"{x} {y}" for x, y in grid.doors],
        "sprites": [f"{name} = {file}" for name, file in drawn.sprites],
        "layer closed": _format_rows(grid.blocked.astype(np.int32)),
        "layer place": _format_rows(grid.arena),
        "layer object": _format_rows(objects),
    }
    lines = [FIRST_LINE, f"size {grid.width} {grid.height}"]
    for name, body in sections.items():
        if body:
            lines += ["", f"[{name}]", *body]
    return "\n".join(lines) + "\n"


def _format_rows(layer: Layer) -> list[str]:
    return [" ".join(_format_runs(row)) for row in layer.tolist()]


def _format_runs(row: list[int]) -> Iterator[str]:
    for value, run in groupby(row):
        length = len(list(run))
        yield f"{length}*{value}" if length > 2 else " ".join([str(value)] * length)
