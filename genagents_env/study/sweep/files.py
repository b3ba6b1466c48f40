"""Files that survive a killed process: replaced completely, added to by lines, or moved."""

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path

from genagents_env.files import (
    find_inside,
    guard_files,
    open_to_add,
    open_to_read,
    read_lines,
    replace_file,
    sync_folder,
)
from genagents_env.record.lock import BESIDE, LOCK, remove_beside
from genagents_env.record.rows import JSON, encode

VALUES = ".values.json"  # behind the name of a run file: what is measured of it
_PARTS = ("", *BESIDE, LOCK, VALUES)  # of a run file


def write_whole(path: Path, text: str) -> None:
    """Put `text` into `path`, durably: a reader sees the old text or the new one."""
    with replace_file(find_inside(path.parent, path.name)) as file:
        file.write(text.encode())
    sync_folder(path.parent)


def replace_run(path: Path, content: bytes) -> None:
    """Put a run file that was sent back into its place: whole, or the one before is as it was."""
    with replace_file(path) as file:
        file.write(content)
        file.flush()  # what can fail is done
        remove_beside(path)  # of the file that is replaced
    sync_folder(path.parent)


def append_line(path: Path, line: Mapping[str, JSON]) -> None:
    """Add `line` to the JSON lines in `path`, durably, in one write.

    A line that a killed process left half-written is ended first, so that it damages no other.

    Raises:
        FileError: it cannot be written.
    """
    with guard_files(path):
        size = _append(path, line)
    if not size:
        sync_folder(path.parent)


def _append(path: Path, line: Mapping[str, JSON]) -> int:
    """Add `line`, and return the size of the file before."""
    descriptor = open_to_add(path, os.O_APPEND)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        content = b"\n" * torn + f"{encode(dict(line))}\n".encode()
        if os.write(descriptor, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return size


def read_objects(path: Path) -> list[dict[str, JSON]]:
    """Return the JSON objects in `path`, line by line; what is torn or foreign is left out.

    Raises:
        FileError: it cannot be read, or a line is too long.
    """
    if not os.path.lexists(path):
        return []
    with open_to_read(find_inside(path.parent, path.name)) as file:
        lines = read_lines(path, file)
        return [found for line in lines if (found := _parse_object(line)) is not None]


def move_run(path: Path, target: Path) -> None:
    """Rename a run file together with its journals; the file itself comes last.

    If the process ends in between, the next move completes this one.
    """
    for part in reversed(_PARTS):
        source = path.with_name(path.name + part)
        if part == "" or source.exists():
            os.replace(source, target.with_name(target.name + part))


def _parse_object(line: bytes) -> dict[str, JSON] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
