"""The run files that this process has open: one descriptor each, shared by all who use it.

POSIX drops all locks of a process on a file when it closes any descriptor of that file, those of
SQLite too, without which another process may take the write-ahead log away. So a run file is
opened here before SQLite opens it, and closed after SQLite has closed it for the last time.
"""

import errno
import os
import stat
import threading
from dataclasses import dataclass, field
from pathlib import Path

from genagents_env.errors import DiskError, RecordError
from genagents_env.record.byte_locks import find_holder, show_process, try_lock, unlock

_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ETXTBSY}
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link",
}
_Key = tuple[int, int]  # device and inode


@dataclass(slots=True)
class _Inode:
    """A file that is open, whatever its names; `spare` are further descriptors of it."""

    key: _Key
    descriptor: int
    users: int = 0
    writer: int | None = None  # the id of this process, where it has the file locked
    spare: list[int] = field(default_factory=list)


# Locks belong to the process, so what it has open is known to all of it.
_INODES: dict[_Key, _Inode] = {}
_MUTEX = threading.RLock()


class OpenFile:
    """One use of a regular file; `close` ends it.

    Args:
        path: its real name; a symbolic link is not followed.
        create: make it, empty, where there is none.

    Attributes:
        path: its name.
        descriptor: of the file, shared: to be read, never to be closed.

    Raises:
        FileNotFoundError: there is none.
        DiskError: it is no regular file, or cannot be opened.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        with _MUTEX:
            self._inode: _Inode | None = _open(path, os.O_CREAT if create else 0)
            self._inode.users += 1
            self.descriptor = self._inode.descriptor

    @property
    def is_in_place(self) -> bool:
        """Whether `path` is still a name of this file."""
        try:
            found = os.lstat(self.path)
        except OSError:
            return False
        return self._inode is not None and (found.st_dev, found.st_ino) == self._inode.key

    @property
    def names(self) -> int:
        """How many names it has (hard links); 0 where it is deleted."""
        return os.fstat(self.descriptor).st_nlink

    @property
    def size(self) -> int:
        """Its bytes."""
        return os.fstat(self.descriptor).st_size

    def rename(self, path: Path) -> None:
        """Give it another name, in place of what has that name."""
        os.replace(self.path, path)
        self.path = path

    def lock(self) -> bool:
        """Lock the file for writing, and return whether nobody else had."""
        with _MUTEX:
            if self._inode is None or self._inode.writer is not None:
                return False
            if not try_lock(self.descriptor):
                return False
            self._inode.writer = os.getpid()
            return True

    def show_process(self) -> None:
        """Let others see again which process has the file locked, after SQLite has closed it."""
        show_process(self.descriptor)

    def unlock(self) -> None:
        """Let others lock the file; only who locked it may call it."""
        with _MUTEX:
            if self._inode is not None and self._inode.writer == os.getpid():
                unlock(self.descriptor)
                self._inode.writer = None

    def find_writer(self) -> int | None:
        """Return the process that has it locked, which may be this one; 0 where unknown."""
        with _MUTEX:
            if self._inode is None or self._inode.writer is not None:
                return None if self._inode is None else self._inode.writer
            return find_holder(self.descriptor)

    def close(self) -> None:
        """End this use; safe to call twice."""
        with _MUTEX:
            inode, self._inode = self._inode, None
            if inode is None:
                return
            inode.users -= 1
            if not inode.users:
                del _INODES[inode.key]
                for descriptor in (inode.descriptor, *inode.spare):
                    os.close(descriptor)


def find_real(path: Path) -> Path:
    """Return the absolute name of a file without symbolic links."""
    return Path(os.path.realpath(path))


def missing_error(path: Path) -> RecordError:
    """Return the error for a run file that is not there."""
    return RecordError(f"no run file {path}; `genagents run SCENARIO --out FILE` makes one")


def check_regular(path: Path) -> os.stat_result:
    """Return what `lstat` says of a regular file.

    Raises:
        FileNotFoundError: there is none.
        DiskError: something else is there.
    """
    found = os.lstat(path)
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise DiskError(f"{path} is {kind}, not a file of a run; it was left alone")
    return found


def _open(path: Path, create: int) -> _Inode:
    try:
        found = check_regular(path)
    except FileNotFoundError:
        if not create:
            raise
    else:
        known = _INODES.get((found.st_dev, found.st_ino))
        if known is not None:
            return known
    descriptor = _open_descriptor(path, create)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise DiskError(f"{path} is no regular file; it was left alone")
    except BaseException:
        os.close(descriptor)
        raise
    key = found.st_dev, found.st_ino
    if key in _INODES:  # it came to this name just now
        _INODES[key].spare.append(descriptor)
        return _INODES[key]
    return _INODES.setdefault(key, _Inode(key, descriptor))


def _open_descriptor(path: Path, create: int) -> int:
    try:
        try:
            return os.open(path, os.O_RDWR | create | _FLAGS, 0o644)
        except OSError as error:
            if error.errno not in _NOT_WRITABLE:
                raise
            return os.open(path, os.O_RDONLY | _FLAGS)
    except FileNotFoundError:
        raise
    except OSError as error:
        why = str(error.strerror)
        raise DiskError(f"{path} cannot be opened: {why}", why=why) from None
