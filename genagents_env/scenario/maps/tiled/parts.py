"""The parts of a Tiled file, in either of its formats, and the tiles of its layers.

pytiled-parser reads properties, objects and tilesets, one part of a file at a time. It is not given
whole maps: it would open any file that a map names, unpack tiles without a bound, and name neither
layer nor object in its errors.
Source: https://doc.mapeditor.org/en/stable/reference/tmx-map-format/
"""

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

import numpy as np
import numpy.typing as npt

from genagents_env.extras import format_install_command
from genagents_env.scenario.faults import Fault, choices, quote
from genagents_env.scenario.schema import SIDE_LIMIT

Node = dict[str, Any] | Element  # of a .tmj or .tsj file, of a .tmx or .tsx file
PropertyValue = str | int | float | bool
Properties = Mapping[str, PropertyValue]
Gids = npt.NDArray[np.int64]  # shape (height, width), indexed [y, x]; 0 is no tile
Block = tuple[int, int, Gids]  # tiles, and the column and row of the first

LAYER_TAGS = {"layer": "tilelayer", **{t: t for t in ("objectgroup", "imagelayer", "group")}}
GID_MASK = 0x0FFFFFFF  # the four highest bits say how a tile is flipped and turned
_PART_LIMIT = 1_000_000  # elements, tables and lists of a file
_FAR = 1_000_000  # tiles: no chunk lies farther out
_ENCODINGS, _COMPRESSIONS = ("csv", "base64"), ("gzip", "zlib", "zstd")
_MOST = 0xFFFFFFFF
# Errors of the library for parts that are not as Tiled writes them.
_BROKEN = (
    *(LookupError, TypeError, ValueError, AttributeError),
    *(AssertionError, ArithmeticError, RuntimeError),
)


class TiledRefusal(Exception):
    """A Tiled file, or a part of it, that is not read.

    `where`: the layer, object or tile; empty for the file. `text`: what is wrong there.
    """

    def __init__(self, text: str, *where: str) -> None:
        super().__init__(text)
        self.where, self.text = where, text

    @property
    def fault(self) -> Fault:
        """The same as a fault of the map."""
        return Fault(("map", *(self.where or ("file",))), self.text)


@contextmanager
def locate_refusals(*where: str) -> Iterator[None]:
    """Add the part of the file to refusals inside."""
    try:
        yield
    except TiledRefusal as refusal:
        raise TiledRefusal(refusal.text, *where, *refusal.where) from None


@contextmanager
def guard_library() -> Iterator[None]:
    """Refuse parts that the library cannot read."""
    try:
        yield
    except KeyError as error:
        raise TiledRefusal(f"it lacks {quote(error.args[0])}, which Tiled writes") from None
    except _BROKEN as error:
        raise TiledRefusal(f"it is not as Tiled writes it: {quote(error, 120)}") from None


