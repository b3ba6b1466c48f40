"""Parts of a run file that are read by themselves, packed files, and times as people write them."""

import gzip
import lzma
from datetime import datetime
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError, RecordError
from genagents_env.llm.calls import CallKey
from genagents_env.record import RunMeta, RunReader, RunWriter
from genagents_env.record.rows import FacultyRow
from genagents_env.record.town_times import find_last_tick, find_tick, parse_time
from genagents_env.run import PolicySpec, RunSpec, run
from tests.record.lived import call, live


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
