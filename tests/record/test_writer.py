from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from genagents_env.errors import RecordError
from genagents_env.llm.budget import Limits, Spend
from genagents_env.record import (
    Checkpoint,
    FaultRow,
    PolicyOrigin,
    RunMeta,
    RunReader,
    RunWriter,
)
from genagents_env.record.spending import (
    INTERVIEWED,
    LaterSpending,
    Spending,
    decode_later_spending,
)
from tests.record.lived import live


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


def test_written_rows_are_read_from_one_plain_file(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 7)
        with pytest.raises(RecordError, match="tick 9 cannot follow tick 7"):
            writer.commit_tick(9, np.zeros((2, 2), int), [])
        writer.set_status("finished")
    assert [file.name for file in path.parent.iterdir()] == ["run.sqlite"]
    assert path.read_bytes()[18:20] == b"\1\1"  # the header's mark for: no write-ahead log
    with RunReader(path) as run:
        assert run.meta == meta
        assert (run.status, run.last_tick, run.checkpoints()) == ("finished", 7, [0, 5])
        assert [event.id for event in run.events(3, 4)] == [6, 7, 8, 9]
        assert next(run.events()).data == {"doing": "é 0"}
        assert np.array_equal(run.positions(6), np.full((2, 2), 6))
        assert [tick for tick, _ in run.ticks(5)] == [5, 6, 7]
        assert run.time(6).isoformat() == "2023-02-13T08:01:00"
        assert run.tick_at(run.time(6)) == 6


def test_rewind_drops_what_came_after_the_checkpoint_and_keeps_the_order_of_its_state(
    path: Path, meta: RunMeta
) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.commit_tick(0, np.zeros((2, 2), int), [])
        assert writer.rewind() is None  # without a checkpoint it begins again
        assert writer.tick == -1
        live(writer, 4)
        writer.checkpoint(Checkpoint(4, {"z": 1, "a": [{"y": 1, "b": 2}]}, [{"seen": 4}]))
        fault = FaultRow(5, meta.names[0], "idle", "raised", "x")
        writer.commit_tick(5, np.zeros((2, 2), int), [], [fault])
    with RunWriter.open(path) as writer:
        state = writer.rewind()
        assert state is not None
        assert (state.tick, state.policies) == (4, [{"seen": 4}])
        assert repr(state.env) == "{'z': 1, 'a': [{'y': 1, 'b': 2}]}"
        with RunReader(path) as run:
            assert (run.last_tick, run.policy_faults()) == (4, [])
            assert max(event.tick for event in run.events()) == 4
        live(writer, 8)


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
