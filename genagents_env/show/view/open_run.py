"""A run file that is looked at for long: opened anew for each question.

Between two questions the file is closed: the one who writes it can put its log into it, end, be
killed, go on, or put another file in its place.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TypeAlias

from genagents_env.errors import GenagentsError
from genagents_env.record import RunReader
from genagents_env.record.compressed import is_compressed, unpack
from genagents_env.show.view.head import RunView
from genagents_env.show.view.percepts import Percepts
from genagents_env.study.judge.kept_answers import find_kept_file

FileId: TypeAlias = tuple[int, int]  # device and inode


class RunNotBegun(GenagentsError):
    """There is no run yet, or nothing has happened in it; ask again."""


class OpenRun:
    """A run file to be looked at, also while it is written, before it is there, and compressed.

    `revision` counts up where what was read before does not hold any more: another file is in its
    place, or the run was resumed from an earlier tick and came out otherwise.

    Args:
        path: of the run file.
        wait: it need not be there yet.
        steered: the page may give commands to the process that runs it.

    Raises:
        RecordError: it is missing, foreign, damaged or of another format.
    """

    def __init__(self, path: Path, *, wait: bool = False, steered: bool = False) -> None:
        self.steered = steered
        self.path, self.live = path, not is_compressed(path)
        self._folder: TemporaryDirectory[str] | None = None
        self._file, self._lock = path, Lock()
        self._known: FileId | None = None  # of what was found whole
        self._seen: tuple[int, bytes] = (-1, b"")  # the last tick read, and its checksum
        self._revision = 0
        if not self.live:
            self._folder = unpack(path)
            self._file = Path(self._folder.name) / "run.sqlite"
        self._percepts, self._kept = Percepts(), find_kept_file(path)
        try:
            if not wait:
                RunReader(self._file).close()
                self._known = self._identify()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def look(self) -> Iterator[RunView]:
        """Give the run as it is now.

        Raises:
            RunNotBegun: it is not there, or has no tick yet.
            RecordError: as of the class.
        """
        file_id = self._identify()
        with RunReader(self._file, known=file_id == self._known) as run:
            length = run.measure()
            if length.last_tick < 0:
                raise RunNotBegun(f"{self.path}: nothing has happened yet")
            with self._lock:
                self._count_revision(run, file_id)
                if length.last_tick >= self._seen[0]:
                    self._seen = (length.last_tick, length.checksum)
                revision = self._revision
            yield RunView(run, revision, self.live, self._percepts, self._kept, self.steered)

    def close(self) -> None:
        """Remove what was unpacked; safe to call twice."""
        if self._folder is not None:
            self._folder.cleanup()

    def _identify(self) -> FileId:
        try:
            status = os.stat(self._file)
        except OSError:
            raise RunNotBegun(f"{self.path}: there is no such file yet") from None
        return status.st_dev, status.st_ino

    def _count_revision(self, run: RunReader, file_id: FileId) -> None:
        tick, checksum = self._seen
        now = run.find_checksum(tick) if tick >= 0 else None
        replaced = self._known is not None and file_id != self._known
        if replaced or (now is not None and now != checksum):
            self._revision += 1
            self._seen = (-1, b"")
        self._known = file_id
