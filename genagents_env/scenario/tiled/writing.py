"""Layers as files that Tiled opens: `.tmj`, `.tmx`, and one CSV for each layer of tiles."""

import json
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from genagents_env.scenario.tiled.document import (
    PaintedLayer,
    Point,
    Properties,
    PropertyValue,
    Shape,
    ShapeLayer,
    TiledDocument,
    TileKind,
)
from genagents_env.scenario.tiled.palette import COLUMNS, TILE, TILESET

VERSION, TILED = "1.10", "1.10.2"  # of the format and of the program whose files these resemble
_COLORS = {  # of the outlines in Tiled
    "sectors": "#3a6ea5",
    "arenas": "#5a9e4b",
    "objects": "#c77d1a",
    "doors": "#8a5a2b",
    "spawns": "#a0368f",
}
_JsonValue = str | float | bool | list["_JsonValue"] | dict[str, "_JsonValue"]
_Table = dict[str, _JsonValue]


def format_tmj(document: TiledDocument, image: str) -> str:
    """Return the text of a `.tmj`; `image` is the file of the tileset's picture beside it."""
    layers: list[_JsonValue] = []
    lists = _Lists()
    for number, layer in enumerate(document.layers, 1):
        common: _Table = {"id": number, "name": layer.name, "opacity": 1, "visible": True}
        common |= {"x": 0, "y": 0, **_list_json(layer.properties)}
        if isinstance(layer, PaintedLayer):
            size: _Table = {"width": document.width, "height": document.height}
            data = lists.keep(_format_rows(layer))
            layers.append({"type": "tilelayer", **common, **size, "data": data})
        else:
            objects = lists.keep(_format_lines(map(_make_table, layer.shapes)))
            kind: _Table = {"type": "objectgroup", "draworder": "index", "objects": objects}
            if layer.name in _COLORS:
                kind["color"] = _COLORS[layer.name]
            layers.append({**kind, **common})
    table: _Table = {
        "type": "map",
        "version": VERSION,
        "tiledversion": TILED,
        "orientation": "orthogonal",
        "renderorder": "right-down",
        "infinite": False,
        "compressionlevel": -1,
        "width": document.width,
        "height": document.height,
        "tilewidth": TILE,
        "tileheight": TILE,
        "nextlayerid": len(document.layers) + 1,
        "nextobjectid": _count_objects(document) + 1,
        **_list_json(document.properties),
        "tilesets": [_make_tileset(document, image, lists)],
        "layers": layers,
    }
    return lists.put(json.dumps(table, indent=1, ensure_ascii=False)) + "\n"


