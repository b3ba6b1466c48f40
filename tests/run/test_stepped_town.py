"""A recorded town is stepped by its actions: percepts and pictures are those that there were."""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from shutil import copy

import pytest

from genagents_env.errors import DivergenceError, RecordError
from genagents_env.llm.event_loop import run_sync
from genagents_env.policy import Observations
from genagents_env.record import RunReader, canonical_hash, verify
from genagents_env.record.connection import Transaction, connect
from genagents_env.record.rows import encode
from genagents_env.record.tables import ACTIONS
from genagents_env.run import PolicySpec, RunOptions, run
from genagents_env.run.play import play
from genagents_env.run.policy_trust import ChosenPolicies, load_policies
from genagents_env.run.replay import make_town, offer_menu, open_replay
from genagents_env.run.stepped_town import SteppedTown
from genagents_env.show.render import RenderSnapshot
from genagents_env.show.snapshots import RunSnapshots
from genagents_env.testing.kill_hook import kill_at
from tests.record.test_optional_tables import drop
from tests.run.test_spending import run_killed
from tests.run.towns import (
    FOUR,
    Value,
    compose_spec,
    make_options,
    make_spec,
    resume_town,
    run_town,
)
from tests.show.render.towns import check_same


def perceive_all(path: Path) -> list[dict[str, str]]:
    """Return what everybody in a run by rule perceives at each tick, by playing it again."""
    with RunReader(path) as reader:
        meta, ticks = reader.meta, reader.last_tick
        groups = load_policies(meta, make_options(), ChosenPolicies())
    env = offer_menu(make_town(meta), groups)
    observations, infos = env.reset(seed=meta.seed)
    groups.reset(env.profiles(), meta.seed, env.context(None, None))
    seen: list[Observations] = [observations]
    run_sync(
        play(
            *(env, groups, observations, infos),
            on_step=lambda _, step: seen.append(step[0]),
            max_ticks=ticks,
        )
    )
    return [{name: str(one["text"]) for name, one in given.items()} for given in seen]


@pytest.mark.parametrize(
    ("scenario", "policy", "changes"),
    [
        ("mayoral_election", "scripted", {"start": "09:50"}),
        ("simuverse_park", "random", {}),
    ],
)
def test_every_percept_of_a_run_is_perceived_again(
    tmp_path: Path, scenario: str, policy: str, changes: Mapping[str, str]
) -> None:
    path = tmp_path / "run.sqlite"
    run(make_spec(scenario, 120, policy=PolicySpec(policy), **changes), path, make_options())
    expected = perceive_all(path)
    with RunReader(path) as reader:
        town = SteppedTown(reader)
        for tick in (*range(0, reader.last_tick + 1, 7), 3, reader.last_tick):
            assert town.go_to(reader, tick)
            texts = zip(reader.meta.names, town.describe(), strict=True)
            assert {name: text for name, text in texts if text is not None} == expected[tick], tick


def test_a_town_that_is_late_continues_in_the_next_call(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run(make_spec("simuverse_park", 130, policy=PolicySpec("random")), path, make_options())
    drop_checkpoints(path)
    answers = iter([False, True, False, False, False, False])
    with RunReader(path) as reader:
        town = SteppedTown(reader)
        assert not town.go_to(reader, 130, lambda: next(answers))
        assert 0 < town.tick < 130
        assert town.go_to(reader, 130, lambda: next(answers))


def test_a_run_that_was_killed_and_resumed_holds_all_actions_but_those_of_an_older_file(
    tmp_path: Path,
) -> None:
    whole, stopped, older = (tmp_path / f"{name}.sqlite" for name in ("whole", "stopped", "older"))
    run_town(whole)
    how = make_options(on_phase=kill_at(27, "boundary"))
    run_killed(lambda: run(make_spec(ticks=40), stopped, how))
    for file in tmp_path.glob("stopped.sqlite*"):
        copy(file, file.with_name(file.name.replace("stopped", "older")))
    drop(older, "actions", "responses")
    texts = []
    for path in (whole, stopped, older):
        assert path == whole or resume_town(path).status == "finished"
        assert verify(path).whole
        assert canonical_hash(path) == canonical_hash(whole)
        with RunReader(path) as reader:
            town = SteppedTown(reader)
            if path == older:
                with pytest.raises(RecordError, match="09:00:10 are not in it"):
                    town.go_to(reader, 5)
            else:
                assert [tick for tick, _ in reader.actions()] == list(range(1, 41))
                drop_checkpoints(path)
            assert town.go_to(reader, 40)
            texts.append(town.describe())
    assert texts[0] == texts[1] == texts[2]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walked") / "run.sqlite"
    run(make_spec("tiny", 6, policy=PolicySpec("random")), path, make_options())
    drop_checkpoints(path)
    return path


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"0": ["stay", "dancing", "x"]}, "tick 4 .* differs from the record"),
        ({"0": ["jump"]}, "is no action"),
        ({"0": ["stay", 5, 6]}, "is no action"),
        ({"0": ["speak", 99, "hello", False, None, None]}, "nobody and nothing"),
        ({"0": ["use", -1, "on", None, None]}, "nobody and nothing"),
        ({"0": ["move", [[0, 10**15]], "x", ["a", "b"], ["a", "b"]]}, "tiles"),
        ({"0": 10**9}, "is no action"),
        ({"77": -1}, "nobody has the number 77"),
        ([], "damaged"),
    ],
)
def test_differing_actions_are_reported(
    walked: Path, tmp_path: Path, body: object, said: str
) -> None:
    path = Path(copy(walked, tmp_path))
    with closing(connect(path, "rw")) as connection, Transaction(connection):
        ACTIONS.put(connection, [(4, encode(body))])
    with RunReader(path) as reader, pytest.raises((RecordError, DivergenceError), match=said):
        SteppedTown(reader).go_to(reader, 6)


def drop_checkpoints(path: Path) -> None:
    """Leave the start as the only moment from which one can go on."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM checkpoints")
        connection.execute("DELETE FROM sums WHERE name = 'checkpoints'")
        connection.commit()


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
