import sqlite3
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import FaultRow, InterviewRow, RunMeta, RunReader, RunWriter
from genagents_env.record.canonical import canonical_hash
from genagents_env.record.rows import FacultyRow
from tests.record.lived import call, live


def row(tick: int, question: str = "News?", answer: str = "None.", *evidence: int) -> InterviewRow:
    return InterviewRow(tick, "Ada Brook", question, answer, evidence)


def test_answers_are_read_as_they_were_written_in_the_order_of_asking(
    path: Path, meta: RunMeta
) -> None:
    fault = FaultRow(0, "Ben Carver", "idle", "raised", "mute")
    rows = [row(0, "Z?", "é", 3, 1), row(0, "A?")]
    with RunWriter.create(path, meta) as writer:
        live(writer, 0)
        writer.commit_interviews(rows, [fault])
        with RunReader(path) as run:
            assert run.interviews() == rows
            assert run.policy_faults() == [fault]


def test_interviews_are_in_the_file_all_or_none(path: Path, meta: RunMeta) -> None:
    class Killed(BaseException):
        pass

    seen: list[str] = []

    def die(phase: str, tick: int) -> None:
        seen.append(phase)
        if phase == "mid-interview":
            raise Killed

    with RunWriter.create(path, meta, on_phase=die) as writer:
        live(writer, 0)
        with pytest.raises(Killed):
            writer.commit_interviews([row(0)])
        with RunReader(path) as run:
            assert run.interviews() == []
    assert "interviewed" not in seen


def test_the_hash_sees_answers_and_evidence(tmp_path: Path, meta: RunMeta) -> None:
    def hash_of(*rows: InterviewRow) -> str:
        path = tmp_path / "run.sqlite"
        with RunWriter.create(path, meta, force=True) as writer:
            live(writer, 2)
            writer.commit_interviews(rows)
        return canonical_hash(path)

    first = hash_of(row(2), row(0))
    assert hash_of(row(0), row(2)) == first
    others = [(), (row(2),), (row(2, answer="Yes."), row(0)), (row(2, "News?", "None.", 1), row(0))]
    assert len({first, *(hash_of(*rows) for rows in others)}) == 5


def test_a_longer_run_takes_back_the_interviews_of_its_old_end(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        for tick, purpose in [(0, "interview"), (7, "interview"), (7, "interview.again")]:
            key, recorded = call(tick)
            writer.cassette.put(type(key)(key.agent, tick, purpose, 0), recorded)
        writer.cassette.put(*call(7))
        live(writer, 7)
        writer.commit_interviews([row(0), row(7)])
        writer.set_status("finished")
        writer.extend_horizon(meta.with_hours(2.0))
        assert writer.status == "running"
    with RunReader(path) as run:
        assert run.meta.arguments["hours"] == 2.0
        assert run.interviews() == [row(0)]
        assert [(c.tick, c.purpose) for c in run.calls()] == [(0, "interview"), (7, "decide")]


def test_a_rewind_drops_interviews_and_keeps_their_calls(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        key, recorded = call(7)
        writer.cassette.put(type(key)(key.agent, 7, "interview", 0), recorded)
        live(writer, 7)
        writer.commit_interviews([row(7)])
        writer.rewind()
    with RunReader(path) as run:
        assert run.interviews() == []
        assert len(list(run.calls())) == 1


def test_evidence_that_is_none_is_damage(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 0)
        writer.commit_interviews([row(0)])
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE interviews SET evidence = '7'")
    connection.close()
    with RunReader(path) as run, pytest.raises(RecordError, match="damaged"):
        run.interviews()


def test_calls_are_summed_by_faculty(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        for agent, purpose in [("Ada", "plan.day"), ("Ben", "plan"), ("Ada", "a.b.c"), ("A", "")]:
            key, recorded = call(1, agent)
            writer.cassette.put(type(key)(agent, 1, purpose, 0), recorded)
        writer.cassette.put(*call(2, "Ada", "fallback"))
    with RunReader(path) as run:
        assert run.count_askers() == 3
        assert run.sum_faculties() == [
            FacultyRow("", 1, 1, 10, 5, 0.5, 0),
            FacultyRow("a", 1, 1, 10, 5, 0.5, 0),
            FacultyRow("decide", 1, 1, 10, 5, 0.0, 1),
            FacultyRow("plan", 2, 2, 20, 10, 1.0, 0),
        ]


def test_an_event_is_found_by_its_id_and_a_checkpoint_by_its_tick(
    path: Path, meta: RunMeta
) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 12)
    with RunReader(path) as run:
        event = run.event(7)
        assert event is not None
        assert (event.id, event.tick, event.data) == (7, 3, {"doing": "é 3"})
        assert run.event(99) is None
        states = [run.checkpoint(tick) for tick in (4, 5, 9, 12)]
    assert [state and state.tick for state in states] == [None, 5, 5, 10]
