"""Parts of a run file that are read by themselves, packed files, and times as people write them."""

import gzip
import lzma
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError, RecordError
from genagents_env.llm.budget import Limits, Spend
from genagents_env.llm.calls import CallKey
from genagents_env.record import Checkpoint, FaultRow, PolicyOrigin, RunMeta, RunReader, RunWriter
from genagents_env.record.rows import FacultyRow
from genagents_env.record.spending import (
    INTERVIEWED,
    LaterSpending,
    Spending,
    decode_later_spending,
)
from genagents_env.record.town_times import find_last_tick, find_tick, parse_time
from genagents_env.run import PolicySpec, RunSpec, run
from tests.record.lived import call, live


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


@pytest.fixture
def hour(path: Path, meta: RunMeta) -> Path:
    """Return a run of 61 ticks of 10 s from 08:00 on."""
    with RunWriter.create(path, meta) as writer:
        live(writer, 60)
    return path


def test_events_of_one_kind_are_read_by_themselves(path: Path) -> None:
    run(RunSpec(TownConfig("tiny"), policy=PolicySpec("scripted")), path)
    with RunReader(path) as reader:
        every = list(reader.events())
        kinds = {event.kind for event in every}
        assert len(kinds) > 3
        for kind in (*kinds, "flight"):
            assert list(reader.events(kind=kind)) == [e for e in every if e.kind == kind]
        some = [e for e in every if e.kind == "doing" and 5 <= e.tick <= 30]
        assert list(reader.events(5, 30, kind="doing")) == some


def test_calls_are_summed_by_faculty(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        for agent, purpose in [("Ada", "plan.day"), ("Ben", "plan"), ("Ada", "a.b.c"), ("A", "")]:
            _, recorded = call(1, agent)
            writer.cassette.put(CallKey(agent, 1, purpose, 0), recorded)
        writer.cassette.put(*call(2, "Ada", "fallback"))
    with RunReader(path) as run:
        assert run.count_askers() == 3
        assert run.sum_faculties() == [
            FacultyRow("", 1, 1, 10, 5, 0.5, 0),
            FacultyRow("a", 1, 1, 10, 5, 0.5, 0),
            FacultyRow("decide", 1, 1, 10, 5, 0.0, 1),
            FacultyRow("plan", 2, 2, 20, 10, 1.0, 0),
        ]


def test_a_packed_run_is_read_and_what_was_unpacked_is_removed(
    hour: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, folder = hour.with_name("run.sqlite.gz"), hour.with_name("unpacked")
    packed.write_bytes(gzip.compress(hour.read_bytes()))
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with RunReader(packed) as run:
        assert (run.path, run.last_tick) == (packed, 60)
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_file_that_is_not_packed_or_torn_is_refused(
    tmp_path: Path, suffix: str, pack: type[bytes]
) -> None:
    packed = tmp_path / f"run.sqlite{suffix}"
    text = b"SQLite format 3\0" + b"x" * 10_000
    for content in (text, pack(text)[:-9], pack(b"text")):
        packed.write_bytes(content)
        with pytest.raises(RecordError, match=r"damaged|is not a run file"):
            RunReader(packed)


@pytest.mark.parametrize(
    "asked", ["08:05", "8:05", "08:05:00", "2023-02-13T08:05", "2023-02-13 08:05", "08:05Z"]
)
def test_a_time_is_understood_however_it_is_written(asked: str, hour: Path) -> None:
    with RunReader(hour) as run:
        assert parse_time(run, asked) == datetime.fromisoformat("2023-02-13T08:05")
        assert find_tick(run, asked, "--at") == 30


OUTSIDE = r"--at .*: .*run\.sqlite has no .*; it goes from 2023-02-13T08:00:00 to .*T08:10:00"
NONE = "is not a time; expected 08:30"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        *((asked, NONE) for asked in ("", ":", "8", "25:00", "noon", "8:5", "2023-02-30T08:00")),
        *((asked, OUTSIDE) for asked in ("07:59:59", "08:10:01", "2023-02-14T08:05")),
        ("0001-01-01T00:00", OUTSIDE),
    ],
)
def test_what_is_no_time_of_the_run_is_refused(asked: str, said: str, hour: Path) -> None:
    with RunReader(hour) as run:
        assert find_last_tick(run) == 60
        with pytest.raises(ConfigError, match=said):
            find_tick(run, asked, "--at")
