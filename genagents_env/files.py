"""Read and write files that a user names, within bounds; explain errors of the system."""

import errno
import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path, PurePath
from typing import BinaryIO, Literal

from genagents_env.errors import FileError

# A FIFO must not block before it is refused. Windows has none of these flags, and needs its own.
_SAFE = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_OPEN = os.O_RDONLY | _SAFE
_ADD = os.O_RDWR | os.O_CREAT | _SAFE | getattr(os, "O_NOFOLLOW", 0)
_PACKAGE = str(Path(__file__).parent)
_LONGEST = 1 << 20  # bytes of a line
_ALWAYS = 4 << 20  # bytes that anything may become
_MOST_TIMES = 20  # of its size that larger things may become; run files become five times
_BRACKETS = 1_000_000  # that any JSON may have
_LARGE = 16 << 20  # bytes from which on a file with holes is refused

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
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o666)
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


def find_inside(folder: Path, name: str) -> Path:
    """Return the path of something that the program, not the user, names in a folder.

    The folder itself may be a link: that is the user's word. What is in it may come from a
    stranger, and a link there would lead what is written or removed to anywhere.

    Args:
        folder: that the user named, or in which a file lies that the user named.
        name: from there on; nothing need be there.

    Raises:
        FileError: a part of the way is a link.
    """
    path = folder
    for part in PurePath(name).parts:
        path = path / part
        if path.is_symlink():
            raise FileError(
                f"{path} is a link, and none is followed inside a folder; put what it leads to "
                "in its place, or remove it"
            )
    return path


def open_to_add(path: Path, flags: int = 0) -> int:
    """Return a descriptor of a file to be written in place, made where there is none.

    Args:
        path: of the file.
        flags: of `os.open`, besides those that make it so.

    Raises:
        FileError: it is a link, no regular file, or has a second name elsewhere (a hard link).
        OSError: it cannot be opened.
    """
    find_inside(path.parent, path.name)
    descriptor = os.open(path, _ADD | flags, 0o666)
    state = os.fstat(descriptor)
    if stat.S_ISREG(state.st_mode) and state.st_nlink == 1:
        return descriptor
    os.close(descriptor)
    if state.st_nlink > 1:
        why = f"it has {state.st_nlink} names (hard links); put a copy in its place"
    else:
        why = "this is no regular file; name another path"
    raise FileError(f"{path} cannot be written: {why}")


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
    """Explain an error of the system and the remedy; None if it is a fault of the program."""
    refusal = _REFUSALS.get(error.errno or 0)
    if refusal is None or isinstance(error.filename, int):
        return None
    if error.filename is None:
        return refusal if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO) else None
    name = os.fsdecode(error.filename)
    return None if name.startswith(_PACKAGE) else f"{name}: {refusal}"


@contextmanager
def open_to_read(path: Path) -> Iterator[BinaryIO]:
    """Give a regular file that is open to be read; no device, no pipe, no large file with holes.

    Raises:
        FileError: it is missing, no such file, or cannot be read.
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
            _check_holes(path, descriptor)
            yield file


def read_file(path: Path, limit: int) -> bytes:
    """Read a regular file.

    Args:
        path: of the file.
        limit: bytes; larger files are refused.

    Raises:
        FileError: it is too large, or as of `open_to_read`.
    """
    with open_to_read(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise FileError(f"{path} cannot be read: it is too large; at most {limit:,} bytes are")
    return content


def read_lines(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of an open file with their ends, one at a time; the last may have none.

    Raises:
        FileError: a line is too long.
    """
    for number in count(1):
        line = file.readline(_LONGEST + 1)
        if len(line) > _LONGEST:
            raise FileError(
                f"{path}, line {number}: it is too long; at most {_LONGEST:,} bytes are read"
            )
        if not line:
            return
        yield line


def _check_holes(path: Path, descriptor: int) -> None:
    """Raise FileError for a large file that is on the disk in part: it may hold any number of NULs.

    No file of ours has a hole. Where the system cannot say, none is found.
    """
    size = os.fstat(descriptor).st_size
    if size <= _LARGE or not hasattr(os, "SEEK_HOLE"):
        return
    try:
        hole = os.lseek(descriptor, 0, os.SEEK_HOLE)
        os.lseek(descriptor, 0, os.SEEK_SET)
    except OSError:
        return
    if hole < size:
        raise FileError(f"{path} cannot be read: it has holes in it; get it again")


def check_growth(packed: int, unpacked: int) -> None:
    """Raise ValueError where what is unpacked, so far, is out of all proportion to what it was."""
    if unpacked > max(_ALWAYS, _MOST_TIMES * packed):
        raise ValueError(f"it becomes more than {_MOST_TIMES} times as large; nothing of ours does")


def parse_json(text: str) -> object:
    """Parse JSON text.

    Raises:
        ValueError: it is none, or nearly all brackets, which would take twenty times its size.
        RecursionError: it is nested too deeply.
    """
    if text.count("[") + text.count("{") > _BRACKETS + len(text) // 32:
        raise ValueError("nearly all of it is brackets")
    return json.loads(text)


def read_text(path: Path, limit: int) -> str:
    """Read the UTF-8 text of a regular file, without a byte order mark.

    Raises:
        FileError: as `read_file`, or it is no such text.
    """
    try:
        return read_file(path, limit).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} cannot be read: byte {error.start} is no UTF-8 text; save it as UTF-8"
        ) from None
