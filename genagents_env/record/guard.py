"""Errors of SQLite, and values that nobody wrote, as errors that name the run file."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from genagents_env.errors import DamageError, DiskError

# Errors of the surroundings; anything else that SQLite reports is a fault of the file.
_OUTSIDE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
_DISK_FAULTS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "disk I/O error: it is full or failing",
    sqlite3.SQLITE_CANTOPEN: "unable to open it: the disk is full or failing, or the folder cannot "
    "be written",
}


@contextmanager
def guard(path: Path) -> Iterator[None]:
    """Turn every SQLite error inside into a RecordError that names `path`.

    A DiskError where the surroundings are at fault: the file itself is as it was.
    """
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _OUTSIDE:
            raise damage_error(path, str(error)) from None
        raise _make_disk_error(path, error) from None


@contextmanager
def guard_reading(path: Path) -> Iterator[None]:
    """Do as `guard`; values of a wrong type or form count as damage of the file, too."""
    with guard(path):
        try:
            yield
        except (TypeError, ValueError, KeyError, ArithmeticError, RecursionError) as error:
            raise damage_error(path, f"{type(error).__name__} while reading it") from None


def find_disk_fault(error: sqlite3.Error) -> str | None:
    """Return what is wrong with the disk, where that is what an error says."""
    return _DISK_FAULTS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)


def _make_disk_error(path: Path, error: sqlite3.Error) -> DiskError:
    """Return the error for what only the disk, its folder or permissions can be blamed for."""
    why = find_disk_fault(error)
    if why is None:
        why = f"{error}; check that the folder and the file are writable"
        return DiskError(f"{path}: {why}", why=why)
    return DiskError(
        f"{path}: {why}; what was written before is in the file: go on once the disk can be "
        f"written, a run with `genagents resume {path}`",
        why=why,
    )


def damage_error(path: Path, what: str) -> DamageError:
    """Return the error for a file whose content is not what was written."""
    return DamageError(
        f"{path} is damaged or not a run file ({what}); restore it from a copy, or run again", what
    )
