"""Read a map file of Tiled as layers, without the meaning they have for a town."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import cos, isfinite, pi, radians, sin
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from genagents_env.extras import format_install_command, list_missing_modules
from genagents_env.scenario.faults import quote
from genagents_env.scenario.files import TILED
from genagents_env.scenario.maps.tiled.parts import (
    GID_MASK,
    LAYER_TAGS,
    Block,
    Gids,
    Node,
    Properties,
    TiledRefusal,
    convert_properties,
    guard_library,
    list_parts,
    locate_refusals,
    parse_file,
    parse_part,
    read_blocks,
    read_number,
    read_properties,
    read_text,
    read_whole,
)
from genagents_env.scenario.schema import SIDE_LIMIT

Point = tuple[float, float]
Outline = tuple[Point, ...]
Open = Callable[[str], bytes]
_Bounds = tuple[int, int, int, int]  # left, top, width, height, in tiles

_XML, _JSON = (".tmx", ".tsx"), (".tmj", ".tsj", ".json")
_LAYER_LIMIT, _GROUP_LIMIT, _OBJECT_LIMIT, _TILE_LIMIT = 200, 8, 10_000, 65_536
_ELLIPSE = 32  # corners of the polygon that stands for one


class TileKind(NamedTuple):
    """A tile of a tileset: what is painted with."""

    tileset: str
    number: int
    properties: Properties


class Shape(NamedTuple):
    """An object of a layer. `outline`: its corners in tiles from the map's; of a point only one."""

    number: int
    name: str
    class_: str
    outline: Outline
    properties: Properties


@dataclass(frozen=True, slots=True)
class TiledLayer:
    """A layer of objects; or of tiles, whose `gids` are keys of `TiledMap.tiles`, 0 for none."""

    name: str
    properties: Properties
    gids: Gids | None
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class TiledMap:
    """All layers from bottom to top, groups resolved; the tiles that may be painted, by gid."""

    width: int
    height: int
    layers: tuple[TiledLayer, ...]
    tiles: Mapping[int, TileKind]
    properties: Properties


class _Level(NamedTuple):
    """A layer in the file: its kind, and by how many pixels it and its groups are shifted."""

    kind: str
    node: Node
    name: str
    offset: Point


def read_map(name: str, open_file: Open) -> TiledMap:
    """Read the layers of a map.

    Args:
        name: of the file, its format by its end, one of `TILED`.
        open_file: gives the content of the map and of its tilesets, by paths from the map's folder.

    Raises:
        TiledRefusal: something in the files is not as Tiled writes it, or not allowed here.
    """
    if list_missing_modules("tiled"):
        how = format_install_command("tiled")
        raise TiledRefusal(f"to read a map of Tiled, install its reader: {how}")
    root = _read_file(name, open_file, "map")
    orientation = read_text(root, "orientation") or "orthogonal"
    if orientation != "orthogonal":
        text = f'the map is {quote(orientation)}; orientation "orthogonal" is allowed'
        raise TiledRefusal(text)
    tile = (_measure(root, "tilewidth", 4096), _measure(root, "tileheight", 4096))
    tiles = dict(_read_tilesets(root, name, open_file))
    levels = list(_list_levels(root))
    if len(levels) > _LAYER_LIMIT:
        raise TiledRefusal(f"{len(levels)} layers; at most {_LAYER_LIMIT} are allowed")
    blocks, bounds = _read_all_blocks(root, levels, tile)
    layers = []
    for level, part in zip(levels, blocks, strict=True):
        with locate_refusals(f"layer {quote(level.name)}"):
            gids = None if part is None else _paste(part, bounds, tiles)
            shapes = tuple(_read_shapes(level, tile, bounds))
            layers.append(TiledLayer(level.name, read_properties(level.node), gids, shapes))
    count = sum(len(layer.shapes) for layer in layers)
    if count > _OBJECT_LIMIT:
        raise TiledRefusal(f"{count} objects; at most {_OBJECT_LIMIT} are allowed")
    return TiledMap(bounds[2], bounds[3], tuple(layers), tiles, read_properties(root))


def _read_file(name: str, open_file: Open, root: str) -> Node:
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in _XML + _JSON:
        allowed = ", ".join((*TILED, *_XML[1:], *_JSON[1:]))
        raise TiledRefusal(f"{quote(name)} is of no kind that is read: {allowed}")
    return parse_file(open_file(name), root, xml=suffix in _XML)


def _measure(root: Node, key: str, most: int) -> int:
    value = read_whole(root, key)
    if not 1 <= value <= most:
        raise TiledRefusal(f"{quote(key)} is {value}; from 1 to {most} are allowed")
    return value


