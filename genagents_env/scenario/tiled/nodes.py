"""The parts of a Tiled file, in one form for both formats, checked as they are read."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Protocol, cast
from xml.etree.ElementTree import Element

from genagents_env.scenario.faults import quote
from genagents_env.scenario.tiled.document import Properties
from genagents_env.scenario.tiled.library import convert_properties, guard, load_parser
from genagents_env.scenario.tiled.refusal import TiledRefusal
from genagents_env.scenario.tiled.tile_data import TileChunk, TileData

if TYPE_CHECKING:
    from pytiled_parser.tiled_object import TiledObject
    from pytiled_parser.tileset import Tileset

_TAGS = {
    "layer": "tilelayer",
    "objectgroup": "objectgroup",
    "imagelayer": "imagelayer",
    "group": "group",
}
LAYER_KINDS = tuple(_TAGS.values())


class TiledNode(Protocol):
    """A map, layer, object, chunk or tileset of a Tiled file."""

    def read_text(self, key: str, default: str = "") -> str:
        """Return the text of `key`; `default` where the file has none."""

    def read_number(self, key: str, default: float | None = None) -> float:
        """Return the number of `key`; without a default it is required."""

    def is_true(self, key: str) -> bool:
        """Return whether `key` is there and true."""

    def list_layers(self) -> list[tuple[str, "TiledNode"]]:
        """Return the layers of a map or group, each with its kind, one of `LAYER_KINDS`."""

    def list_parts(self, kind: str) -> Sequence["TiledNode"]:
        """Return the parts of a kind: `tileset` of a map, `object` of a layer."""

    def read_data(self) -> TileData:
        """Return the tiles of a layer as they are written."""

    def read_properties(self) -> Properties:
        """Return the custom properties."""

    def load_object(self) -> "TiledObject":
        """Return this object as the library has it."""

    def load_tileset(self) -> "Tileset":
        """Return this tileset as the library has it."""


def read_whole_number(node: TiledNode, key: str, default: int | None = None) -> int:
    """Return a whole number; without a default it is required.

    Raises:
        TiledRefusal: it is missing, or no whole number.
    """
    number = node.read_number(key, default)
    if number != int(number):
        raise TiledRefusal(f"{quote(key)} is {number:g}; a whole number is wanted")
    return int(number)


def wrap_json(raw: object) -> TiledNode:
    """Return the map or tileset of a `.tmj` or `.tsj` file.

    Raises:
        TiledRefusal: it is no table.
    """
    return _JsonNode(raw)


def wrap_xml(raw: Element) -> TiledNode:
    """Return the map or tileset of a `.tmx` or `.tsx` file."""
    return _XmlNode(raw)


class _JsonNode:
    """A table of a `.tmj` or `.tsj` file."""

    def __init__(self, raw: object) -> None:
        if not isinstance(raw, dict):
            raise TiledRefusal(f"{quote(raw, 30)} stands where Tiled writes a table in {{ }}")
        self._raw = cast(dict[str, object], raw)

    def read_text(self, key: str, default: str = "") -> str:
        value = self._raw.get(key, default)
        if not isinstance(value, str):
            raise TiledRefusal(f"{quote(key)} is {quote(value, 30)}; text is wanted")
        return value

    def read_number(self, key: str, default: float | None = None) -> float:
        value = self._raw.get(key, default)
        if value is None:
            raise TiledRefusal(f"lacks {quote(key)}, which Tiled writes")
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise TiledRefusal(f"{quote(key)} is {quote(value, 30)}; a number is wanted")
        return value

    def is_true(self, key: str) -> bool:
        return self._raw.get(key) is True

    def list_layers(self) -> list[tuple[str, TiledNode]]:
        nodes = self._list("layers")
        return [(node.read_text("type"), node) for node in nodes]

    def list_parts(self, kind: str) -> "Sequence[_JsonNode]":
        return self._list(f"{kind}s")

    def _list(self, key: str) -> "list[_JsonNode]":
        value = self._raw.get(key, [])
        if not isinstance(value, list):
            raise TiledRefusal(f"{quote(key)} is {quote(value, 30)}; a list in [ ] is wanted")
        return [_JsonNode(item) for item in value]

    def read_data(self) -> TileData:
        encoding, compression = self.read_text("encoding", "csv"), self.read_text("compression")
        if "chunks" in self._raw:
            chunks = [node._read_chunk() for node in self._list("chunks")]
        else:
            chunks = [self._read_chunk()]
        return TileData(encoding, compression, tuple(chunks))

    def _read_chunk(self) -> TileChunk:
        x, y = read_whole_number(self, "x", 0), read_whole_number(self, "y", 0)
        width, height = read_whole_number(self, "width"), read_whole_number(self, "height")
        content = self._raw.get("data")
        if not isinstance(content, str | list):
            raise TiledRefusal('lacks "data", the list of its tiles')
        return TileChunk(x, y, width, height, content)

    def read_properties(self) -> Properties:
        raw, parse = self._raw.get("properties", []), load_parser("json.properties")
        return guard(lambda: convert_properties(cast(Properties, parse(raw))), "a property")

    def load_object(self) -> "TiledObject":
        parse = load_parser("json.tiled_object")
        return guard(lambda: cast("TiledObject", parse(self._raw, "utf-8")), "it")

    def load_tileset(self) -> "Tileset":
        parse = load_parser("json.tileset")
        return guard(lambda: cast("Tileset", parse(self._raw, 1, "utf-8")), "the tileset")


class _XmlNode:
    """An element of a `.tmx` or `.tsx` file."""

    def __init__(self, raw: Element) -> None:
        self._raw = raw

    def read_text(self, key: str, default: str = "") -> str:
        return self._raw.get(key, default)

    def read_number(self, key: str, default: float | None = None) -> float:
        value = self._raw.get(key, default)
        if value is None:
            raise TiledRefusal(f"lacks {quote(key)}, which Tiled writes")
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not isfinite(number):
            raise TiledRefusal(f"{quote(key)} is {quote(value, 30)}; a number is wanted")
        return number

    def is_true(self, key: str) -> bool:
        return self._raw.get(key) in ("1", "true")

    def list_layers(self) -> list[tuple[str, TiledNode]]:
        return [(_TAGS[part.tag], _XmlNode(part)) for part in self._raw if part.tag in _TAGS]

    def list_parts(self, kind: str) -> "Sequence[_XmlNode]":
        return [_XmlNode(part) for part in self._raw.findall(kind)]

    def read_data(self) -> TileData:
        data = self._raw.find("data")
        if data is None:
            raise TiledRefusal("lacks <data>, the list of its tiles")
        encoding, compression = data.get("encoding", ""), data.get("compression", "")
        parts = [_XmlNode(part) for part in data.findall("chunk")]
        chunks = [part._read_chunk(part._raw) for part in parts] or [self._read_chunk(data)]
        return TileData(encoding, compression, tuple(chunks))

    def _read_chunk(self, data: Element) -> TileChunk:
        x, y = read_whole_number(self, "x", 0), read_whole_number(self, "y", 0)
        width, height = read_whole_number(self, "width"), read_whole_number(self, "height")
        tiles = data.findall("tile")  # as Tiled wrote them without an encoding
        if tiles:
            gids = [read_whole_number(_XmlNode(tile), "gid", 0) for tile in tiles]
            return TileChunk(x, y, width, height, gids)
        return TileChunk(x, y, width, height, data.text or "")

    def read_properties(self) -> Properties:
        parse, part = load_parser("tmx.properties"), self._raw.find("properties")
        if part is None:
            return {}
        return guard(lambda: convert_properties(cast(Properties, parse(part))), "a property")

    def load_object(self) -> "TiledObject":
        parse = load_parser("tmx.tiled_object")
        return guard(lambda: cast("TiledObject", parse(self._raw, "utf-8")), "it")

    def load_tileset(self) -> "Tileset":
        parse = load_parser("tmx.tileset")
        return guard(lambda: cast("Tileset", parse(self._raw, 1, "utf-8")), "the tileset")
