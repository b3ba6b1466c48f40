"""Errors of SQLite, and values that nobody wrote, as errors that name the run file."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from genagents_env.errors import RecordError

# Errors of the surroundings; anything else that SQLite reports is a fault of the file.
_OUTSIDE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}


@contextmanager
def guard(path: Path) -> Iterator[None]:
    """Turn every SQLite error inside into a RecordError that names `path`."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _OUTSIDE:
            raise damage_error(path, str(error)) from None
        raise RecordError(
            f"{path}: {error}; check that the folder is writable and the disk is not full"
        ) from None


@contextmanager
def guard_reading(path: Path) -> Iterator[None]:
    """Do as `guard`; values of a wrong type or form count as damage of the file, too."""
    with guard(path):
        try:
            yield
        except (TypeError, ValueError, KeyError, ArithmeticError, RecursionError) as error:
            raise damage_error(path, f"{type(error).__name__} while reading it") from None


def damage_error(path: Path, what: str) -> RecordError:
    """Return the error for a file whose content is not what was written."""
    return RecordError(
        f"{path} is damaged or not a run file ({what}); restore it from a copy, or run again"
    )
