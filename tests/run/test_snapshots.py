"""What is drawn of a record is what the world was: compared at random ticks with the replay."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, run
from genagents_env.run.replay import open_replay
from genagents_env.show.render import RenderSnapshot
from genagents_env.show.snapshots import RunSnapshots
from tests.run.towns import FOUR, Value, compose_spec
from tests.show.render.towns import check_same


def replay_all(record: RunReader) -> Sequence[RenderSnapshot]:
    """Return the world at every tick, as a replay of the record rebuilds it."""
    snapshots: list[RenderSnapshot] = []

    async def follow() -> None:
        def note(*_: object) -> None:
            snapshots.append(replay.env.world.snapshot)

        async with replay.open_at(record.last_tick, note):
            pass

    with open_replay(record, RunOptions()) as replay:
        asyncio.run(follow())
    return snapshots


@pytest.mark.parametrize(
    ("scenario", "policy", "options"),
    [
        ("house_rules", "scripted", {"hours": 1.5}),  # with interventions
        pytest.param(
            *("valentines_party", "scripted", {"start": "22:30", "hours": 2, "people": FOUR}),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["house rules", "bedtime"],
)
def test_a_record_is_drawn_as_the_replayed_world_was(
    scenario: str, policy: str, options: dict[str, Value], tmp_path: Path
) -> None:
    path = tmp_path / "run.sqlite"
    run(compose_spec(scenario, seed=4, policy=PolicySpec(policy), **options), path, RunOptions())
    with RunReader(path) as record:
        true = replay_all(record)
        assert len(true) == record.last_tick
        snapshots, draw = RunSnapshots(record), Random(5)  # noqa: S311 (no secret)
        for tick in draw.sample(range(1, record.last_tick + 1), 50):
            check_same(snapshots.find(tick), true[tick - 1])
        first = draw.randrange(1, record.last_tick - 20)
        part = list(snapshots.read(first, first + 20))
        assert [one.tick for one in part] == list(range(first, first + 21))
        for one in part:
            check_same(one, true[one.tick - 1])
        changed = {(one.asleep.tobytes(), one.object_states, one.doing) for one in true}
        assert len(changed) > 5
        assert any(one.spoken or one.asleep.any() for one in true)
