import gzip
import lzma
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import resume
from tests.run.towns import make_options, run_town


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "run.sqlite"
    run_town(path, 10)
    return path


@pytest.mark.parametrize(("suffix", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_a_compressed_run_is_read_as_it_is(path: Path, suffix: str, pack) -> None:  # type: ignore[no-untyped-def]
    packed = path.with_name(f"run.sqlite{suffix}")
    packed.write_bytes(pack(path.read_bytes()))
    assert canonical_hash(packed) == canonical_hash(path)
    with RunReader(packed) as run, RunReader(path) as plain:
        assert run.path == packed
        assert run.status == "finished"
        assert list(run.events()) == list(plain.events())
    with pytest.raises(RecordError, match=rf"compressed.*-dk {packed}` makes {path}$"):
        resume(packed, make_options(), hours=1)


def test_unpacked_files_are_removed(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    packed = path.with_name("again.sqlite.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with RunReader(packed) as run:
        assert run.last_tick == 10
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".xz", ".gz"])
def test_a_file_that_is_not_compressed_is_refused(tmp_path: Path, suffix: str) -> None:
    packed = tmp_path / f"run.sqlite{suffix}"
    with pytest.raises(RecordError, match="no run file"):
        RunReader(packed)
    packed.write_bytes(b"SQLite format 3, surely")
    with pytest.raises(RecordError, match="damaged, or not compressed as its name says"):
        RunReader(packed)
    content = b"SQLite format 3\0" + b"x" * 10_000
    whole = gzip.compress(content) if suffix == ".gz" else lzma.compress(content)
    packed.write_bytes(whole[:-9])
    with pytest.raises(RecordError, match="damaged"):
        RunReader(packed)
    packed.write_bytes(gzip.compress(b"text") if suffix == ".gz" else lzma.compress(b"text"))
    with pytest.raises(RecordError):
        RunReader(packed)
