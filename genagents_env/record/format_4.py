"""Run files of format 4: today's without the notes of minds and the optional tables."""

from collections.abc import Sequence
from pathlib import Path

from genagents_env.record.canonical import copy_ticks, verify_chain
from genagents_env.record.connection import RunConnection
from genagents_env.record.tables import NOTES, OPTIONAL, STATEMENTS, SUMMED

_LATER = (NOTES, *OPTIONAL)
TABLES = tuple(sql for sql in STATEMENTS if sql not in {table.sql for table in _LATER})


def copy_run(path: Path, old: RunConnection, new: RunConnection) -> Sequence[str]:
    """Copy the run in `old`, whose file is `path`; nothing of it has to be changed.

    Raises:
        RecordError: what a checksum covers has changed.
    """
    verify_chain(path, old)
    copy_ticks(old, new)
    for table in SUMMED:
        if table not in _LATER:
            table.put(new, table.read(path, old))
    return ()
