"""Parts of a run file that are read by themselves."""

from pathlib import Path

from genagents_env.config import TownConfig
from genagents_env.llm.calls import CallKey
from genagents_env.record import RunMeta, RunReader, RunWriter
from genagents_env.record.rows import FacultyRow
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from tests.record.lived import call


def test_events_of_one_kind_are_read_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run(RunSpec(TownConfig("tiny"), policy=PolicySpec("scripted")), path, RunOptions())
    with RunReader(path) as reader:
        every = list(reader.events())
        kinds = {event.kind for event in every}
        assert len(kinds) > 3
        for kind in kinds:
            assert list(reader.events(kind=kind)) == [e for e in every if e.kind == kind]
        assert list(reader.events(5, 30, kind="doing")) == [
            e for e in every if e.kind == "doing" and 5 <= e.tick <= 30
        ]
        assert list(reader.events(kind="flight")) == []


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
