"""What of a run file is read by itself."""

from pathlib import Path

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run


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


def test_the_last_state_is_that_of_the_newest_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    options = RunOptions(checkpoint_every=10)
    run(RunSpec(TownConfig("tiny"), policy=PolicySpec("scripted")), path, options)
    with RunReader(path) as reader:
        state = reader.last_state()
        assert state is not None
        assert state == reader.checkpoint(reader.last_tick)
        assert state.tick == reader.checkpoints()[-1]
        assert reader.last_state() is state
