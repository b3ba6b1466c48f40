"""What the layers of a Tiled map mean: which tiles are a sector, an arena, an object and so on.

What an object of an object layer is says its class, or else the name of its layer; what a painted
tile is says the name of its layer, and which one the property `name` of the tile.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from genagents_env.scenario.faults import Fault, Loc, choices, quote, suggest
from genagents_env.scenario.grid import Tile
from genagents_env.scenario.tiled.covering import WorkLimit, cover
from genagents_env.scenario.tiled.document import (
    PaintedLayer,
    PropertyValue,
    Shape,
    ShapeLayer,
    TiledDocument,
    TileKind,
)
from genagents_env.scenario.tiled.refusal import (
    TiledRefusal,
    locate,
    name_layer,
    name_object,
    name_tile,
)
from genagents_env.text import fold

KINDS = ("collision", "sector", "arena", "object", "spawn", "door")
LAYERS = {f"{kind}s": kind for kind in KINDS}
IGNORE, NAME = "ignore", "name"
NAME_LIMIT = 2000  # kinds of tiles on a layer that names places
_UNNAMED = ("collision", "door")


@dataclass(frozen=True, slots=True)
class MapPiece:
    """A place or thing, or a part of one. `painted`: with tiles, which may lie anywhere."""

    kind: str
    name: str
    tiles: tuple[Tile, ...]
    properties: Mapping[str, PropertyValue]
    where: Loc
    painted: bool = False


def find_pieces(document: TiledDocument) -> tuple[list[MapPiece], list[Fault]]:
    """Return all pieces, layer by layer from the bottom, and what means nothing."""
    pieces: list[MapPiece] = []
    faults: list[Fault] = []
    limit = WorkLimit()
    for layer in document.layers:
        if layer.properties.get(IGNORE) is True:
            continue
        if isinstance(layer, PaintedLayer):
            found = _read_painted(layer, document, limit)
        else:
            found = _read_shapes(layer, document, limit)
        for one in found:
            if isinstance(one, MapPiece):
                pieces.append(one)
            else:
                faults.append(one)
    return pieces, faults


def _read_painted(
    layer: PaintedLayer, document: TiledDocument, limit: WorkLimit
) -> Iterator[MapPiece | Fault]:
    kind = LAYERS.get(fold(layer.name))
    if kind is None:
        near = get_close_matches(fold(layer.name)[:60], list(LAYERS), n=1, cutoff=0.7)
        if near:
            text = f"its name means nothing; did you mean {quote(near[0])}? If not, give it the"
            yield Fault(locate(name_layer(layer.name)), f"{text} property {quote(IGNORE)}, true")
        return
    where = locate(name_layer(layer.name))
    painted = np.unique(layer.gids[layer.gids > 0])
    if painted.size > NAME_LIMIT:
        text = f"{painted.size} kinds of tiles; at most {NAME_LIMIT} may have names on a layer"
        yield Fault(where, text)
        return
    try:
        limit.spend(int(np.count_nonzero(layer.gids)))
    except TiledRefusal as error:
        yield Fault(where, error.text)
        return
    for gid, tiles in _group(layer).items():
        yield _read_tile(layer, kind, document.tiles[gid], tuple(tiles))


def _group(layer: PaintedLayer) -> dict[int, list[Tile]]:
    """Return the painted tiles by what they are painted with, row by row, the lowest gid first."""
    rows, columns = np.nonzero(layer.gids)
    gids = layer.gids[rows, columns]
    order = np.argsort(gids, kind="stable")
    found: dict[int, list[Tile]] = {}
    parts = (gids[order].tolist(), columns[order].tolist(), rows[order].tolist())
    for gid, x, y in zip(*parts, strict=True):
        found.setdefault(gid, []).append((x, y))
    return found


def _read_tile(
    layer: PaintedLayer, kind: str, tile: TileKind, tiles: tuple[Tile, ...]
) -> MapPiece | Fault:
    where = locate(name_layer(layer.name), name_tile(*tiles[0]))
    if kind in _UNNAMED:
        return MapPiece(kind, "", tiles, {}, where, painted=True)
    name = tile.properties.get(NAME)
    if not isinstance(name, str) or not name.strip():
        what = f"tile {tile.number} of tileset {quote(tile.tileset)} has no property {quote(NAME)}"
        return Fault(where, f"{what}; in this layer it says which {kind} is painted")
    properties = {key: value for key, value in tile.properties.items() if key != NAME}
    return MapPiece(kind, name.strip(), tiles, properties, where, painted=True)


def _read_shapes(
    layer: ShapeLayer, document: TiledDocument, limit: WorkLimit
) -> Iterator[MapPiece | Fault]:
    kind = LAYERS.get(fold(layer.name))
    strange = [shape for shape in layer.shapes if kind is None and not shape.class_]
    if strange:
        text = f"its name means nothing, and {name_object(strange[0].number, strange[0].name)}"
        allowed = f"{suggest(layer.name, list(LAYERS))} Or classes: {choices(KINDS)}"
        other = f"For notes of your own give the layer the property {quote(IGNORE)}, true"
        yield Fault(locate(name_layer(layer.name)), f"{text} has no class; {allowed}. {other}")
        return
    for shape in layer.shapes:
        where = locate(name_layer(layer.name), name_object(shape.number, shape.name))
        try:
            yield _read_shape(shape, kind, where, document, limit)
        except TiledRefusal as error:
            yield Fault(where, error.text)


def _read_shape(
    shape: Shape, kind: str | None, where: Loc, document: TiledDocument, limit: WorkLimit
) -> MapPiece:
    if shape.class_:
        kind = fold(shape.class_)
        if kind not in KINDS:
            raise TiledRefusal(f"class {quote(shape.class_)} is unknown; {suggest(kind, KINDS)}")
    tiles, name = cover(shape.outline, document.width, document.height, limit), shape.name.strip()
    if kind is None:
        raise TiledRefusal(f"it has no class; allowed: {choices(KINDS)}")
    if not name and kind not in _UNNAMED and not (kind == "spawn" and "person" in shape.properties):
        raise TiledRefusal(f"it has no name; every {kind} has one")
    if "/" in name:
        raise TiledRefusal("a name has no '/'")
    return MapPiece(kind, name, tiles, shape.properties, where)
