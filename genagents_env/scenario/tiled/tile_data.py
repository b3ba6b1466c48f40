"""The numbers of a tile layer, in every way that Tiled writes them.

They are decoded here because decompressing has to be bounded by the size that the layer declares.
Source: https://doc.mapeditor.org/en/stable/reference/global-tile-ids/
"""

import base64
import binascii
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from genagents_env.extras import format_install_command
from genagents_env.scenario.faults import choices, quote
from genagents_env.scenario.schema import SIDE_LIMIT
from genagents_env.scenario.tiled.refusal import TiledRefusal

Gids = npt.NDArray[np.int64]  # shape (height, width), indexed [y, x]; 0 is no tile
GID_MASK = 0x0FFFFFFF  # the four highest bits say how the tile is flipped and turned
ENCODINGS, COMPRESSIONS = ("csv", "base64"), ("", "gzip", "zlib", "zstd")
_MOST = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class TileChunk:
    """A rectangle of tiles; `content` is text, or numbers where the file lists them."""

    x: int
    y: int
    width: int
    height: int
    content: str | Sequence[object]


@dataclass(frozen=True, slots=True)
class TileData:
    """All chunks of a layer and how they are written; one chunk where the map has a size."""

    encoding: str
    compression: str
    chunks: tuple[TileChunk, ...]


def decode(data: TileData) -> list[tuple[TileChunk, Gids]]:
    """Return the global tile ids of each chunk, without the bits of flipped tiles.

    Raises:
        TiledRefusal: encoding or compression are unknown, or a chunk does not hold its tiles.
    """
    if data.encoding and data.encoding not in ENCODINGS:
        text = f"encoding {quote(data.encoding)} is unknown; allowed: {choices(ENCODINGS)}"
        raise TiledRefusal(text)
    if data.compression not in COMPRESSIONS:
        allowed = choices(COMPRESSIONS[1:])
        text = f"compression {quote(data.compression)} is unknown; allowed: {allowed}, or none"
        raise TiledRefusal(text)
    if sum(chunk.width * chunk.height for chunk in data.chunks) > 4 * SIDE_LIMIT**2:
        raise TiledRefusal(f"more tiles than a map of {SIDE_LIMIT} x {SIDE_LIMIT} has")
    return [(chunk, _decode_chunk(chunk, data) & GID_MASK) for chunk in data.chunks]


def _decode_chunk(chunk: TileChunk, data: TileData) -> Gids:
    count = chunk.width * chunk.height
    if data.encoding == "base64":
        numbers = _read_base64(chunk.content, data.compression, count)
    elif isinstance(chunk.content, str):
        numbers = _read_csv(chunk.content)
    else:
        numbers = _read_list(chunk.content)
    if numbers.size != count:
        text = f"it holds {numbers.size} tiles; {chunk.width} x {chunk.height} = {count} are wanted"
        raise TiledRefusal(text)
    return numbers.reshape(chunk.height, chunk.width)


def _read_base64(content: object, compression: str, count: int) -> Gids:
    if not isinstance(content, str):
        raise TiledRefusal("its data is no text, which encoding base64 wants")
    try:
        packed = base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise TiledRefusal(f"its data is not base64: {error}") from None
    plain = _decompress(packed, compression, 4 * count)
    if len(plain) % 4:
        raise TiledRefusal(f"its data has {len(plain)} bytes; 4 a tile are wanted")
    return np.frombuffer(plain, "<u4").astype(np.int64)


def _decompress(packed: bytes, compression: str, size: int) -> bytes:
    """Return what was packed; where it is more than `size`, that and a bit more, then stop."""
    if not compression:
        return packed
    if compression == "zstd":
        return _decompress_zstd(packed, size)
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32).decompress(packed, size + 4)
    except zlib.error as error:
        raise TiledRefusal(f"its data is not {compression}: {error}") from None


class _ZstdReader(Protocol):
    def read(self, size: int) -> bytes: ...


class _ZstdDecompressor(Protocol):
    def stream_reader(self, source: bytes) -> _ZstdReader: ...


class _Zstd(Protocol):
    ZstdError: type[Exception]

    def ZstdDecompressor(self, max_window_size: int) -> _ZstdDecompressor: ...


def _decompress_zstd(packed: bytes, size: int) -> bytes:
    try:
        library = cast(_Zstd, import_module("zstandard"))
    except ImportError:
        text = f"to read compression zstd, install it by {format_install_command('tiled')}"
        raise TiledRefusal(f"{text}, or save the map with another") from None
    try:
        reader = library.ZstdDecompressor(max_window_size=1 << 23).stream_reader(packed)
        return reader.read(size + 4)
    except library.ZstdError as error:
        raise TiledRefusal(f"its data is not zstd: {error}") from None


def _read_csv(content: str) -> Gids:
    cells = content.split(",")
    if cells and not cells[-1].strip():
        cells.pop()
    return _read_list([_read_number(cell) for cell in cells])


def _read_number(cell: str) -> object:
    text = cell.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else text


def _read_list(values: Sequence[object]) -> Gids:
    for place, value in enumerate(values):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST:
            text = f"{quote(value)} is no tile; whole numbers from 0 to {_MOST} are"
            raise TiledRefusal(f"entry {place + 1}: {text}")
    return np.array(values, np.int64)
