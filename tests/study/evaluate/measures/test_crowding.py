import json
from pathlib import Path

import pytest

from genagents_env.actions import Move
from genagents_env.env import TownEnv
from genagents_env.record import RunMeta, RunReader, RunWriter
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.study.evaluate.measures.crowding import Crowding, compute_crowding
from genagents_env.study.evaluate.run_data import RunData
from tests.study.evaluate.measures.street import value
from tests.world.mazes import draw_corridor, make_scenario


def record_crossing(file: Path, ticks: int, **rules: object) -> Path:
    """Record six people who pass one another in a corridor."""
    starts = "aaabbb"
    scenario = make_scenario(draw_corridor(1, side=5), starts, rules=rules)
    env = TownEnv(scenario)
    env.reset(seed=1)
    idle = {agent: {"name": "idle", "config": {}} for agent in env.agents}
    begin = env.world.town.clock.start.isoformat()
    meta = RunMeta(env.world.scenario, {}, idle, 1, tuple(env.agents), begin, 10)
    with RunWriter.create(file, meta) as writer:
        writer.commit_tick(0, env.world.positions, env.events)
        for _ in range(ticks):
            goals = {
                a: Move("Room b" if starts[i] == "a" else "Room a")
                for i, a in enumerate(env.agents)
            }
            env.step(goals)
            writer.commit_tick(env.world.tick, env.world.positions, env.events)
    return file


def test_how_people_got_past_one_another_is_counted_and_told(tmp_path: Path) -> None:
    file = record_crossing(tmp_path / "run.sqlite", 40, bodies_block=True)
    with RunReader(file) as reader:
        data = RunData(reader)
        found = compute_crowding(data)
        swaps, asides = data.of_kind("swap"), data.of_kind("aside")
        assert found is not None
        assert found.swaps == len(swaps) >= 3  # every one of three passes every one of three
        assert found == Crowding(
            len(data.of_kind("detour")),
            len(swaps),
            len(asides),
            sum(event.data["waited"] for event in (*swaps, *asides)),
        )
        hours = 6 * 40 * 10 / 3600
        assert value(data, "swaps") == pytest.approx(found.swaps / hours)
        assert value(data, "waits") == pytest.approx(found.waited / hours)
        told, values = "\n".join(describe_run(data)), run_as_json(data)
    assert f"{found.swaps} changes of place" in told
    assert f"{found.waited} game seconds waited" in told
    assert json.loads(json.dumps(values))["crowding"]["swaps"] == found.swaps


def test_where_nobody_is_in_the_way_nothing_is_told_of_it(tmp_path: Path) -> None:
    with RunReader(record_crossing(tmp_path / "run.sqlite", 5)) as reader:
        data = RunData(reader)
        assert value(data, "swaps") is None
        assert "crowding" not in run_as_json(data)
        assert "another's way" not in "\n".join(describe_run(data))