class _Lists:
    """Long lists, a line an entry or a row, which the rest of the text only marks."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def keep(self, text: str) -> str:
        """Return what stands for the list of these lines until `put`."""
        mark = f"\0{len(self._texts)}"  # no text of a scenario holds a NUL
        self._texts[json.dumps(mark)] = f"[\n{text}]"
        return mark

    def put(self, text: str) -> str:
        """Return a text with the lists in it."""
        for mark, lines in self._texts.items():
            text = text.replace(mark, lines, 1)
        return text


def _format_lines(tables: Iterable[_Table]) -> str:
    return ",\n".join(json.dumps(table, ensure_ascii=False) for table in tables)


def _format_rows(layer: PaintedLayer) -> str:
    return ",\n".join(",".join(map(str, row)) for row in layer.gids.tolist())


def _count_objects(document: TiledDocument) -> int:
    layers = [layer for layer in document.layers if isinstance(layer, ShapeLayer)]
    return max((shape.number for layer in layers for shape in layer.shapes), default=0)


def _list_json(properties: Properties) -> _Table:
    if not properties:
        return {}
    listed: list[_JsonValue] = [
        {"name": name, "type": _name_type(value), "value": value}
        for name, value in properties.items()
    ]
    return {"properties": listed}


def _name_type(value: PropertyValue) -> str:
    if isinstance(value, bool):
        return "bool"
    return {int: "int", float: "float"}.get(type(value), "string")


def _measure(shape: Shape) -> tuple[Point, Point, list[Point]]:
    """Return where a shape is in pixels, its size, and its corners where it is no rectangle."""
    corners = [(x * TILE, y * TILE) for x, y in shape.outline]
    if len(corners) == 1:
        return corners[0], (0.0, 0.0), []
    (left, top), (right, bottom) = corners[0], corners[2 % len(corners)]
    if corners == [(left, top), (right, top), (right, bottom), (left, bottom)]:
        return (left, top), (right - left, bottom - top), []
    return (left, top), (0.0, 0.0), [(x - left, y - top) for x, y in corners]


def _make_table(shape: Shape) -> _Table:
    (x, y), (width, height), corners = _measure(shape)
    table: _Table = {"id": shape.number, "name": shape.name, "type": shape.class_}
    table |= {"x": _trim(x), "y": _trim(y), "width": _trim(width), "height": _trim(height)}
    table |= {"rotation": 0, "visible": True, **_list_json(shape.properties)}
    if len(shape.outline) == 1:
        table["point"] = True
    elif corners:
        table["polygon"] = [{"x": _trim(a), "y": _trim(b)} for a, b in corners]
    return table


def _trim(number: float) -> float:
    return int(number) if number == int(number) else number


def _list_own_tiles(document: TiledDocument) -> list[TileKind]:
    return [kind for kind in document.tiles.values() if kind.properties or kind.class_]


def _make_tileset(document: TiledDocument, image: str, lists: _Lists) -> _Table:
    tiles = lists.keep(
        _format_lines(
            {"id": kind.number, "type": kind.class_, **_list_json(kind.properties)}
            for kind in _list_own_tiles(document)
        )
    )
    width, height = _measure_tileset(document)
    return {
        "firstgid": 1,
        "name": TILESET,
        "image": image,
        "imagewidth": width,
        "imageheight": height,
        "tilewidth": TILE,
        "tileheight": TILE,
        "tilecount": len(document.tiles),
        "columns": COLUMNS,
        "margin": 0,
        "spacing": 0,
        "tiles": tiles,
    }


def _measure_tileset(document: TiledDocument) -> tuple[int, int]:
    return COLUMNS * TILE, -(-len(document.tiles) // COLUMNS) * TILE


def format_tmx(document: TiledDocument, image: str) -> str:
    """Return the text of a `.tmx`; `image` is the file of the tileset's picture beside it."""
    root = Element("map", version=VERSION, tiledversion=TILED, orientation="orthogonal")
    size = {"width": str(document.width), "height": str(document.height)}
    pixels = {"tilewidth": str(TILE), "tileheight": str(TILE)}
    last = {
        "nextlayerid": str(len(document.layers) + 1),
        "nextobjectid": str(_count_objects(document) + 1),
    }
    root.attrib |= {"renderorder": "right-down", **size, **pixels, "infinite": "0", **last}
    _add_properties(root, document.properties)
    _add_tileset(root, document, image, pixels)
    for number, layer in enumerate(document.layers, 1):
        common = {"id": str(number), "name": layer.name}
        if isinstance(layer, PaintedLayer):
            node = SubElement(root, "layer", {**common, **size})
            _add_properties(node, layer.properties)
            SubElement(node, "data", encoding="csv").text = f"\n{_format_rows(layer)}\n"
        else:
            color = {"color": _COLORS[layer.name]} if layer.name in _COLORS else {}
            node = SubElement(root, "objectgroup", {**common, **color, "draworder": "index"})
            _add_properties(node, layer.properties)
            for shape in layer.shapes:
                _add_object(node, shape)
    indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, "unicode")}\n'


def _add_properties(node: Element, properties: Properties) -> None:
    if not properties:
        return
    parent = SubElement(node, "properties")
    for name, value in properties.items():
        kind = _name_type(value)
        part = SubElement(parent, "property", {"name": name})
        if kind != "string":
            part.set("type", kind)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if "\n" in text:  # as Tiled writes what has lines
            part.text = text
        else:
            part.set("value", text)


def _add_tileset(
    root: Element, document: TiledDocument, image: str, pixels: dict[str, str]
) -> None:
    width, height = map(str, _measure_tileset(document))
    counts = {"tilecount": str(len(document.tiles)), "columns": str(COLUMNS)}
    node = SubElement(root, "tileset", {"firstgid": "1", "name": TILESET, **pixels, **counts})
    SubElement(node, "image", source=image, width=width, height=height)
    for kind in _list_own_tiles(document):
        tile = SubElement(node, "tile", {"id": str(kind.number)})
        if kind.class_:
            tile.set("type", kind.class_)
        _add_properties(tile, kind.properties)


def _add_object(node: Element, shape: Shape) -> None:
    (x, y), (width, height), corners = _measure(shape)
    part = SubElement(node, "object", {"id": str(shape.number)})
    if shape.name:
        part.set("name", shape.name)
    if shape.class_:
        part.set("type", shape.class_)
    part.attrib |= {"x": str(_trim(x)), "y": str(_trim(y))}
    if width or height:
        part.attrib |= {"width": str(_trim(width)), "height": str(_trim(height))}
    _add_properties(part, shape.properties)
    if len(shape.outline) == 1:
        SubElement(part, "point")
    elif corners:
        points = " ".join(f"{_trim(a)},{_trim(b)}" for a, b in corners)
        SubElement(part, "polygon", points=points)
