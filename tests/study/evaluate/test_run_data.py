from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from genagents_env.record import RunReader, RunWriter
from genagents_env.run import resume
from genagents_env.show.story.scenes import index_scenes
from genagents_env.show.summary import run_as_json
from genagents_env.study.evaluate.measures import list_measures, take_measures
from genagents_env.study.evaluate.run_data import RunData
from tests.run.towns import make_options, run_town
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    HOME,
    begins,
    goes,
    joins,
    leaves,
    make_utterance,
    record_street,
    street,
)
from tests.study.report.planted import cake, meta


def test_a_record_tells_what_its_reader_tells(tmp_path: Path) -> None:
    with RunReader(cake(tmp_path / "run.sqlite")) as run:
        record = RunData(run)
        assert run_as_json(record) == run_as_json(run)
        assert list(record.events) == list(run.events())
        assert list(record.calls) == list(run.calls())
        assert list(record.interviews) == run.interviews()
        assert list(record.judgements) == run.judgements()
        assert record.last_tick == run.last_tick == record.ticks
        assert record.people[0].name == record.names[0]


def test_a_run_that_grows_meanwhile_is_read_as_far_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run_town(path)
    with RunReader(path) as run:
        record = RunData(run)
        assert record.last_tick == 40
        resume(path, make_options(), hours=10 / 360)
        assert run.last_tick == 50
        assert record.positions.shape[0] == record.awake.shape[1] == 41
        assert max(event.tick for event in record.events) <= 40
        assert index_scenes(record)["until"] == 40


def test_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()
    for name in ("events", "calls", "interviews", "judgements"):
        inner = getattr(RunReader, name)

        def counting(
            self: RunReader, *given: int, name: str = name, inner: object = inner
        ) -> object:
            read[name] += 1
            return inner(self, *given)  # type: ignore[operator]  # the method it stands for

        monkeypatch.setattr(RunReader, name, counting)
    with RunReader(cake(tmp_path / "run.sqlite")) as run:
        _, faults = take_measures(RunData(run), list_measures())
    assert faults == ()
    assert read == {"events": 1, "calls": 1, "interviews": 1, "judgements": 1}


def test_whereabouts_waking_and_talking(tmp_path: Path) -> None:
    happenings = [
        begins(ADA),
        begins(BEN, asleep=True),
        goes(2, ADA, CAFE),
        (3, "wake", BEN, {"cause": "hour"}),
        (4, "part", ADA, {}),
        (6, "join", ADA, begins(ADA)[3]),
        *(*joins(1, 0, ADA, "Eve"), leaves(3, 0, ADA), *joins(2, 1, BEN)),
        *(make_utterance(1, "Zed", "Hello"), make_utterance(1, ADA, "Hello")),
    ]
    with record_street(tmp_path, happenings, last=6) as record:
        assert record.arenas == (HOME, CAFE)
        assert record.whereabouts.tolist() == [[0, 0, 1, 1, -1, -1, 0], [0] * 7]
        assert record.awake.astype(int).tolist() == [[1, 1, 1, 1, 0, 0, 1], [0, 0, 0, 1, 1, 1, 1]]
        assert record.hours == pytest.approx(6 / 60)
        assert record.agent_hours == pytest.approx(12 / 60)
        assert record.waking_hours == pytest.approx((4 + 3) / 60)
        assert record.row == {ADA: 0, BEN: 1}
        assert [event.agent for event in record.utterances] == [ADA]  # Zed is not of the run
        talking = record.talking.astype(int).tolist()
        assert talking == [[0, 1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 1]]


def test_a_run_that_has_only_begun(tmp_path: Path) -> None:
    with record_street(tmp_path) as record:
        assert (record.ticks, record.hours, record.agent_hours, record.waking_hours) == (0, 0, 0, 0)
        assert record.whereabouts.shape == (2, 1)
        values, faults = take_measures(record, list_measures())
    assert faults == ()
    assert {name for name, value in values.items() if value is not None} == set()


def test_a_run_without_a_tick(tmp_path: Path) -> None:
    head = meta(scenario=street(), names=(ADA, BEN))
    RunWriter.create(tmp_path / "run.sqlite", head).close()
    with RunReader(tmp_path / "run.sqlite") as run:
        record = RunData(run)
        assert record.events == ()
        assert not np.any(record.awake)
        values, faults = take_measures(record, list_measures())
    assert faults == ()
    assert set(values.values()) == {None}
