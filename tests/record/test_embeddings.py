import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genagents_env.errors import RecordError
from genagents_env.record import RunMeta, RunReader, RunWriter


def test_a_text_keeps_the_vector_it_has_of_each_model_seen_at_once_by_thousands(
    path: Path, meta: RunMeta
) -> None:
    vectors = {f"text {number}": number.to_bytes(4, "little") for number in range(3000)}
    with RunWriter.create(path, meta) as writer:
        writer.embeddings.put("m", {"text 1": b"\7\7"})
        writer.embeddings.put("n", {"text 1": b"\5\6"})
        writer.embeddings.put("m", vectors)
        with RunReader(path) as run:
            assert run.embeddings.get("m", [*vectors, "x"]) == {**vectors, "text 1": b"\7\7"}
            assert run.embeddings.get("n", ["text 1", "text 2"]) == {"text 1": b"\5\6"}
    with pytest.raises(RecordError, match=r"run\.sqlite"):  # a closed file names itself
        writer.embeddings.get("m", ["text 1"])


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(vectors=st.dictionaries(TEXTS, st.binary(max_size=40), max_size=9), asked=st.sets(TEXTS))
def test_any_text_finds_its_own_vector(
    tmp_path: Path, meta: RunMeta, vectors: dict[str, bytes], asked: set[str]
) -> None:
    with RunWriter.create(tmp_path / "run.sqlite", meta, force=True) as writer:
        writer.embeddings.put("m", vectors)
        wanted = sorted(asked | set(vectors))
        assert writer.embeddings.get("m", wanted) == vectors


@pytest.mark.parametrize("column", ["vector = x'0203'", "text = 'ONE'", "model = 'o'"])
def test_a_changed_vector_is_never_believed(path: Path, meta: RunMeta, column: str) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.embeddings.put("m", {"one": b"\1\2"})
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"UPDATE embeddings SET {column}")  # noqa: S608
    connection.close()
    model, text = ("o" if "model" in column else "m"), ("ONE" if "text" in column else "one")
    with RunReader(path) as run, pytest.raises(RecordError, match=r"damaged .*embedding"):
        run.embeddings.get(model, [text])
