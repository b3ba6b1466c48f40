"""What is kept in files of JSON lines, to which lines are only ever added."""

import errno
import os
from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import Field, asdict
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from pydantic import TypeAdapter

from genagents_env.errors import DiskError, FileError, RecordError
from genagents_env.files import guard_files, open_to_add, open_to_read, read_lines
from genagents_env.record.lock import RunLock
from genagents_env.record.rows import encode


class Keyed(Protocol):
    """A dataclass that is kept; of two with one key the later counts."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def key(self) -> Hashable:
        """What tells it from every other."""


T = TypeVar("T", bound=Keyed)


class LineFile(Generic[T]):
    """A file of JSON lines, one for each thing that is kept.

    Inside `with` it can be added to, by one process at a time; what was added is on the disk when
    `add` returns. A last line that a crash tore is nothing, and gives way to the next.

    Args:
        path: of the file; it need not exist.
        row: reads a line.
        what: it holds, with its article, for messages.
        most: bytes of the file; None is any number.

    Raises:
        FileError: the file cannot be read or is too large, or a line is none; the message names it.
    """

    def __init__(self, path: Path, row: TypeAdapter[T], what: str, most: int | None = None) -> None:
        self.path = path
        self._row, self._what, self._most = row, what, most
        self._lock: RunLock | None = None
        self._file: int | None = None  # to be written, inside `with`
        self._whole = 0  # bytes of whole lines
        self._known: dict[Hashable, T] = {}
        self._read()

    def __iter__(self) -> Iterator[T]:
        return iter(tuple(self._known.values()))

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: Hashable) -> T | None:
        """Return what has this key; None where there is nothing."""
        return self._known.get(key)

    def add(self, *given: T) -> None:
        """Keep these, each in place of an earlier one with its key; what is there stays as it is.

        Raises:
            RecordError: this is not inside `with`.
            DiskError: the disk takes no more; what was there before is whole.
        """
        if self._file is None:
            raise RecordError(f"{self.path}: lines are added inside `with` only")
        new = [one for one in given if self.get(one.key) != one]
        self._append(self._file, b"".join(encode(asdict(one)).encode() + b"\n" for one in new))
        self._known.update((one.key, one) for one in new)

    def __enter__(self) -> Self:
        """Become the one who writes, and read what others wrote meanwhile.

        Raises:
            RunLocked: another process writes it.
            FileError: it cannot be written.
        """
        with guard_files(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = RunLock(self.path)
        try:
            with guard_files(self.path):
                self._file = open_to_add(self._lock.path)
            self._read()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _append(self, file: int, block: bytes) -> None:
        """Write lines in place of what is torn at the end, all or none."""
        end = self._whole + len(block)
        try:
            if os.pwrite(file, block, self._whole) < len(block):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.ftruncate(file, end)
            os.fsync(file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(file, self._whole)
            raise DiskError(
                f"{self.path} cannot be written: {error.strerror}; what was kept before is in it, "
                "and the same command goes on with that"
            ) from None
        self._whole = end

    def _read(self) -> None:
        self._whole, self._known = 0, {}
        with guard_files(self.path, "read"):
            if not self.path.exists():
                return
        with open_to_read(self.path) as file:
            if self._most is not None and os.fstat(file.fileno()).st_size > self._most:
                told = f"it is too large; at most {self._most:,} bytes are"
                raise FileError(f"{self.path} cannot be read: {told}")
            for number, line in enumerate(read_lines(self.path, file), 1):
                if not line.endswith(b"\n"):
                    return
                self._whole += len(line)
                if line.strip():
                    one = self._parse(number, line)
                    self._known[one.key] = one

    def _parse(self, number: int, line: bytes) -> T:
        try:
            return self._row.validate_json(line, strict=True)
        except ValueError:
            what = f"this is no {self._what}; remove it"
            raise FileError(f"{self.path}, line {number}: {what}") from None
