"""Making a run file: it has its name once it is whole, and only one process can give it that."""

import os
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from genagents_env.errors import DiskError, RecordError, RunLocked
from genagents_env.files import sync_folder
from genagents_env.record.beside import check_beside, check_nothing_left, remove_beside
from genagents_env.record.checks import APPLICATION_ID
from genagents_env.record.connection import RunConnection
from genagents_env.record.guard import guard
from genagents_env.record.lock import RunLock, find_writer
from genagents_env.record.open_files import OpenFile, check_regular, find_real
from genagents_env.record.schema import create
from genagents_env.record.transaction import Transaction

# Source: the SQLite file format, section 1.3.
_SQLITE = b"SQLite format 3\0"
_APPLICATION_ID_AT = 68


def create_file(path: Path, write_head: Callable[[RunConnection], None], *, force: bool) -> RunLock:
    """Make a run file of tables and head, all or nothing, and return the lock on it.

    It is made under another name, which also keeps others from making the same; a former file is
    replaced at the end. What a killed process left of its attempt is removed.

    Args:
        path: of the file.
        write_head: writes what is known from the start.
        force: replace an existing run file.

    Raises:
        RecordError: as `check_free`, or it cannot be written.
        RunLocked: another process writes it, or is just making it.
    """
    check_free(path, force=force)
    try:
        return _make_file(path, write_head, force)
    except DiskError as error:
        raise creation_error(path, error) from None


def creation_error(path: Path, error: DiskError) -> DiskError:
    """Return the error to raise for one that left no run: there is nothing to resume."""
    again = "begin it again with --force" if os.path.lexists(path) else "begin it again"
    return DiskError(
        f"{path} cannot be written ({error.why}); no run was begun: {again} once there is room",
        why=error.why,
    )


def check_free(path: Path, *, force: bool) -> None:
    """Raise where `create_file` would, so that a run can be refused before it is made.

    Raises:
        RecordError: its folder is missing; the file exists and `force` is not given; it is no run
            file of ours; or a log without its file lies there.
        RunLocked: another process writes it.
    """
    if not path.parent.is_dir():
        raise RecordError(f"no folder {path.parent}; make it first")
    try:
        found = check_regular(path)
    except FileNotFoundError:
        check_beside(path)
        if not force:
            check_nothing_left(path)
        return
    except OSError as error:
        raise DiskError(f"{path} cannot be written: {error.strerror}") from None
    if not force:
        raise RecordError(
            f"{path} exists; go on with `genagents resume {path}`, or replace it with --force"
        )
    if found.st_size and not _is_ours(path):
        raise RecordError(f"{path} is not a run file of genagents_env; it was left alone")
    check_beside(path)
    if writer := find_writer(path):
        raise RunLocked(f"{path} is being written by {writer}; wait for it, or stop it first")


def _make_file(path: Path, write_head: Callable[[RunConnection], None], force: bool) -> RunLock:
    lock, former = _lock_draft(path), None
    try:
        check_free(path, force=force)  # again, now that nobody else can make it
        if path.exists():
            former = RunLock(path)
        with (
            guard(path),
            closing(create(lock.file.path)) as connection,
            Transaction(path, connection),
        ):
            write_head(connection)
        _put_in_place(lock.file, find_real(path.parent) / path.name)
    except BaseException:
        remove_file(lock)
        raise
    finally:
        if former is not None:
            former.release()
    return lock


def remove_file(lock: RunLock) -> None:
    """Remove a locked file with all that SQLite has beside it, and release the lock."""
    with suppress(OSError):  # then it stays, and is whole
        if lock.file.is_in_place:
            remove_beside(lock.file.path)
    lock.remove()


def _lock_draft(path: Path) -> RunLock:
    draft = find_real(path.parent) / f".{path.name}.new"
    while True:
        lock = RunLock(draft, create=True, label=path)
        if lock.file.names == 1 and not lock.file.size:
            return lock
        remove_file(lock)


def _put_in_place(draft: OpenFile, path: Path) -> None:
    try:
        os.fsync(draft.descriptor)
        remove_beside(path)  # of the former file: SQLite would take it for one of the new
        draft.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        raise DiskError(f"{path} cannot be written", why=error.strerror or "") from None


def _is_ours(path: Path) -> bool:
    """Whether a file is a run file by its header; too little of an SQLite file is nobody's."""
    with closing(OpenFile(path)) as file:
        head = os.pread(file.descriptor, _APPLICATION_ID_AT + 4, 0)
    mark = APPLICATION_ID.to_bytes(4, "big")
    return head.startswith(_SQLITE) and mark.startswith(head[_APPLICATION_ID_AT:])
