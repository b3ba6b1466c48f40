"""A page keeps up with its run, grown, resumed, replaced, and is told what does not hold."""

import json
import lzma
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest

from genagents_env.cli.view import DEMOS
from genagents_env.errors import RecordError
from genagents_env.name_search import find_person
from genagents_env.record import RunReader, RunWriter
from genagents_env.show.view import server as answering
from genagents_env.show.view.open_run import OpenRun, RunNotBegun
from genagents_env.show.view.resources import ResourceKey, parse_key
from genagents_env.show.view.server import Answers
from genagents_env.show.view.timeline import PART
from tests.record.lived import live, make_meta
from tests.show.view.requests import serve


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


@pytest.fixture
def writer(path: Path) -> Iterator[RunWriter]:
    with RunWriter.create(path, make_meta()) as found:
        yield found


def ask(run: OpenRun) -> tuple[int, int]:
    status = json.loads(Answers(run).get(ResourceKey("status")))
    return status["lastTick"], status["revision"]


def test_it_grows_with_its_run(path: Path, writer: RunWriter) -> None:
    live(writer, 3)
    run = OpenRun(path)
    assert ask(run) == (3, 0)
    live(writer, 7)
    assert ask(run) == (7, 0)
    events = json.loads(Answers(run).get(parse_key("events/0")))["events"]
    assert [event[0] for event in events] == list(range(16))


def test_it_waits_for_a_file_and_for_its_first_tick(path: Path) -> None:
    run = OpenRun(path, wait=True)
    with pytest.raises(RunNotBegun):
        ask(run)
    with RunWriter.create(path, make_meta()) as writer:
        with pytest.raises(RunNotBegun):
            ask(run)
        live(writer, 0)
        assert ask(run) == (0, 0)


def test_a_missing_file_is_reported_where_nobody_waits(path: Path) -> None:
    with pytest.raises(RecordError, match="no run file"):
        OpenRun(path)


def test_what_came_out_as_before_still_holds(path: Path, writer: RunWriter) -> None:
    live(writer, 13)
    run = OpenRun(path)
    assert ask(run) == (13, 0)
    writer.rewind()
    assert ask(run) == (10, 0)
    live(writer, 14)
    assert ask(run) == (14, 0)


def test_what_came_out_otherwise_does_not_hold(path: Path, writer: RunWriter) -> None:
    live(writer, 13)
    run = OpenRun(path)
    ask(run)
    writer.rewind()
    for tick in range(11, 14):
        writer.commit_tick(tick, np.zeros((len(writer.meta.names), 2), np.int16), ())
    assert ask(run) == (13, 1)
    assert ask(run) == (13, 1)


def test_another_run_in_its_place_counts_the_revision_up(path: Path) -> None:
    with RunWriter.create(path, make_meta()) as writer:
        live(writer, 5)
    run = OpenRun(path)
    assert ask(run) == (5, 0)
    with RunWriter.create(path, make_meta(), force=True) as writer:
        live(writer, 2)
        assert ask(run) == (2, 1)
    path.unlink()
    with pytest.raises(RunNotBegun):
        ask(run)


def test_a_compressed_run_is_unpacked_while_it_is_looked_at(path: Path) -> None:
    with RunWriter.create(path, make_meta()) as writer:
        live(writer, 4)
    packed = path.with_suffix(".sqlite.xz")
    packed.write_bytes(lzma.compress(path.read_bytes()))
    run = OpenRun(packed)
    assert ask(run) == (4, 0)
    with run.look() as view:
        assert not view.live
        folder = Path(run._file).parent
    run.close()
    run.close()
    assert not folder.exists()


def test_what_is_damaged_is_not_shown(path: Path) -> None:
    with RunWriter.create(path, make_meta()) as writer:
        live(writer, PART + 3)
    with serve(path) as page:
        assert page.get("/data/events/0").status == 200
        connection = sqlite3.connect(path)
        with connection:
            connection.execute(
                "UPDATE events SET data = ? WHERE id = ?", ('{"doing":"steals"}', 2 * PART + 4)
            )
        connection.close()
        assert page.get("/data/events/0").status == 200
        answer = page.get("/data/events/1")
        assert answer.status == 500
        assert f"tick {PART + 2} does not match its checksum" in answer.body.decode()


@pytest.mark.parametrize("part", [0, 1])
def test_a_known_file_is_read_as_any_other(path: Path, part: int) -> None:
    with RunWriter.create(path, make_meta()) as writer:
        live(writer, PART + 3)
    with RunReader(path) as whole, RunReader(path, known=True) as run:
        span = part * PART, part * PART + PART - 1
        assert list(run.events(*span)) == [
            e for e in whole.events() if span[0] <= e.tick <= span[1]
        ]
        assert [t for t, _ in run.ticks(*span)] == [
            t for t, _ in whole.ticks() if span[0] <= t <= span[1]
        ]
        assert run.event(2 * PART) == whole.event(2 * PART)
        assert run.event(10**6) is None
        assert run.measure() == whole.measure()
        assert run.find_checksum(PART + 3) == run.measure().checksum


def test_pages_that_follow_a_run_share_what_is_made(
    path: Path, writer: RunWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("genagents_env.show.view.server.time.monotonic", lambda: now[0])
    live(writer, 3)
    answers = Answers(OpenRun(path))
    part, status = parse_key("ticks/0"), ResourceKey("status")
    told, first = answers.get(status), answers.get(part)
    live(writer, 7)
    assert (answers.get(status), answers.get(part)) == (told, first)
    now[0] = 1.0
    assert json.loads(answers.get(status))["lastTick"] == 7
    assert len(answers.get(part)) == 2 * len(first)


@pytest.mark.parametrize("name", DEMOS)
def test_its_moment_is_one_of_its_run(name: str) -> None:
    demo = DEMOS[name]
    moment = {key: value for key, (value,) in parse_qs(demo.moment).items()}
    with RunReader(demo.path) as run:
        assert 0 <= int(moment["t"]) < run.last_tick
        assert find_person(moment["p"], run.meta.names)
        assert moment.get("f") in {None, *(fact.id for fact in run.meta.scenario.facts)}
        # Something is said within a minute of looking.
        soon = int(moment["t"]) + 60 * int(moment["play"]) // run.meta.seconds_per_tick
        assert any(e.kind == "say" for e in run.events(int(moment["t"]), soon))


def test_slow_answers_of_a_run_that_rests_are_made_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def count(view: object, key: ResourceKey) -> bytes:
        made.append(str(key))
        return f"{len(made)}".encode()

    monkeypatch.setattr(answering, "make_resource", count)
    with RunWriter.create(path, make_meta()) as writer:
        live(writer, 4)
        found = Answers(OpenRun(path))
        story = ResourceKey("story")
        assert [found.get(story), found.get(story)] == [b"1", b"1"]
        monkeypatch.setattr(answering, "_SHARE", 0)
        live(writer, 5)
        assert found.get(story) == b"2"
        monkeypatch.setattr(answering, "_SHARE", 10**9)
        live(writer, 6)
        assert [found.get(story) for _ in range(2)] == [b"3", b"3"]
        live(writer, 7)
        assert found.get(story) == b"3"  # a while is not over
    assert found.get(story) == b"4"  # its writer is gone, which is told at once
