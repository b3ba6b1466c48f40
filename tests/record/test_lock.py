"""Who may write a run file, whatever lies at its name or beside it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from genagents_env.errors import RecordError, RunLocked
from genagents_env.record import RunMeta, RunReader, RunWriter, canonical_hash
from genagents_env.record.lock import find_writer
from tests.record.lived import live

LIMIT = 60  # seconds after which a process that hangs is ended


def run_python(program: str, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Return what came of a program in a process of its own."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)


def open_elsewhere(path: Path) -> str:
    """Return the error of another process that opens `path` for writing, or that it could."""
    program = (
        "import sys; from genagents_env.record import RunWriter\n"
        "try: RunWriter.open(sys.argv[1]).close()\n"
        "except Exception as error: print(type(error).__name__, error)\n"
        "else: print('opened')"
    )
    return run_python(program, path).stdout.strip()


def make(path: Path, meta: RunMeta, ticks: int = 3) -> Path:
    with RunWriter.create(path, meta) as writer:
        live(writer, ticks)
    return path


def test_what_a_link_beside_a_run_points_to_stays_as_it_is(path: Path, meta: RunMeta) -> None:
    diary = path.with_name("diary.txt")
    diary.write_text("dear diary")
    path.with_name("run.sqlite.lock").symlink_to(diary)
    with RunWriter.create(path, meta) as writer:
        live(writer, 2)
        with RunReader(path) as run:
            assert run.status == "running"
    assert diary.read_text() == "dear diary"


def test_a_pipe_beside_a_run_hangs_no_report(path: Path, meta: RunMeta) -> None:
    make(path, meta)
    os.mkfifo(path.with_name("run.sqlite.lock"))
    program = "from genagents_env.cli.app import main; main()"
    assert run_python(program, "report", path).returncode == 0


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_pipe_in_place_of_a_log_hangs_nothing(path: Path, meta: RunMeta, suffix: str) -> None:
    make(path, meta)
    os.mkfifo(path.with_name(path.name + suffix))
    for attempt in (RunReader, RunWriter.open, canonical_hash):
        with pytest.raises(RecordError, match=f"sqlite{suffix} is a named pipe"):
            attempt(path)


def test_a_writer_by_another_name_is_refused(path: Path, meta: RunMeta) -> None:
    by_link, by_hard_link = path.with_name("link.sqlite"), path.with_name("hard.sqlite")
    with RunWriter.create(path, meta) as writer:
        live(writer, 3)
        by_link.symlink_to(path)
        os.link(path, by_hard_link)
        for name in (by_link, by_hard_link):
            assert f"RunLocked {name} is being written by process {os.getpid()}" in (
                open_elsewhere(name)
            )
            with pytest.raises(RunLocked):
                RunWriter.open(name)
        by_hard_link.unlink()
        live(writer, 5)
    with RunReader(by_link) as run:
        assert run.last_tick == 5
    assert open_elsewhere(by_link) == "opened"


def test_a_writer_is_refused_whatever_is_deleted_beside_the_file(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 3)
        for other in path.parent.iterdir():
            if other != path and not other.name.endswith(("-wal", "-shm")):
                other.unlink()
        assert open_elsewhere(path).startswith("RunLocked")
        live(writer, 5)


def test_a_file_with_hard_links_is_read_but_not_written(path: Path, meta: RunMeta) -> None:
    other = path.with_name("other.sqlite")
    os.link(make(path, meta), other)
    assert canonical_hash(other) == canonical_hash(path)
    with pytest.raises(RecordError, match=r"other\.sqlite has 2 names \(hard links\)"):
        RunWriter.open(other)
    other.unlink()
    RunWriter.open(path).close()


def test_a_second_writer_in_this_process_is_refused_while_others_read(
    path: Path, meta: RunMeta
) -> None:
    make(path, meta)
    with RunReader(path), RunWriter.open(path) as writer:
        assert find_writer(path) == f"process {os.getpid()}"
        writer.rewind()
        for _ in range(3):  # closing what reads must not let the writer's lock go
            with RunReader(path) as run:
                assert run.status == "running"
        with pytest.raises(RunLocked):
            RunWriter.open(path)
        assert open_elsewhere(path).startswith("RunLocked")
        live(writer, 6)
    assert find_writer(path) is None
    assert open_elsewhere(path) == "opened"


def test_readers_leave_no_file_open(path: Path, meta: RunMeta) -> None:
    make(path, meta)
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for _ in range(5):
        with RunReader(path) as run:
            assert run.status == "killed"
    if before:
        assert len(os.listdir("/proc/self/fd")) == before
