"""Locks on a byte of an open file: who may write it, and by which process it is written."""

import fcntl
import os
import struct
import sys
from contextlib import suppress

# Far beyond the end of any file, and beyond the bytes at 2**30 that SQLite locks.
_WRITER = 1 << 62
_NAME = _WRITER + 1
# On Linux the first lock belongs to the open file: it ends with its last descriptor, and with no
# other. Elsewhere to the process.
_OWN_BY_FILE = hasattr(fcntl, "F_OFD_SETLK")
_LINUX = sys.platform.startswith("linux")
_STRUCT = "hhqqi" if _LINUX else "qqihhi"  # flock of <fcntl.h>; BSD and macOS have another order


def try_lock(descriptor: int) -> bool:
    """Lock the file of `descriptor`, and return whether nobody else had.

    Raises:
        OSError: the descriptor is not for writing, or the file system has no locks.
    """
    try:
        if _OWN_BY_FILE:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _pack(fcntl.F_WRLCK, _WRITER))
        else:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _WRITER, os.SEEK_SET)
    except (BlockingIOError, PermissionError):  # POSIX allows either
        return False
    show_process(descriptor)
    return True


def show_process(descriptor: int) -> None:
    """Let others see the id of this process, which has the file locked.

    By a second lock, the process's own: that of an open file knows no process. It goes when the
    process closes any descriptor of the file.
    """
    with suppress(OSError):  # nothing depends on it
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _NAME, os.SEEK_SET)


def unlock(descriptor: int) -> None:
    """Let others lock the file."""
    if _OWN_BY_FILE:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _pack(fcntl.F_UNLCK, _WRITER))
    else:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, _WRITER, os.SEEK_SET)
    fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, _NAME, os.SEEK_SET)


def find_holder(descriptor: int) -> int | None:
    """Return the id of the process that has the file locked; 0 where unknown, None where none has.

    Whoever asks must not be that process.
    """
    query = fcntl.F_OFD_GETLK if _OWN_BY_FILE else fcntl.F_GETLK
    if _ask(descriptor, query, _WRITER) is None:
        return None
    return max(0, _ask(descriptor, fcntl.F_GETLK, _NAME) or 0)


def _ask(descriptor: int, query: int, byte: int) -> int | None:
    kind, process = _unpack(fcntl.fcntl(descriptor, query, _pack(fcntl.F_WRLCK, byte)))
    return None if kind == fcntl.F_UNLCK else process


def _pack(kind: int, byte: int) -> bytes:
    if _LINUX:
        return struct.pack(_STRUCT, kind, os.SEEK_SET, byte, 1, 0)
    return struct.pack(_STRUCT, byte, 1, 0, kind, os.SEEK_SET, 0)


def _unpack(found: bytes) -> tuple[int, int]:
    fields = struct.unpack(_STRUCT, found)
    return (fields[0], fields[4]) if _LINUX else (fields[3], fields[2])
