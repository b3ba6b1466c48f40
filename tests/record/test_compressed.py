import gzip
import lzma
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import RunMeta, RunReader, RunWriter
from tests.record.lived import live


def test_a_compressed_run_is_read_and_what_was_unpacked_is_removed(
    path: Path, meta: RunMeta, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 10)
    packed, folder = path.with_name("run.sqlite.gz"), path.with_name("unpacked")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with RunReader(packed) as run:
        assert (run.path, run.last_tick) == (packed, 10)
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("suffix", [".xz", ".gz"])
def test_a_file_that_is_not_compressed_is_refused(tmp_path: Path, suffix: str) -> None:
    packed = tmp_path / f"run.sqlite{suffix}"
    pack = gzip.compress if suffix == ".gz" else lzma.compress
    packed.write_bytes(b"SQLite format 3, surely")
    with pytest.raises(RecordError, match="damaged, or not compressed as its name says"):
        RunReader(packed)
    packed.write_bytes(pack(b"SQLite format 3\0" + b"x" * 10_000)[:-9])
    with pytest.raises(RecordError, match="damaged"):
        RunReader(packed)
    packed.write_bytes(pack(b"text"))
    with pytest.raises(RecordError):
        RunReader(packed)
