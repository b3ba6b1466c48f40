"""Compressed run files, `run.sqlite.xz` and `run.sqlite.gz`, and compressed values inside one.

The file may be a stranger's: it gets no more memory than `xz -9` takes, and unpacking stops where
it turns out to be no run file, or larger than a run file can be.
"""

import gzip
import lzma
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from genagents_env.errors import RecordError
from genagents_env.files import check_growth, guard_files, open_to_read

SUFFIXES = (".xz", ".gz")
_LIMIT = 8 << 30  # bytes of a run file
_BLOCK = 1 << 20
_PACKED = 1 << 16  # bytes that are read at once
_MEMORY = 72 << 20  # bytes; `xz -9` takes 65 MiB
_HEADER = b"SQLite format 3\0"


def is_compressed(path: Path) -> bool:
    """Return True if `path` names a compressed run file."""
    return path.suffix in SUFFIXES


def unpack(path: Path) -> "tempfile.TemporaryDirectory[str]":
    """Return a folder of temporary files in which `run.sqlite` is the run file in `path`.

    Raises:
        RecordError: it is missing, not compressed as its name says, no run file, or too large.
        FileError: it cannot be read, or there is no room for it.
    """
    if not path.is_file():
        raise RecordError(f"no run file {path}; `genagents run SCENARIO --out FILE` makes one")
    folder = tempfile.TemporaryDirectory(prefix="genagents-")
    try:
        unpacked = Path(folder.name) / "run.sqlite"
        with guard_files(path, "read"), open_to_read(path) as packed, open(unpacked, "wb") as file:
            _copy(path, packed, file)
    except BaseException:
        folder.cleanup()
        raise
    return folder


def _copy(path: Path, packed: BinaryIO, file: IO[bytes]) -> None:
    size = 0
    try:
        for block in _read_xz(packed) if path.suffix == ".xz" else _read_gz(packed):
            if not size and not block.startswith(_HEADER):
                raise RecordError(f"{path} is not a run file of genagents_env, only packed as one")
            size += len(block)
            if size > _LIMIT:
                raise RecordError(f"{path} is too large unpacked; at most {_LIMIT >> 30} GB are")
            check_growth(packed.tell(), size)
            file.write(block)
    except (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        raise RecordError(
            f"{path} is damaged, or not compressed as its name says, by `xz -9` at most ({error}); "
            "get it again"
        ) from None


def _read_gz(packed: BinaryIO) -> Iterator[bytes]:
    with gzip.open(packed) as file:
        while block := file.read(_BLOCK):
            yield block


def _read_xz(packed: BinaryIO) -> Iterator[bytes]:
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    while not reader.eof:
        more = packed.read(_PACKED) if reader.needs_input else b""
        if reader.needs_input and not more:
            raise EOFError("it is cut short")
        if block := reader.decompress(more, _BLOCK):
            yield block
    if reader.unused_data or packed.read(1):
        raise lzma.LZMAError("something follows its end")


def inflate(data: bytes, limit: int, dictionary: bytes = b"") -> bytes:
    """Decompress `data` by zlib, with its `dictionary` if any, to at most `limit` bytes.

    Raises:
        ValueError: the result is longer or out of proportion, or `data` is damaged or cut short.
    """
    stream = zlib.decompressobj(zdict=dictionary)
    inflated, rest = bytearray(), data
    try:
        while not stream.eof and len(inflated) <= limit:
            block = stream.decompress(rest, min(_BLOCK, limit + 1 - len(inflated)))
            if not block and not stream.unconsumed_tail:
                break
            inflated += block
            rest = stream.unconsumed_tail
            check_growth(len(data) - len(rest), len(inflated))
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not stream.eof or stream.unused_data or len(inflated) > limit:
        raise ValueError(f"it is cut short, or more than {limit} bytes")
    return bytes(inflated)
