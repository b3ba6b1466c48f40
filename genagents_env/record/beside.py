"""What SQLite keeps beside a run file: write-ahead log, the index of it, rollback journal."""

from contextlib import suppress
from pathlib import Path

from genagents_env.errors import RecordError
from genagents_env.record.open_files import check_regular

_LOG, _INDEX, _JOURNAL = "-wal", "-shm", "-journal"
BESIDE = (_LOG, _INDEX, _JOURNAL)


def check_beside(path: Path) -> None:
    """Raise DiskError where what SQLite would open beside `path` is no regular file."""
    for suffix in BESIDE:
        with suppress(FileNotFoundError):
            check_regular(path.with_name(path.name + suffix))


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
