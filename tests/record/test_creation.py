"""A run file comes into being whole or not at all, and replaces only what it may."""

import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import RunMeta, RunReader, RunWriter, canonical_hash
from tests.record.lived import live
from tests.record.other_process import OtherProcess
from tests.record.test_lock import make


def be_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE letters (text)")


def be_folder(path: Path) -> None:
    path.mkdir()
    (path / "thesis.txt").write_text("six years")


def be_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket has a hundred characters at most
    try:
        with socket.socket(socket.AF_UNIX) as own:
            own.bind(path.name)
    finally:
        os.chdir(here)


def be_link(path: Path) -> None:
    path.with_name("target.txt").write_text("dear diary")
    path.symlink_to(path.with_name("target.txt"))


def be_device(path: Path) -> None:
    try:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 3))  # as /dev/null is
    except PermissionError:
        pytest.skip("only root makes devices")


def list_all(folder: Path) -> list[tuple[str, int, int, bytes]]:
    """Return name, type, inode and content of everything in `folder`."""
    return [
        (file.name, found.st_mode, found.st_ino, file.read_bytes() if file.is_file() else b"")
        for file in sorted(folder.rglob("*"))
        for found in [file.lstat()]
    ]


@pytest.mark.parametrize(
    "be",
    [
        lambda path: path.write_text("dear diary"),
        lambda path: path.symlink_to(path.with_name("nowhere")),
        *(be_database, be_folder, os.mkfifo, be_socket, be_link, be_device),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_other_files_are_never_replaced(
    path: Path, meta: RunMeta, be: Callable[[Path], None], force: bool
) -> None:
    be(path)
    before = list_all(path.parent)
    with pytest.raises(RecordError, match=r"run\.sqlite (is .*left alone|exists)"):
        RunWriter.create(path, meta, force=force)
    assert list_all(path.parent) == before


def test_force_replaces_an_empty_file_or_a_run_and_keeps_it_when_the_new_one_cannot_be_made(
    path: Path, meta: RunMeta
) -> None:
    path.touch()
    for ticks in (3, 1):
        with RunWriter.create(path, meta, force=True) as writer:
            live(writer, ticks)
    assert [file.name for file in path.parent.iterdir()] == ["run.sqlite"]
    with RunReader(path) as run:
        assert run.last_tick == 1
    before = canonical_hash(path)
    path.with_name(".run.sqlite.new").mkdir()
    with pytest.raises(RecordError, match="is a folder"):
        RunWriter.create(path, meta, force=True)
    assert canonical_hash(path) == before


def test_a_log_of_another_run_is_not_taken_for_one_of_the_new(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 3)
        log = path.with_name("run.sqlite-wal").read_bytes()
        former = path.read_bytes()
    path.unlink()
    path.with_name("run.sqlite-wal").write_bytes(log)
    with pytest.raises(RecordError, match=r"run\.sqlite-wal is left of a run file that is gone"):
        RunWriter.create(path, meta)
    assert path.with_name("run.sqlite-wal").read_bytes() == log
    with RunWriter.create(path, meta, force=True) as writer:
        assert RunReader(path).last_tick == -1
    path.write_bytes(former)
    path.with_name("run.sqlite-wal").write_bytes(log)  # as a killed run leaves it
    with RunWriter.create(path, meta, force=True) as writer:
        with RunReader(path) as run:
            assert run.last_tick == -1
        live(writer, 1)


def test_of_two_starts_at_once_exactly_one_begins(
    tmp_path: Path, others: tuple[OtherProcess, OtherProcess]
) -> None:
    files = [tmp_path / f"{number}.sqlite" for number in range(20)]
    for path in files:
        for other in others:
            other.tell("begin", path)
        done, refused = sorted((other.hear() for other in others), key="done".__ne__)
        assert done == "done"
        assert refused.startswith((f"RecordError {path} exists", f"RunLocked {path} is being"))
    assert sorted(tmp_path.iterdir()) == sorted(files)
    assert len({canonical_hash(file) for file in files}) == 1


def test_a_run_killed_while_its_file_is_made_leaves_none(
    path: Path, meta: RunMeta, other: OtherProcess
) -> None:
    assert other.ask("be_killed_beginning", path) == "done"
    assert not path.exists()
    with pytest.raises(RecordError, match="no run file"):
        RunWriter.open(path)
    make(path, meta)
    assert [file.name for file in path.parent.iterdir()] == ["run.sqlite"]
