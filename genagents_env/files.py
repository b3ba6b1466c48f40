"""Files that a user names: read within bounds; what a refusal of the system means, in words."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal

from genagents_env.errors import FileError

_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # a FIFO must not block before it is refused
_PACKAGE = str(Path(__file__).parent)

# What the surroundings refuse, and what to do. Any other code is a fault of the program.
_REFUSALS = {
    errno.ENOENT: "there is no such file or folder; look for a slip in the path, or make it first",
    errno.ENOTDIR: "a part of this path is a file, not a folder; name another path",
    errno.EISDIR: "this is a folder; name a file",
    errno.EEXIST: "a file stands where a folder is wanted; name another path",
    errno.EACCES: "the permission for this is missing; change it, or name another path",
    errno.EPERM: "the permission for this is missing; change it, or name another path",
    errno.EROFS: "this file system is read-only; name another path",
    errno.ENXIO: "this is no regular file; name another path",
    errno.ENODEV: "this is no regular file; name another path",
    errno.ELOOP: "its symbolic links lead in a circle; name another path",
    errno.ENAMETOOLONG: "this name is too long; choose one of at most 200 letters",
    errno.ENOSPC: "the disk is full; make room, then try again",
    errno.EDQUOT: "your quota of the disk is used up; make room, then try again",
    errno.EFBIG: "this file has become too large for its file system or your limits; raise them",
    errno.EIO: "the disk cannot read or write this; look after it, or name another path",
    errno.EMFILE: "too many files are open; raise `ulimit -n`, or do less at once",
    errno.ENFILE: "too many files are open; raise the limit of the system, or do less at once",
    errno.ENOMEM: "memory is used up; do less at once",
}


@contextmanager
def guard_files(path: Path, doing: Literal["read", "written"] = "written") -> Iterator[None]:
    """Turn what the surroundings refuse inside into a FileError.

    Args:
        path: of the file or folder.
        doing: what happens to it inside.

    Raises:
        FileError: in one sentence: the file, what is wrong with it, what to do.
    """
    try:
        yield
    except OSError as error:
        refusal = _REFUSALS.get(error.errno or 0)
        if refusal is None:
            raise
        raise FileError(f"{path} cannot be {doing}: {refusal}") from None


@contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """Give a new file to write, which takes the place of `path` once it is whole.

    Where something goes wrong, `path` is as it was, and nothing is left beside it.

    Raises:
        FileError: it cannot be written.
    """
    real = Path(os.path.realpath(path))
    draft = real.with_name(f".{real.name}.{os.getpid()}")
    with guard_files(path):
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(descriptor)
            os.replace(draft, real)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise


def sync_folder(folder: Path) -> None:
    """Bring to the disk which files are in a folder: the name of a new one survives a power cut.

    Raises:
        OSError: the disk cannot.
    """
    if sys.platform == "win32":  # where a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def explain(error: OSError) -> str | None:
    """Return what was refused and what to do; None where it is a fault of the program."""
    refusal = _REFUSALS.get(error.errno or 0)
    if refusal is None or isinstance(error.filename, int):
        return None
    if error.filename is None:
        return refusal if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO) else None
    name = os.fsdecode(error.filename)
    return None if name.startswith(_PACKAGE) else f"{name}: {refusal}"


def read_file(path: Path, limit: int) -> bytes:
    """Return what is in a regular file; no device and no pipe is read.

    Args:
        path: of the file.
        limit: bytes; larger files are refused.

    Raises:
        FileError: it is missing, too large, no regular file, or cannot be read.
    """
    with guard_files(path, "read"):
        try:
            descriptor = os.open(path, _OPEN)
        except ValueError:
            raise FileError(f"{os.fsdecode(path)!r}: no path can have a NUL in it") from None
        with os.fdopen(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
                raise FileError(f"{path} cannot be read: this is {what}; name a file")
            content = file.read(limit + 1)
    if len(content) > limit:
        raise FileError(f"{path} cannot be read: it is too large; at most {limit:,} bytes are")
    return content


def read_text(path: Path, limit: int) -> str:
    """Return the UTF-8 text in a regular file, without a byte order mark.

    Raises:
        FileError: as `read_file`, or it is no such text.
    """
    try:
        return read_file(path, limit).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} cannot be read: byte {error.start} is no UTF-8 text; save it as UTF-8"
        ) from None