def _read_tilesets(root: Node, name: str, open_file: Open) -> Iterator[tuple[int, TileKind]]:
    """Yield the tiles of all tilesets with their numbers on the map."""
    end = 1
    for node in list_parts(root, "tileset"):
        source = read_text(node, "source")
        with locate_refusals(f"tileset {quote(source)}" if source else "tileset"):
            first = read_whole(node, "firstgid")
            if not end <= first <= GID_MASK:
                text = f'"firstgid" is {first}; at least {end} is wanted, after the one before'
                raise TiledRefusal(f"{text}, and at most {GID_MASK}")
            if source:
                path = PurePosixPath(name).parent / source.replace("\\", "/")
                node = _read_file(path.as_posix(), open_file, "tileset")
            with guard_library():
                _drop_shapes(node)
                tileset = parse_part("tileset", node, first, "utf-8")
                kinds = _list_kinds(tileset, _TILE_LIMIT - end + 1)
        yield from enumerate(kinds, first)
        end = first + len(kinds)


def _drop_shapes(tileset: Node) -> None:
    """Remove the shapes of tiles, unused here: a layer in their place is unpacked unbounded."""
    if not isinstance(tileset, Element):
        tiles = tileset.get("tiles") or []
        for tile in tiles.values() if isinstance(tiles, dict) else tiles:
            tile.pop("objectgroup", None)


def _list_kinds(tileset: Any, most: int) -> list[TileKind]:
    """Return the tiles of a tileset by their numbers, with the properties that some have."""
    own = tileset.tiles or {}
    count = max([int(tileset.tile_count), *(int(number) + 1 for number in own)])
    if not 0 <= count <= most:
        raise TiledRefusal(f"{count} tiles; at most {_TILE_LIMIT} are allowed in all")
    properties = {int(n): convert_properties(tile.properties) for n, tile in own.items()}
    return [TileKind(str(tileset.name), n, properties.get(n, {})) for n in range(count)]


def _list_levels(node: Node, offset: Point = (0.0, 0.0), depth: int = 0) -> Iterator[_Level]:
    """Yield the layers of a map or group, from the bottom; those in groups in their place."""
    if depth > _GROUP_LIMIT:
        raise TiledRefusal(f"groups in groups; at most {_GROUP_LIMIT} levels")
    for part in list_parts(node, "layer"):
        name = read_text(part, "name")
        kind = LAYER_TAGS[part.tag] if isinstance(part, Element) else read_text(part, "type")
        if kind not in LAYER_TAGS.values():
            text = f"its type {quote(kind)} is unknown; allowed: {', '.join(LAYER_TAGS.values())}"
            raise TiledRefusal(text, f"layer {quote(name)}")
        x, y = read_number(part, "offsetx", 0.0), read_number(part, "offsety", 0.0)
        shifted = (offset[0] + x, offset[1] + y)
        if kind == "group":
            yield from _list_levels(part, shifted, depth + 1)
        else:
            yield _Level(kind, part, name, shifted)


def _read_all_blocks(
    root: Node, levels: list[_Level], tile: tuple[int, int]
) -> tuple[list[list[Block] | None], _Bounds]:
    """Return the tiles of each layer, None where it has none, and the bounds of the map."""
    size = None
    if root.get("infinite") not in (True, "1", "true"):
        size = (_measure(root, "width", SIDE_LIMIT), _measure(root, "height", SIDE_LIMIT))
    blocks: list[list[Block] | None] = []
    for level in levels:
        blocks.append(None)
        if level.kind == "tilelayer":
            with locate_refusals(f"layer {quote(level.name)}"):
                x, y = _find_shift(level.offset, tile)
                parts = read_blocks(level.node, size)
                blocks[-1] = [(left + x, top + y, gids) for left, top, gids in parts]
    if size is not None:
        return blocks, (0, 0, *size)
    return blocks, _find_bounds([block for part in blocks for block in part or ()])


def _find_shift(offset: Point, tile: tuple[int, int]) -> tuple[int, int]:
    x, y = offset[0] / tile[0], offset[1] / tile[1]
    if x != int(x) or y != int(y):
        text = f"it is shifted by {offset[0]:g}, {offset[1]:g} pixels"
        raise TiledRefusal(f"{text}; whole tiles of {tile[0]} x {tile[1]} are allowed")
    return int(x), int(y)


