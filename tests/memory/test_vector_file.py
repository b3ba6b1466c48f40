from pathlib import Path

import numpy as np
import pytest

from genagents_env.errors import FileError
from genagents_env.memory.vector_file import TextVectors, read_vectors, write_vectors


def test_vectors_are_read_bit_for_bit(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(2, 384)).astype("<f2")
    kept = TextVectors("minilm", {"one": rows[0].tobytes(), "zwei 🍵": rows[1].tobytes()})
    write_vectors(tmp_path / "v.npz", kept)
    assert read_vectors(tmp_path / "v.npz") == kept
    write_vectors(tmp_path / "none.npz", TextVectors("minilm"))
    assert read_vectors(tmp_path / "none.npz") == TextVectors("minilm")


def test_a_file_without_vectors_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    path.write_bytes(b"no archive")
    with pytest.raises(FileError, match="no vectors of texts"):
        read_vectors(path)
    np.savez(path, names=np.frombuffer(b'{"model": "m", "texts": ["a"]}', dtype=np.uint8))
    with pytest.raises(FileError, match="no vectors of texts"):
        read_vectors(path)
    write_vectors(path, TextVectors("m", {"a": np.zeros(4, dtype="<f2").tobytes()}))
    with pytest.raises(FileError, match="its vectors are damaged"):
        read_vectors(path)
