"""Compressed run files, to be read: `run.sqlite.xz` and `run.sqlite.gz`, as shipped runs are."""

import gzip
import lzma
import tempfile
import zlib
from pathlib import Path
from typing import IO

from genagents_env.errors import RecordError
from genagents_env.files import guard_files

SUFFIXES = (".xz", ".gz")
_LIMIT = 8 << 30  # bytes of a run file
_BLOCK = 1 << 20


def is_compressed(path: Path) -> bool:
    """Return whether `path` names a compressed run file."""
    return path.suffix in SUFFIXES


def unpack(path: Path) -> "tempfile.TemporaryDirectory[str]":
    """Return a folder of temporary files in which `run.sqlite` is the run file in `path`.

    Raises:
        RecordError: it is missing, not compressed as its name says, or too large.
        FileError: it cannot be read, or there is no room for it.
    """
    if not path.is_file():
        raise RecordError(f"no run file {path}; `genagents run SCENARIO --out FILE` makes one")
    folder = tempfile.TemporaryDirectory(prefix="genagents-")
    try:
        unpacked = Path(folder.name) / "run.sqlite"
        with guard_files(path, "read"), _open(path) as packed, open(unpacked, "wb") as file:
            _copy(path, packed, file)
    except BaseException:
        folder.cleanup()
        raise
    return folder


def _open(path: Path) -> lzma.LZMAFile | gzip.GzipFile:
    return lzma.open(path) if path.suffix == ".xz" else gzip.open(path)


def _copy(path: Path, packed: lzma.LZMAFile | gzip.GzipFile, file: IO[bytes]) -> None:
    size = 0
    try:
        while block := packed.read(_BLOCK):
            size += len(block)
            if size > _LIMIT:
                raise RecordError(f"{path} is too large unpacked; at most {_LIMIT >> 30} GB are")
            file.write(block)
    except (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise RecordError(
            f"{path} is damaged, or not compressed as its name says ({error}); get it again"
        ) from None
