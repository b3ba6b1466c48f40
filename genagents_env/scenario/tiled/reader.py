"""From a Tiled file to its layers: everything that is the format's and not yet a town's."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from genagents_env.scenario.faults import quote
from genagents_env.scenario.files import TILED
from genagents_env.scenario.schema import SIDE_LIMIT
from genagents_env.scenario.tiled.document import (
    PaintedLayer,
    Point,
    Shape,
    ShapeLayer,
    TiledDocument,
    TileKind,
)
from genagents_env.scenario.tiled.library import (
    convert_properties,
    convert_shape,
    guard,
    load_parser,
)
from genagents_env.scenario.tiled.markup import parse_xml
from genagents_env.scenario.tiled.nodes import (
    LAYER_KINDS,
    TiledNode,
    read_whole_number,
    wrap_json,
    wrap_xml,
)
from genagents_env.scenario.tiled.refusal import (
    TiledRefusal,
    name_layer,
    name_object,
    name_tile,
)
from genagents_env.scenario.tiled.tile_data import GID_MASK, Gids, TileChunk, decode

if TYPE_CHECKING:
    from pytiled_parser.tileset import Tileset

_XML, _JSON = (".tmx", ".tsx"), (".tmj", ".tsj", ".json")
LAYER_LIMIT, GROUP_LIMIT, OBJECT_LIMIT, TILE_LIMIT = 200, 8, 10_000, 65_536
_FAR = 1_000_000  # tiles: no chunk lies farther out

Open = Callable[[str], bytes]  # the content of a file beside the map; raises TiledRefusal


def read_document(name: str, open_file: Open) -> TiledDocument:
    """Return the layers of a map.

    Args:
        name: of the file, its format by its end, one of `TILED`.
        open_file: gives the content of the map and of its tilesets, by paths from the map's folder.

    Raises:
        TiledRefusal: something in the files is not as Tiled writes it, or not allowed here.
    """
    load_parser("json.properties")  # what is missing is said before anything is read
    return _Reader(name, open_file).read()


@dataclass(frozen=True, slots=True)
class _Level:
    """A layer found in the tree: its kind, and by how many pixels its groups shift it."""

    kind: str
    node: TiledNode
    name: str
    offset: Point


class _Reader:
    def __init__(self, name: str, open_file: Open) -> None:
        self.name, self.open = name, open_file
        self.map = self._parse(name, "map")

    def read(self) -> TiledDocument:
        orientation = self.map.read_text("orientation", "orthogonal")
        if orientation != "orthogonal":
            text = f'the map is {quote(orientation)}; orientation "orthogonal" is allowed'
            raise TiledRefusal(text, "file")
        tile = (self._measure("tilewidth", 4096), self._measure("tileheight", 4096))
        tiles = dict(self._read_tilesets())
        levels = list(self._list_levels(self.map, (0.0, 0.0), 0))
        if len(levels) > LAYER_LIMIT:
            raise TiledRefusal(f"{len(levels)} layers; at most {LAYER_LIMIT} are allowed", "file")
        origin, width, height, painted = self._read_tiles(levels, tile)
        for level in levels:
            if id(level) in painted:
                _check_gids(level.name, painted[id(level)], tiles)
        start = (-origin[0] * tile[0], -origin[1] * tile[1])
        layers: list[PaintedLayer | ShapeLayer] = []
        count = 0
        for level in levels:
            if id(level) in painted:
                gids = painted[id(level)]
                layers.append(PaintedLayer(level.name, gids, level.node.read_properties()))
            elif level.kind == "objectgroup":
                offset = (level.offset[0] + start[0], level.offset[1] + start[1])
                shapes = tuple(self._read_shapes(level, tile, offset))
                count += len(shapes)
                layers.append(ShapeLayer(level.name, shapes, level.node.read_properties()))
        if count > OBJECT_LIMIT:
            raise TiledRefusal(f"{count} objects; at most {OBJECT_LIMIT} are allowed", "file")
        properties = self.map.read_properties()
        return TiledDocument(width, height, tuple(layers), tiles, properties)

    def _parse(self, name: str, root: str) -> TiledNode:
        suffix = PurePosixPath(name).suffix.lower()
        if suffix in _XML:
            element = parse_xml(self.open(name))
            if element.tag != root:
                text = f"its root is <{element.tag}>; <{root}> is wanted"
                raise TiledRefusal(text, "file")
            return wrap_xml(element)
        if suffix in _JSON:
            found = _parse_json(self.open(name))
            if not isinstance(found, dict):
                raise TiledRefusal("it is no table in { }, as Tiled writes", "file")
            return wrap_json(found)
        allowed = ", ".join((*TILED, *_XML[1:], *_JSON[1:]))
        raise TiledRefusal(f"{quote(name)} is of no kind that is read: {allowed}", "file")

    def _measure(self, key: str, most: int) -> int:
        try:
            value = read_whole_number(self.map, key)
        except TiledRefusal as error:
            raise TiledRefusal(error.text, "file") from None
        if not 1 <= value <= most:
            text = f"{quote(key)} is {value}; from 1 to {most} are allowed"
            raise TiledRefusal(text, "file")
        return value

    def _read_tilesets(self) -> Iterator[tuple[int, TileKind]]:
        end = 1
        for node in self.map.list_parts("tileset"):
            source, where = node.read_text("source"), "tileset"
            if source:
                where = f"tileset {quote(source)}"
            try:
                first = read_whole_number(node, "firstgid")
                if first < end:
                    text = f'"firstgid" is {first}; at least {end} is wanted, after the one before'
                    raise TiledRefusal(text)
                if first > GID_MASK:
                    raise TiledRefusal(f'"firstgid" is {first}; at most {GID_MASK} is allowed')
                found = (self._open_tileset(source) if source else node).load_tileset()
                kinds = guard(partial(_list_kinds, found, TILE_LIMIT - end + 1), "the tileset")
            except TiledRefusal as error:
                raise TiledRefusal(error.text, where) from None
            yield from enumerate(kinds, first)
            end = first + len(kinds)

    def _open_tileset(self, source: str) -> TiledNode:
        folder = PurePosixPath(self.name).parent
        return self._parse((folder / source.replace("\\", "/")).as_posix(), "tileset")

    def _list_levels(self, node: TiledNode, offset: Point, depth: int) -> Iterator[_Level]:
        if depth > GROUP_LIMIT:
            raise TiledRefusal(f"groups in groups; at most {GROUP_LIMIT} levels", "file")
        for kind, part in node.list_layers():
            name = part.read_text("name")
            if kind not in LAYER_KINDS:
                text = f"its type {quote(kind)} is unknown; allowed: {', '.join(LAYER_KINDS)}"
                raise TiledRefusal(text, name_layer(name))
            x, y = part.read_number("offsetx", 0.0), part.read_number("offsety", 0.0)
            shifted = (offset[0] + x, offset[1] + y)
            if kind == "group":
                yield from self._list_levels(part, shifted, depth + 1)
            else:
                yield _Level(kind, part, name, shifted)

    def _read_tiles(
        self, levels: list[_Level], tile: tuple[int, int]
    ) -> tuple[tuple[int, int], int, int, dict[int, Gids]]:
        """Return the upper left corner of the map, its size, and the tiles of each tile layer."""
        infinite = self.map.is_true("infinite")
        size = None
        if not infinite:
            size = (self._measure("width", SIDE_LIMIT), self._measure("height", SIDE_LIMIT))
        read: dict[int, list[tuple[TileChunk, Gids]]] = {}
        shifts: dict[int, tuple[int, int]] = {}
        for level in levels:
            if level.kind != "tilelayer":
                continue
            try:
                shifts[id(level)] = _find_shift(level, tile)
                data = level.node.read_data()
                for chunk in data.chunks:
                    _check_chunk(chunk, size)
                read[id(level)] = decode(data)
            except TiledRefusal as error:
                raise TiledRefusal(error.text, name_layer(level.name), *error.where) from None
        chunks = [(c, g, shifts[key]) for key, parts in read.items() for c, g in parts]
        x, y, width, height = (0, 0, *size) if size is not None else _find_bounds(chunks)
        painted = {}
        for key, parts in read.items():
            painted[key] = np.zeros((height, width), np.int64)
            for chunk, gids in parts:
                left, top = chunk.x + shifts[key][0] - x, chunk.y + shifts[key][1] - y
                _paste(painted[key], gids, left, top)
        return (x, y), width, height, painted

    def _read_shapes(self, level: _Level, tile: Point, offset: Point) -> Iterator[Shape]:
        for node in level.node.list_parts("object"):
            name, number = node.read_text("name"), f"{node.read_number('id', 0):.0f}"
            try:
                if node.read_text("template"):
                    text = "it is made from a template; detach it in Tiled (Map, Detach Templates)"
                    raise TiledRefusal(text)
                found = node.load_object()
                yield guard(partial(convert_shape, found, tile, offset), "it")
            except TiledRefusal as error:
                where = (name_layer(level.name), name_object(number, name))
                raise TiledRefusal(error.text, *where) from None


def _parse_json(data: bytes) -> object:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no number of JSON")

    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=refuse)
    except UnicodeDecodeError as error:
        raise TiledRefusal(f"not UTF-8 text (byte {error.start})", "file") from None
    except RecursionError:
        raise TiledRefusal("nested too deeply", "file") from None
    except ValueError as error:
        raise TiledRefusal(f"not JSON: {quote(error, 200)[1:-1]}", "file") from None


def _list_kinds(found: "Tileset", most: int) -> list[TileKind]:
    """Return the tiles of a tileset by their numbers, with the properties that some have."""
    name, own = str(found.name), found.tiles or {}
    count = max([int(found.tile_count), *(int(number) + 1 for number in own)])
    if not 0 <= count <= most:
        raise TiledRefusal(f"{count} tiles; at most {TILE_LIMIT} are allowed in all")
    kinds = [TileKind(name, number) for number in range(count)]
    for number, tile in own.items():
        properties = convert_properties(tile.properties)
        kinds[number] = TileKind(name, number, str(tile.class_ or ""), properties)
    return kinds


def _check_chunk(chunk: TileChunk, size: tuple[int, int] | None) -> None:
    if size is not None and (chunk.width, chunk.height) != size:
        is_, wanted = f"{chunk.width} x {chunk.height}", f"{size[0]} x {size[1]}"
        raise TiledRefusal(f"it is {is_} tiles; {wanted} as the map are wanted")
    if not (1 <= chunk.width <= SIDE_LIMIT and 1 <= chunk.height <= SIDE_LIMIT):
        is_, most = f"{chunk.width} x {chunk.height}", f"1 x 1 to {SIDE_LIMIT} x {SIDE_LIMIT}"
        raise TiledRefusal(f"a chunk is {is_} tiles; {most} are allowed")
    if max(abs(chunk.x), abs(chunk.y)) > _FAR:
        raise TiledRefusal(f"a chunk lies at {chunk.x}, {chunk.y}; at most {_FAR} tiles out")


def _find_shift(level: _Level, tile: tuple[int, int]) -> tuple[int, int]:
    x, y = level.offset[0] / tile[0], level.offset[1] / tile[1]
    if x != int(x) or y != int(y):
        text = f"it is shifted by {level.offset[0]:g}, {level.offset[1]:g} pixels"
        raise TiledRefusal(f"{text}; whole tiles of {tile[0]} x {tile[1]} are allowed")
    return int(x), int(y)


def _find_bounds(
    chunks: list[tuple[TileChunk, Gids, tuple[int, int]]],
) -> tuple[int, int, int, int]:
    """Return the corner and size of all that is painted on a map without a size."""
    left, top, right, bottom = [], [], [], []
    for chunk, gids, shift in chunks:
        rows, columns = np.nonzero(gids)
        if rows.size:
            left.append(chunk.x + shift[0] + int(columns.min()))
            right.append(chunk.x + shift[0] + int(columns.max()) + 1)
            top.append(chunk.y + shift[1] + int(rows.min()))
            bottom.append(chunk.y + shift[1] + int(rows.max()) + 1)
    if not left:
        text = "the map is infinite and no tile is painted; paint the ground, or give it a size"
        raise TiledRefusal(text, "file")
    width, height = max(right) - min(left), max(bottom) - min(top)
    if max(width, height) > SIDE_LIMIT:
        text = f"what is painted is {width} x {height} tiles"
        raise TiledRefusal(f"{text}; at most {SIDE_LIMIT} x {SIDE_LIMIT} are allowed", "file")
    return min(left), min(top), width, height


def _paste(into: Gids, gids: Gids, left: int, top: int) -> None:
    """Copy the tiles that fall inside."""
    height, width = gids.shape
    x, y = max(0, left), max(0, top)
    right, bottom = min(into.shape[1], left + width), min(into.shape[0], top + height)
    if x < right and y < bottom:
        part = gids[y - top : bottom - top, x - left : right - left]
        into[y:bottom, x:right] = np.where(part, part, into[y:bottom, x:right])


def _check_gids(name: str, gids: Gids, tiles: dict[int, TileKind]) -> None:
    bad = ~np.isin(gids, np.array([0, *tiles], np.int64))
    rows, columns = np.nonzero(bad)
    if rows.size:
        x, y = int(columns[0]), int(rows[0])
        text = f"{int(gids[y, x])} is the number of no tile; "
        text += f"the tilesets have {min(tiles)} to {max(tiles)}" if tiles else "add its tileset"
        raise TiledRefusal(text, name_layer(name), name_tile(x, y))
