"""Read the layers of a Tiled map as tiles of sectors, arenas, objects and so on.

The kind of an object is its class, or else the name of its layer; that of a painted tile is the
name of its layer, and its property `name` says which one it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import floor

import numpy as np

from genagents_env.scenario.faults import Fault, Loc, choices, quote, suggest
from genagents_env.scenario.maps.drawn import Tile
from genagents_env.scenario.maps.tiled.file import (
    Outline,
    Shape,
    TiledLayer,
    TiledMap,
    TileKind,
    name_object,
)
from genagents_env.scenario.maps.tiled.parts import Gids, PropertyValue, TiledRefusal
from genagents_env.scenario.schema import SIDE_LIMIT
from genagents_env.text import fold

KINDS = ("collision", "sector", "arena", "object", "spawn", "door")
_LAYERS = {f"{kind}s": kind for kind in KINDS}
_IGNORE, _NAME = "ignore", "name"
_UNNAMED = ("collision", "door")
_NAME_LIMIT = 2000  # kinds of tiles on a layer that names places
_CORNER = 500  # a corner takes as long as so many tiles
_WORK_LIMIT = 20_000_000  # a map of 512 x 512 all covered by sectors and arenas takes a tenth


@dataclass(frozen=True, slots=True)
class MapPiece:
    """A place or thing, or a part of one. `painted`: with tiles, which may lie anywhere."""

    kind: str
    name: str
    tiles: tuple[Tile, ...]
    properties: Mapping[str, PropertyValue]
    where: Loc
    painted: bool = False


class _WorkLimit:
    """A limit of the work for all layers of a map, in tiles looked at."""

    def __init__(self) -> None:
        self._left = _WORK_LIMIT

    def spend(self, work: int) -> None:
        if work > self._left:
            raise TiledRefusal("what is drawn is too much; use fewer, smaller or plainer shapes")
        self._left -= work


def find_pieces(drawn: TiledMap) -> tuple[list[MapPiece], list[Fault]]:
    """Return all pieces, layer by layer from the bottom, and the faults of the layers."""
    pieces: list[MapPiece] = []
    faults: list[Fault] = []
    limit = _WorkLimit()
    for layer in drawn.layers:
        if layer.properties.get(_IGNORE) is True:
            continue
        where: Loc = ("map", f"layer {quote(layer.name)}")
        try:
            if layer.gids is not None:
                parts = _read_painted(layer, layer.gids, drawn.tiles, where, limit)
            else:
                parts = _read_shapes(layer, drawn, where, limit)
            for piece in parts:
                (pieces if isinstance(piece, MapPiece) else faults).append(piece)  # type: ignore[arg-type]
        except TiledRefusal as refusal:
            faults.append(Fault(where, refusal.text))
    return pieces, faults


def _read_painted(
    layer: TiledLayer, gids: Gids, tiles: Mapping[int, TileKind], where: Loc, limit: _WorkLimit
) -> Iterator[MapPiece | Fault]:
    kind = _LAYERS.get(fold(layer.name))
    if kind is None:
        near = get_close_matches(fold(layer.name)[:60], list(_LAYERS), n=1, cutoff=0.7)
        if near:
            text = f"its name means nothing; did you mean {quote(near[0])}? If not, give it the"
            raise TiledRefusal(f"{text} property {quote(_IGNORE)}, true")
        return
    painted = np.unique(gids[gids > 0])
    if painted.size > _NAME_LIMIT:
        text = f"{painted.size} kinds of tiles; at most {_NAME_LIMIT} may have names on a layer"
        raise TiledRefusal(text)
    limit.spend(int(np.count_nonzero(gids)))
    rows, columns = np.nonzero(gids)
    numbers = gids[rows, columns]
    order = np.argsort(numbers, kind="stable")
    starts = np.searchsorted(numbers[order], painted)[1:]
    for gid, spots in zip(painted.tolist(), np.split(order, starts), strict=True):
        part = tuple(zip(columns[spots].tolist(), rows[spots].tolist(), strict=True))
        yield _read_tile(kind, tiles[gid], part, (*where, f"tile {part[0][0]}, {part[0][1]}"))


def _read_tile(kind: str, tile: TileKind, tiles: tuple[Tile, ...], where: Loc) -> MapPiece | Fault:
    if kind in _UNNAMED:
        return MapPiece(kind, "", tiles, {}, where, painted=True)
    name = tile.properties.get(_NAME)
    if not isinstance(name, str) or not name.strip():
        what = f"tile {tile.number} of tileset {quote(tile.tileset)} has no property {quote(_NAME)}"
        return Fault(where, f"{what}; in this layer it says which {kind} is painted")
    properties = {key: value for key, value in tile.properties.items() if key != _NAME}
    return MapPiece(kind, name.strip(), tiles, properties, where, painted=True)


def _read_shapes(
    layer: TiledLayer, drawn: TiledMap, where: Loc, limit: _WorkLimit
) -> Iterator[MapPiece | Fault]:
    kind = _LAYERS.get(fold(layer.name))
    strange = [shape for shape in layer.shapes if kind is None and not shape.class_]
    if strange:
        text = f"its name means nothing, and {name_object(strange[0].number, strange[0].name)}"
        allowed = f"{suggest(layer.name, list(_LAYERS))} Or classes: {choices(KINDS)}"
        other = f"For notes of your own give the layer the property {quote(_IGNORE)}, true"
        raise TiledRefusal(f"{text} has no class; {allowed}. {other}")
    for shape in layer.shapes:
        spot = (*where, name_object(shape.number, shape.name))
        try:
            yield _read_shape(shape, kind, spot, drawn, limit)
        except TiledRefusal as refusal:
            yield Fault(spot, refusal.text)


def _read_shape(
    shape: Shape, kind: str | None, where: Loc, drawn: TiledMap, limit: _WorkLimit
) -> MapPiece:
    kind = fold(shape.class_) or kind or ""
    if kind not in KINDS:
        raise TiledRefusal(f"class {quote(shape.class_)} is unknown; {suggest(kind, KINDS)}")
    tiles, name = _cover(shape.outline, drawn.width, drawn.height, limit), shape.name.strip()
    if not name and kind not in _UNNAMED and not (kind == "spawn" and "person" in shape.properties):
        raise TiledRefusal(f"it has no name; every {kind} has one")
    if "/" in name:
        raise TiledRefusal("a name has no '/'")
    return MapPiece(kind, name, tiles, shape.properties, where)


def _cover(outline: Outline, width: int, height: int, limit: _WorkLimit) -> tuple[Tile, ...]:
    """Return the tiles whose middles lie in a shape, row by row; if none does, that of its own.

    Raises:
        TiledRefusal: it reaches out of the map, or is too much work.
    """
    xs, ys = zip(*outline, strict=True)
    left, top, right, bottom = floor(min(xs)), floor(min(ys)), floor(max(xs)), floor(max(ys))
    tiles = [(floor((min(xs) + max(xs)) / 2), floor((min(ys) + max(ys)) / 2))]
    if max(map(abs, (left, top, right, bottom))) <= 4 * SIDE_LIMIT:
        limit.spend(len(outline) * ((right - left + 2) * (bottom - top + 2) + _CORNER))
        tiles = _fill(outline, (left, top, right + 1, bottom + 1)) or tiles
    for x, y in tiles:
        if not (0 <= x < width and 0 <= y < height):
            size = f"the map is {width} x {height} tiles, the first is 0, 0"
            raise TiledRefusal(f"it reaches out of the map, to tile {x}, {y}; {size}")
    return tuple(tiles)


def _fill(outline: Outline, box: tuple[int, int, int, int]) -> list[Tile]:
    """Return the tiles of `box` whose middle a line to the right leaves across an odd number."""
    left, top, right, bottom = box
    x, y = np.arange(left, right) + 0.5, np.arange(top, bottom)[:, None] + 0.5
    inside = np.zeros((bottom - top, right - left), np.bool_)
    for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
        if ay != by:
            crosses = (ay > y) != (by > y)
            inside ^= crosses & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    rows, columns = np.nonzero(inside)
    return list(zip((columns + left).tolist(), (rows + top).tolist(), strict=True))
