"""Create a run file, whole or not at all, and lock an existing one for writing."""

import os
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from genagents_env.errors import DiskError, RecordError, RunLocked
from genagents_env.files import open_to_read, sync_folder
from genagents_env.record.connection import RunConnection, Transaction, check_unpacked, guard
from genagents_env.record.lock import (
    RunLock,
    check_beside,
    check_nothing_left,
    check_regular,
    find_writer,
    missing_error,
    remove_beside,
)
from genagents_env.record.schema import APPLICATION_ID, create

# Source: the SQLite file format, section 1.3.
_SQLITE = b"SQLite format 3\0"
_APPLICATION_ID_AT = 68


def create_file(path: Path, write_head: Callable[[RunConnection], None], *, force: bool) -> RunLock:
    """Create a run file with tables and head, whole or not at all, and return the lock on it.

    The file is written under another name, and takes the place of an existing one at the end.

    Args:
        path: of the file.
        write_head: writes the head into it.
        force: replace an existing run file.

    Raises:
        RecordError: as `check_free`, or it cannot be written.
        RunLocked: another process writes or creates it.
    """
    check_free(path, force=force)
    try:
        lock = RunLock(path)
        file = draft = lock.path.with_name(f".{path.name}.new")
        try:
            _check_place(path, force)  # again, now that nobody else can create it
            _write_draft(path, draft, write_head)
            remove_beside(lock.path)  # SQLite would take a log of the old file for one of the new
            os.replace(draft, lock.path)
            file = lock.path
            sync_folder(lock.path.parent)
        except BaseException:
            with suppress(OSError, RecordError):
                check_regular(file)
                file.unlink()
            lock.release()
            raise
    except DiskError as error:
        raise creation_error(path, error) from None
    except OSError as error:
        raise creation_error(path, DiskError("", why=error.strerror or "")) from None
    return lock


def _write_draft(path: Path, draft: Path, write_head: Callable[[RunConnection], None]) -> None:
    with suppress(FileNotFoundError):
        check_regular(draft)
        draft.unlink()
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
    with guard(path), closing(create(draft)) as connection, Transaction(connection):
        write_head(connection)


def creation_error(path: Path, error: DiskError) -> DiskError:
    """Return the error for a run that was not begun, so that there is nothing to resume."""
    again = "begin it again with --force" if os.path.lexists(path) else "begin it again"
    return DiskError(
        f"{path} cannot be written ({error.why}); no run was begun: {again} once there is room",
        why=error.why,
    )


def check_free(path: Path, *, force: bool) -> None:
    """Raise where `create_file` would, so that a run can be refused before it is prepared.

    Raises:
        RecordError: its folder is missing; the file exists and `force` is not given; it is not a
            run file; or a log without its file lies there.
        RunLocked: another process writes it.
    """
    _check_place(path, force)
    if writer := find_writer(path):
        raise RunLocked(f"{path} is being written by {writer}; wait for it, or stop it first")


def _check_place(path: Path, force: bool) -> None:
    if not path.parent.is_dir():
        raise RecordError(f"no folder {path.parent}; make it first")
    try:
        state = check_regular(path)
    except FileNotFoundError:
        check_beside(path)
        if not force:
            check_nothing_left(path)
        return
    except OSError as error:
        raise DiskError(f"{path} cannot be written: {error.strerror}") from None
    if not force:
        raise RecordError(
            f"{path} exists; resume it by `genagents resume {path}`, or replace it with --force"
        )
    if state.st_size and not _is_ours(path):
        raise RecordError(f"{path} is not a run file of genagents_env; it was left alone")
    check_beside(path)


def _is_ours(path: Path) -> bool:
    """Return True if a file is a run file by its header, as far as the header goes."""
    with open_to_read(path) as file:
        head = file.read(_APPLICATION_ID_AT + 4)
    mark = APPLICATION_ID.to_bytes(4, "big")
    return head.startswith(_SQLITE) and mark.startswith(head[_APPLICATION_ID_AT:])


def lock_file(path: Path) -> RunLock:
    """Lock an existing run file for writing.

    Raises:
        RecordError: it is missing or compressed, cannot be written, or has a second name.
        RunLocked: another process writes it.
    """
    check_unpacked(path)
    if not os.path.exists(path):
        raise missing_error(path)
    lock = RunLock(path)
    try:
        _check_writable(path, lock.path)
    except BaseException:
        lock.release(keep=lock.was_left)
        raise
    return lock


def _check_writable(path: Path, real: Path) -> None:
    """Raise RecordError for a file that is read-only, or has hard links: its log has one name."""
    names = check_regular(real).st_nlink
    if names > 1:
        raise RecordError(
            f"{path} has {names} names (hard links), and what is written by one is not seen by the "
            "others; continue with a copy of it"
        )
    if not os.access(real, os.W_OK):
        why = "permission denied"
        raise DiskError(
            f"{path} cannot be written: {why}; make it writable, or continue with a copy", why=why
        )


def remove_run(path: Path) -> None:
    """Remove a locked run file, with the files that SQLite has beside it."""
    with suppress(OSError):  # then it stays, undamaged
        remove_beside(path)
        path.unlink()