def _find_bounds(blocks: list[Block]) -> _Bounds:
    """Return the bounds of all that is painted on a map without a size."""
    corners = []
    for left, top, gids in blocks:
        rows, columns = np.nonzero(gids)
        if rows.size:
            corners.append((left + int(columns.min()), top + int(rows.min())))
            corners.append((left + int(columns.max()), top + int(rows.max())))
    if not corners:
        text = "the map is infinite and no tile is painted; paint the ground, or give it a size"
        raise TiledRefusal(text)
    (left, top), (right, bottom) = np.min(corners, axis=0), np.max(corners, axis=0)
    width, height = int(right - left) + 1, int(bottom - top) + 1
    if max(width, height) > SIDE_LIMIT:
        text = f"what is painted is {width} x {height} tiles"
        raise TiledRefusal(f"{text}; at most {SIDE_LIMIT} x {SIDE_LIMIT} are allowed")
    return int(left), int(top), width, height


def _paste(blocks: list[Block], bounds: _Bounds, tiles: Mapping[int, TileKind]) -> Gids:
    """Return the tiles that fall inside the bounds.

    Raises:
        TiledRefusal: one is of no tileset.
    """
    x, y, width, height = bounds
    layer = np.zeros((height, width), np.int64)
    for left, top, gids in blocks:
        rows, columns = np.nonzero(gids)
        down, across = rows + top - y, columns + left - x
        inside = (down >= 0) & (down < height) & (across >= 0) & (across < width)
        layer[down[inside], across[inside]] = gids[rows[inside], columns[inside]]
    rows, columns = np.nonzero(~np.isin(layer, np.array([0, *tiles], np.int64)))
    if rows.size:
        text = f"{int(layer[rows[0], columns[0]])} is the number of no tile; "
        text += f"the tilesets have {min(tiles)} to {max(tiles)}" if tiles else "add its tileset"
        raise TiledRefusal(text, f"tile {columns[0]}, {rows[0]}")
    return layer


def name_object(number: object, name: object) -> str:
    """Name an object of a layer for faults, by its number and name in Tiled."""
    return f"object {quote(number, 12)[1:-1]}" + (f" {quote(name)}" if name else "")


def _read_shapes(level: _Level, tile: tuple[int, int], bounds: _Bounds) -> Iterator[Shape]:
    """Yield the objects of a layer; a layer of tiles has none."""
    offset = (level.offset[0] - bounds[0] * tile[0], level.offset[1] - bounds[1] * tile[1])
    for node in list_parts(level.node, "object"):
        with locate_refusals(name_object(node.get("id", 0), node.get("name", ""))):
            name = read_text(node, "name")
            if node.get("template"):
                text = "it is made from a template; detach it in Tiled (Map, Detach Templates)"
                raise TiledRefusal(text)
            parsed = parse_part("tiled_object", node, "utf-8")
            with guard_library():
                yield _convert_object(parsed, name, tile, offset)


def _convert_object(parsed: Any, name: str, tile: Point, offset: Point) -> Shape:
    """Convert an object of the library, which counts in pixels, to a shape."""
    x, y = float(parsed.coordinates.x) + offset[0], float(parsed.coordinates.y) + offset[1]
    corners = tuple(((x + a) / tile[0], (y + b) / tile[1]) for a, b in _find_corners(parsed))
    if not corners or not all(isfinite(a) and isfinite(b) for a, b in corners):
        raise TiledRefusal("it has no place; numbers of pixels are wanted")
    properties = convert_properties(parsed.properties)
    return Shape(int(parsed.id), name, str(parsed.class_ or ""), corners, properties)


def _find_corners(parsed: Any) -> Outline:
    """Return the corners of an object in pixels from its place, turned as Tiled turns it."""
    kind, width, height = type(parsed).__name__, float(parsed.size[0]), float(parsed.size[1])
    if kind == "Ellipse":
        turns = [2 * pi * i / _ELLIPSE for i in range(_ELLIPSE)]
        corners = [((1 + cos(a)) * width / 2, (1 + sin(a)) * height / 2) for a in turns]
    elif kind == "Polygon":
        corners = [(float(point.x), float(point.y)) for point in parsed.points]
    elif kind == "Point" or (kind in ("Rectangle", "Tile") and width == height == 0):
        corners = [(0.0, 0.0)]
    elif kind in ("Rectangle", "Tile"):
        top = -height if kind == "Tile" else 0.0  # a tile is placed by its lower left corner
        corners = [(0.0, top), (width, top), (width, top + height), (0.0, top + height)]
    else:
        allowed = "a rectangle, an ellipse, a polygon, a tile or a point is wanted"
        raise TiledRefusal(f"it is a {kind.lower()}; {allowed}")
    turn = radians(float(parsed.rotation) % 360)
    if not turn:
        return tuple(corners)
    c, s = cos(turn), sin(turn)
    return tuple((a * c - b * s, a * s + b * c) for a, b in corners)
