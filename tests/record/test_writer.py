from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from genagents_env.errors import RecordError, RunLocked
from genagents_env.llm.budget import Limits, Spend
from genagents_env.record import (
    Checkpoint,
    FaultRow,
    PolicyOrigin,
    RunMeta,
    RunReader,
    RunWriter,
    canonical_hash,
)
from genagents_env.record.spending import (
    INTERVIEWED,
    LaterSpending,
    Spending,
    decode_later_spending,
)
from tests.record.lived import live
from tests.record.other_process import OtherProcess


def test_written_rows_are_read(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 7)
        writer.set_status("finished")
    with RunReader(path) as run:
        assert run.meta == meta
        assert (run.status, run.last_tick, run.checkpoints()) == ("finished", 7, [0, 5])
        assert [event.id for event in run.events(3, 4)] == [6, 7, 8, 9]
        assert next(run.events()).data == {"doing": "é 0"}
        assert np.array_equal(run.positions(6), np.full((2, 2), 6))
        assert [tick for tick, _ in run.ticks(5)] == [5, 6, 7]
        assert run.time(6).isoformat() == "2023-02-13T08:01:00"
        assert run.tick_at(run.time(6)) == 6


def test_every_part_of_a_head_comes_back_as_it_was_written(path: Path, meta: RunMeta) -> None:
    full = replace(
        meta,
        arguments={"hours": 2, "start": "2023-02-13T08:00:00", "seconds_per_tick": 10},
        model="m",
        asked_model="asked",
        price=("0.1", "2", None, "3", "a list"),
        embedder="e",
        asked_embedder="asked",
        interviews=False,
        origins={"mine": PolicyOrigin(sha256="ab"), "yours": PolicyOrigin(None, "pack", "1.0")},
        model_for={"Ada Brook": "other"},
        prices={"other": ("1", "2"), "unknown": None},
        reasoning_effort="low",
        contexts={"other": 4096},
    )
    full = full.with_limits(Limits(5, None, Decimal("0.25"), 60.0), 3).with_max_fallbacks(0.5, 4)
    later = LaterSpending(Spending(Spend(1, 2, Decimal("0.5"))), limits=full.limits)
    with RunWriter.create(path, full, spent=Spend(3, 4, Decimal("0.1"))) as writer:
        writer.note(INTERVIEWED, later.encode())
    with RunReader(path) as run:
        assert run.meta == full
        assert run.spending == Spending(Spend(3, 4, Decimal("0.1")))
        assert decode_later_spending(run.find_note(INTERVIEWED)) == later


def test_ticks_follow_one_another(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 2)
        with pytest.raises(RecordError, match="tick 4 cannot follow tick 2"):
            writer.commit_tick(4, np.zeros((2, 2), int), [])


def test_rewind_drops_what_came_after_the_checkpoint(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 8)
        fault = FaultRow(9, meta.names[0], "idle", "raised", "x")
        writer.commit_tick(9, np.zeros((2, 2), int), [], [fault])
    with RunWriter.open(path) as writer:
        state = writer.rewind()
        assert state is not None
        assert (state.tick, state.env, state.policies) == (5, {"at": 5}, [{"seen": 5}])
        with RunReader(path) as run:
            assert (run.last_tick, run.policy_faults()) == (5, [])
            assert max(event.tick for event in run.events()) == 5
        live(writer, 8)


def test_rewinding_without_a_checkpoint_begins_again(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.commit_tick(0, np.zeros((2, 2), int), [])
    with RunWriter.open(path) as writer:
        assert writer.rewind() is None
        assert writer.tick == -1
        live(writer, 2)


def test_a_second_writer_is_refused_with_the_name_of_the_first(
    path: Path, meta: RunMeta, other: OtherProcess
) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 1)
        assert other.ask("reopen", path).startswith("RunLocked")
        with pytest.raises(RunLocked, match=r"process \d+") as refused:
            RunWriter.create(path, meta, force=True)
        assert refused.value.exit_code == 73
        live(writer, 2)
    RunWriter.open(path).close()
    assert [file.name for file in path.parent.iterdir()] == ["run.sqlite"]


def test_a_checkpoint_keeps_the_order_of_dicts(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 0)
        writer.checkpoint(Checkpoint(0, {"z": 1, "a": [{"y": 1, "b": 2}]}, []))
        state = writer.rewind()
    assert state is not None
    assert repr(state.env) == "{'z': 1, 'a': [{'y': 1, 'b': 2}]}"


def test_a_closed_run_is_one_plain_file(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 3)
    assert [file.name for file in path.parent.iterdir()] == ["run.sqlite"]
    assert path.read_bytes()[18:20] == b"\1\1"  # the header's mark for: no write-ahead log
    copy = path.with_name("copy.sqlite")
    copy.write_bytes(path.read_bytes())
    assert canonical_hash(copy) == canonical_hash(path)


def test_a_full_disk_is_a_clear_error_and_loses_no_tick(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 3)
        (pages,) = writer._connection.execute("PRAGMA page_count").fetchone()
        writer._connection.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(RecordError, match=r"run\.sqlite: the disk is full; what was"):
            live(writer, 300)
        last = writer.tick
        assert 3 <= last < 300
    with RunWriter.open(path) as writer:
        with RunReader(path) as run:
            assert run.last_tick == last
        writer.rewind()
        live(writer, last + 2)
