"""Who may write a run file, whatever lies at its name or beside it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from genagents_env.errors import RecordError, RunLocked
from genagents_env.record import RunMeta, RunReader, RunWriter, canonical_hash
from genagents_env.record.lock import find_writer
from tests.record.lived import live
from tests.record.other_process import OtherProcess


@pytest.mark.parametrize("suffix", ["-wal", "-journal", ".lock"])
def test_a_pipe_beside_a_run_hangs_nothing(path: Path, meta: RunMeta, suffix: str) -> None:
    make(path, meta)
    os.mkfifo(path.with_name(path.name + suffix))
    if suffix == ".lock":
        with end_if_it_hangs(), RunReader(path) as run:
            assert (run.last_tick, run.status) == (3, "killed")
        return
    said = f"sqlite{suffix} is a named pipe"
    for attempt in (RunReader, RunWriter.open, canonical_hash):
        with end_if_it_hangs(), pytest.raises(RecordError, match=said):
            attempt(path)


def test_a_writer_by_another_name_is_refused_whatever_is_deleted_beside_the_file(
    path: Path, meta: RunMeta, other: OtherProcess
) -> None:
    by_link, by_hard_link = path.with_name("link.sqlite"), path.with_name("hard.sqlite")
    with RunWriter.create(path, meta) as writer:
        live(writer, 3)
        by_link.symlink_to(path)
        os.link(path, by_hard_link)
        locked = f"RunLocked {by_link} is being written by process {os.getpid()};"
        assert other.ask("reopen", by_link).startswith(locked)
        assert other.ask("reopen", by_hard_link).startswith(f"RecordError {by_hard_link} has 2")
        for name, error in ((by_link, RunLocked), (by_hard_link, RecordError)):
            with pytest.raises(error, match=r"2 names|being written"):
                RunWriter.open(name)
        by_hard_link.unlink()
        path.with_name("run.sqlite.lock").unlink(missing_ok=True)
        assert other.ask("reopen", path).startswith("RunLocked")
        live(writer, 5)
    with RunReader(by_link) as run:
        assert run.last_tick == 5
    assert other.ask("reopen", by_link) == "done"


@contextmanager
def end_if_it_hangs() -> Iterator[None]:
    """Raise TimeoutError in a call of the system that does not return within half a minute."""

    def stop(*_: object) -> None:
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def make(path: Path, meta: RunMeta, ticks: int = 3) -> Path:
    with RunWriter.create(path, meta) as writer:
        live(writer, ticks)
    return path


@pytest.mark.parametrize(
    "be",
    [
        lambda lock, diary: lock.symlink_to(diary),
        lambda lock, diary: os.link(diary, lock),
        lambda lock, diary: lock.write_bytes(diary.read_bytes()),
    ],
    ids=["link", "hard link", "copy"],
)
def test_another_file_in_place_of_the_lock_is_refused_and_left_unchanged(
    path: Path, meta: RunMeta, be: Callable[[Path, Path], None]
) -> None:
    make(path, meta)
    diary, lock = path.with_name("diary.txt"), path.with_name("run.sqlite.lock")
    diary.write_text("dear diary")
    be(lock, diary)
    with RunReader(path) as run:
        assert run.status == "killed"
    for attempt in (RunWriter.open, lambda path: RunWriter.create(path, meta, force=True)):
        with pytest.raises(RecordError, match=r"run\.sqlite\.lock (is|has) "):
            attempt(path)
    assert diary.read_text() == lock.read_text() == "dear diary"


@pytest.mark.parametrize("read", [False, True])
def test_a_file_that_was_moved_from_its_writer_is_not_written_by_another(
    path: Path, meta: RunMeta, other: OtherProcess, read: bool
) -> None:
    moved = path.with_name("moved.sqlite")
    with RunWriter.create(path, meta) as writer:
        live(writer, 3)
        path.rename(moved)
        if read:
            with suppress(RecordError), RunReader(moved) as run:  # leaves an empty log beside it
                assert run.last_tick <= 3
        assert other.ask("reopen", moved).startswith(f"RunLocked {moved} is open in another")
        with pytest.raises(RunLocked, match="is open in another process"):
            RunWriter.open(moved)
    assert other.ask("reopen", moved) == "done"
    with RunWriter.open(moved) as writer:
        assert writer.rewind() is not None
        live(writer, 6)


def test_a_run_that_ended_while_it_was_read_can_be_resumed_at_once(
    path: Path, meta: RunMeta, other: OtherProcess
) -> None:
    writer = RunWriter.create(path, meta)
    live(writer, 3)
    with RunReader(path) as run:
        events = run.events()
        next(events)
        writer.close()
        assert len(list(events)) == 7
        assert other.ask("reopen", path) == "done"
    assert other.ask("reopen", path) == "done"
    assert [file.name for file in path.parent.iterdir()] == ["run.sqlite"]


def test_a_killed_writers_lock_file_emptied_by_another_reader_is_kept(
    path: Path, meta: RunMeta
) -> None:
    lock_file = make(path, meta).with_name("run.sqlite.lock")
    lock_file.touch()  # as it is while somebody else looks
    assert find_writer(path) is None
    assert lock_file.exists()
    lock = RunWriter.lock(path)
    assert lock.was_left
    lock.release()
    assert not lock_file.exists()


def test_looking_for_a_writer_keeps_none_out(path: Path, meta: RunMeta) -> None:
    make(path, meta)
    looking = threading.Event()

    def look() -> None:
        while not looking.is_set():
            find_writer(path)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(50):
            RunWriter.open(path).close()
    finally:
        looking.set()
        thread.join()
    assert [file.name for file in path.parent.iterdir()] == ["run.sqlite"]


def test_a_second_writer_in_this_process_is_refused_while_others_read(
    path: Path, meta: RunMeta, other: OtherProcess
) -> None:
    make(path, meta)
    opened = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    with RunReader(path), RunWriter.open(path) as writer:
        assert find_writer(path) == f"process {os.getpid()}"
        writer.rewind()
        for _ in range(3):  # closing what reads must not let the writer's lock go
            with RunReader(path) as run:
                assert run.status == "running"
        with pytest.raises(RunLocked, match=r"process \d+") as refused:
            RunWriter.create(path, meta, force=True)
        assert refused.value.exit_code == 73
        assert other.ask("reopen", path).startswith("RunLocked")
        live(writer, 6)
    assert other.ask("reopen", path) == "done"
    assert not opened or len(os.listdir("/proc/self/fd")) == opened


def test_the_record_is_imported_where_there_is_no_fcntl() -> None:
    code = "import sys; sys.modules['fcntl'] = None; import genagents_env.record"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("end", ["delete", "move", "replace"])
def test_a_run_stops_at_once_when_its_file_is_gone(path: Path, meta: RunMeta, end: str) -> None:
    other = path.with_name("other.sqlite")
    with RunWriter.create(path, meta) as writer:
        live(writer, 3)
        path.unlink() if end == "delete" else path.rename(other)
        if end == "replace":
            make(path.with_name("third.sqlite"), meta, 1).rename(path)
        with pytest.raises(RecordError, match=r"run\.sqlite was deleted, moved or replaced while"):
            live(writer, 4)
        assert writer.tick == 3
    if end != "delete":
        with RunWriter.open(other) as again:  # whole, although its log stayed behind
            assert again.rewind() is not None
            live(again, 6)
    if end == "replace":
        with RunReader(path) as run:
            assert run.last_tick == 1
