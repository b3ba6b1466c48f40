"""What SQLite keeps beside a run file: write-ahead log, the index of it, rollback journal."""

from contextlib import suppress
from pathlib import Path

from genagents_env.errors import DiskError, RecordError
from genagents_env.record.open_files import check_regular

_LOG, _INDEX, _JOURNAL = "-wal", "-shm", "-journal"
BESIDE = (_LOG, _INDEX, _JOURNAL)


def check_beside(path: Path) -> None:
    """Raise where what SQLite would open beside `path` is not its own to write.

    A rollback journal never is: no run of ours has one, and it can name any file, which SQLite then
    removes ("super-journal", the SQLite file format, section 3).

    Raises:
        DiskError: it is no regular file, or has a second name.
        RecordError: there is a journal.
    """
    for suffix in BESIDE:
        other = path.with_name(path.name + suffix)
        try:
            state = check_regular(other)
        except FileNotFoundError:
            continue
        if state.st_nlink > 1:
            raise DiskError(f"{other} has {state.st_nlink} names (hard links); it was left alone")
        if suffix == _JOURNAL and state.st_size:
            raise RecordError(
                f"{other} is of no run: another program left it there, or somebody else; move it "
                "away, or put back the run file as it was"
            )


def check_nothing_left(path: Path) -> None:
    """Raise RecordError where a log of another file would be taken for one of a new `path`."""
    for suffix in (_LOG, _JOURNAL):
        other = path.with_name(path.name + suffix)
        with suppress(FileNotFoundError):
            if check_regular(other).st_size:
                raise RecordError(
                    f"{other} is left of a run file that is gone; put it back beside that file, "
                    "or remove it"
                )


def remove_beside(path: Path) -> None:
    """Remove what SQLite left beside `path`."""
    for suffix in BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
