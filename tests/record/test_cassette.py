import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.llm.calls import Message
from genagents_env.record import RunMeta, RunReader, RunWriter, canonical_hash
from tests.record.lived import call


def test_a_call_is_durable_at_once_and_comes_back_equal(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        key, recorded = call(3)
        assert writer.cassette.get(key) is None
        recorded = replace(recorded, messages=(Message("user", "what now?"),))
        writer.cassette.put(key, recorded)
        with RunReader(path) as run:  # another connection sees it before any commit of a tick
            (row,) = run.calls()
            assert row.messages == '[{"content":"what now?","role":"user"}]'
        back = writer.cassette.get(key)
        assert back == recorded
        assert back is not None
        assert (back.latency_seconds, back.started_at) == (0.5, 1.0)


def test_the_sums_over_calls_tell_a_degraded_run(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, replace(meta, model="m", price=("1", "2"))) as writer:
        for tick in range(99):
            writer.cassette.put(*call(tick))
        with RunReader(path) as run:
            assert not run.find_degradation().degraded
            assert str(run.sum_calls().dollars) == "0.00198"
        for tick in (100, 101):
            writer.cassette.put(*call(tick, "Ada", "fallback"))
        with RunReader(path) as run:
            spent, found = run.sum_calls(), run.find_degradation()
    assert (spent.calls, spent.fallbacks, spent.reasks, spent.retries) == (101, 2, 2, 4)
    assert not found.degraded
    assert replace(found, max_fallbacks=0.01).degraded
    assert not replace(found, max_fallbacks=2 / 101).degraded


def test_the_hash_sees_replies_but_neither_clock_nor_order(tmp_path: Path, meta: RunMeta) -> None:
    def hash_of(*calls: int, **changes: object) -> str:
        path = tmp_path / "run.sqlite"
        with RunWriter.create(path, meta, force=True) as writer:
            for tick in calls:
                key, recorded = call(tick)
                writer.cassette.put(key, replace(recorded, **changes))  # type: ignore[arg-type]
        return canonical_hash(path)

    first = hash_of(1, 2)
    assert hash_of(2, 1) == first
    assert hash_of(1, 2, latency_seconds=9.0, started_at=9.0, attempts=3) == first
    assert hash_of(1, 2, reply="{}") != first
    assert hash_of(1) != first


def test_a_text_keeps_the_vector_it_has_of_each_model_seen_at_once_by_thousands(
    path: Path, meta: RunMeta
) -> None:
    vectors = {f"text {number}": number.to_bytes(4, "little") for number in range(3000)}
    vectors |= {"": b"", "é\n\x00": b"\1", "Text 1": b"\2"}
    with RunWriter.create(path, meta) as writer:
        writer.embeddings.put("m", {"text 1": b"\7\7"})
        writer.embeddings.put("n", {"text 1": b"\5\6"})
        writer.embeddings.put("m", vectors)
        with RunReader(path) as run:
            assert run.embeddings.get("m", [*vectors, "x"]) == {**vectors, "text 1": b"\7\7"}
            assert run.embeddings.get("n", ["text 1", "text 2"]) == {"text 1": b"\5\6"}
    with pytest.raises(RecordError, match=r"run\.sqlite"):  # a closed file names itself
        writer.embeddings.get("m", ["text 1"])


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