def parse_file(data: bytes, root: str, *, xml: bool) -> Node:
    """Parse a file; return its root, called `root` in XML.

    Raises:
        TiledRefusal: it is neither XML nor JSON, declares a document type, or has too many parts.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TiledRefusal(f"not UTF-8 text (byte {error.start})") from None
    if sum(map(text.count, "<{[")) > _PART_LIMIT:
        raise TiledRefusal(f"too much; at most {_PART_LIMIT} parts of a file")
    return _parse_xml(text, root) if xml else _parse_json(text)


def _parse_xml(text: str, root: str) -> Element:
    if "<!DOCTYPE" in text:
        why = "it declares a document type (<!DOCTYPE ...>), which could name entities and files"
        raise TiledRefusal(f"{why}; none is allowed: save the map anew in Tiled")
    try:
        element = fromstring(text)  # noqa: S314 - without a document type nothing is expanded
    except ParseError as error:
        raise TiledRefusal(f"not XML: {error}") from None
    if element.tag != root:
        raise TiledRefusal(f"its root is <{quote(element.tag)[1:-1]}>; <{root}> is wanted")
    return element


def _parse_json(text: str) -> Node:
    def refuse(constant: str) -> object:
        raise ValueError(f"{constant} is no number of JSON")

    try:
        table = json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise TiledRefusal("nested too deeply") from None
    except ValueError as error:
        raise TiledRefusal(f"not JSON: {quote(error, 200)[1:-1]}") from None
    if not isinstance(table, dict):
        raise TiledRefusal("it is no table in { }, as Tiled writes")
    return table


def read_text(node: Node, key: str) -> str:
    """Return the text of a key, empty where there is none."""
    value = node.get(key, "")
    if not isinstance(value, str):
        raise TiledRefusal(f"{quote(key)} is {quote(value, 30)}; text is wanted")
    return value


def read_number(node: Node, key: str, default: float | None = None) -> float:
    """Return the number of a key; without a default it is required."""
    value = node.get(key, default)
    if value is None:
        raise TiledRefusal(f"lacks {quote(key)}, which Tiled writes")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not isfinite(number):
        raise TiledRefusal(f"{quote(key)} is {quote(value, 30)}; a number is wanted")
    return number


def read_whole(node: Node, key: str, default: int | None = None) -> int:
    """Return the whole number of a key; without a default it is required."""
    number = read_number(node, key, default)
    if number != int(number):
        raise TiledRefusal(f"{quote(key)} is {number:g}; a whole number is wanted")
    return int(number)


def list_parts(node: Node, kind: str) -> list[Node]:
    """Return the parts of a kind: layers and tilesets of a map, objects and chunks of a layer."""
    if isinstance(node, Element):
        tags = LAYER_TAGS if kind == "layer" else (kind,)
        return [part for part in node if part.tag in tags]
    parts = node.get(f"{kind}s", [])
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise TiledRefusal(f"its {kind}s are {quote(parts, 30)}; a list of tables is wanted")
    return parts


def parse_part(kind: str, part: object, *args: object) -> Any:
    """Parse a part of a file by a module of the library, such as `tileset`."""
    form = "tmx" if isinstance(part, Element) else "json"
    with guard_library():
        return import_module(f"pytiled_parser.parsers.{form}.{kind}").parse(part, *args)


def read_properties(node: Node) -> Properties:
    """Return the custom properties of a map or layer."""
    part = node.find("properties") if isinstance(node, Element) else node.get("properties")
    return {} if part is None else convert_properties(parse_part("properties", part))


def convert_properties(parsed: Mapping[str, object] | None) -> Properties:
    """Convert custom properties: files to paths; colours and classes, unused here, to text."""
    properties: dict[str, PropertyValue] = {}
    for name, value in (parsed or {}).items():
        plain = value.as_posix() if isinstance(value, Path) else value
        properties[str(name)] = plain if isinstance(plain, str | int | float) else str(plain)
    return properties


def read_blocks(node: Node, size: tuple[int, int] | None) -> list[Block]:
    """Return the tiles of a layer: one block, or the chunks of a map without a size.

    Raises:
        TiledRefusal: they are not as Tiled writes them, or more than a map may have.
    """
    data = node.find("data") if isinstance(node, Element) else node
    if data is None:
        raise TiledRefusal("lacks <data>, the list of its tiles")
    encoding, compression = read_text(data, "encoding"), read_text(data, "compression")
    if encoding and encoding not in _ENCODINGS:
        raise TiledRefusal(f"encoding {quote(encoding)} is unknown; allowed: {choices(_ENCODINGS)}")
    if compression and compression not in _COMPRESSIONS:
        text = f"compression {quote(compression)} is unknown; allowed: {choices(_COMPRESSIONS)}"
        raise TiledRefusal(f"{text}, or none")
    parts = [(chunk, chunk) for chunk in list_parts(data, "chunk")]
    if not parts and size is not None:
        parts = [(node, data)]
    places = [_place_chunk(part, size) for part, _ in parts]
    if sum(width * height for _, _, width, height in places) > 4 * SIDE_LIMIT**2:
        raise TiledRefusal(f"more tiles than a map of {SIDE_LIMIT} x {SIDE_LIMIT} has")
    blocks = []
    for (_, part), (left, top, width, height) in zip(parts, places, strict=True):
        count = width * height
        numbers = _decode(_get_content(part), encoding, compression, count)
        if numbers.size != count:
            wanted = f"{width} x {height} = {count} are wanted"
            raise TiledRefusal(f"it holds {numbers.size} tiles; {wanted}")
        blocks.append((left, top, numbers.reshape(height, width) & GID_MASK))
    return blocks


def _place_chunk(node: Node, size: tuple[int, int] | None) -> tuple[int, int, int, int]:
    """Return column, row, width and height of a rectangle of tiles."""
    x, y = read_whole(node, "x", 0), read_whole(node, "y", 0)
    width, height = read_whole(node, "width"), read_whole(node, "height")
    if size is not None and (width, height) != size:
        wanted = f"{size[0]} x {size[1]} as the map are wanted"
        raise TiledRefusal(f"it is {width} x {height} tiles; {wanted}")
    if not (1 <= width <= SIDE_LIMIT and 1 <= height <= SIDE_LIMIT):
        most = f"1 x 1 to {SIDE_LIMIT} x {SIDE_LIMIT} are allowed"
        raise TiledRefusal(f"a chunk is {width} x {height} tiles; {most}")
    if max(abs(x), abs(y)) > _FAR:
        raise TiledRefusal(f"a chunk lies at {x}, {y}; at most {_FAR} tiles out")
    return x, y, width, height


def _get_content(node: Node) -> object:
    """Return the tiles of a layer or chunk as they are written: text, or a list of numbers."""
    if not isinstance(node, Element):
        return node.get("data")
    tiles = node.findall("tile")  # as Tiled wrote them without an encoding
    return [tile.get("gid", "0") for tile in tiles] or node.text or ""


def _decode(content: object, encoding: str, compression: str, count: int) -> Gids:
    """Return the numbers of `count` tiles; where there are more, at least one more."""
    if encoding == "base64" and isinstance(content, str):
        return _read_base64(content, compression, count)
    if isinstance(content, str):
        return _read_numbers(content.rstrip().removesuffix(",").split(","))
    if not isinstance(content, list) or encoding == "base64":
        raise TiledRefusal('lacks "data", the list of its tiles')
    return _read_numbers(content)


def _read_numbers(cells: Sequence[object]) -> Gids:
    numbers = []
    for place, cell in enumerate(cells, 1):
        text = str(cell).strip()
        if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= _MOST):
            allowed = f"whole numbers from 0 to {_MOST} are"
            raise TiledRefusal(f"entry {place}: {quote(text)} is no tile; {allowed}")
        numbers.append(int(text))
    return np.array(numbers, np.int64)


def _read_base64(content: str, compression: str, count: int) -> Gids:
    try:
        packed = base64.b64decode("".join(content.split()), validate=True)
    except ValueError as error:
        raise TiledRefusal(f"its data is not base64: {error}") from None
    plain = _decompress(packed, compression, 4 * (count + 1))
    if len(plain) % 4:
        raise TiledRefusal(f"its data has {len(plain)} bytes; 4 a tile are wanted")
    return np.frombuffer(plain, "<u4").astype(np.int64)


def _decompress(packed: bytes, compression: str, most: int) -> bytes:
    """Return the first `most` bytes of what was packed."""
    if not compression:
        return packed
    if compression == "zstd":
        return _decompress_zstd(packed, most)
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32).decompress(packed, most)
    except zlib.error as error:
        raise TiledRefusal(f"its data is not {compression}: {error}") from None


def _decompress_zstd(packed: bytes, most: int) -> bytes:
    try:
        import zstandard
    except ImportError:
        text = f"to read compression zstd, install it by {format_install_command('tiled')}"
        raise TiledRefusal(f"{text}, or save the map with another") from None
    try:
        decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 23)
        return decompressor.stream_reader(packed).read(most)
    except zstandard.ZstdError as error:
        raise TiledRefusal(f"its data is not zstd: {error}") from None
