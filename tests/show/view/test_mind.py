"""What a page shows of minds is what they held at each tick."""

import asyncio
import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.run.past import collect_run_pasts
from genagents_env.run.replay import RunReplay, open_replay
from genagents_env.show.view.mind import make_mind
from genagents_env.show.view.open_run import OpenRun
from genagents_env.show.view.resources import make_resource, parse_key
from genagents_env.study.judge.kept_answers import find_kept_file
from tests.run.towns import WITNESS, make_options, make_spec

KLAUS = "Klaus Mueller"
PEOPLE = ("Dmitri Ivanov", "Richard Smith", "Lizhi Chen")
SLOW = {
    name: pytest.param(name, marks=pytest.mark.slow)
    for name in ("lyfe", "simuverse", "ai_town", "reactive", "scripted")
}


def play(
    path: Path, policy: str, scenario: str = "murder_mystery", ticks: int = 180, **config: int
) -> Path:
    """Record a run in which three people have much to say, asked of a scripted model."""
    people = PEOPLE if scenario == "murder_mystery" else None
    town = TownConfig(scenario, people=people, hours=ticks / (720 if people else 360))
    options = RunOptions(
        model="scripted:neighbour", embedder="hashed", checkpoint_every=25, interviews=False
    )
    run(RunSpec(town, policy=PolicySpec(policy, config), seed=2), path, options)
    return path


def show(reader: RunReader, agent: str) -> Any:
    return make_mind(reader, reader.meta.names.index(agent))


def list_truth(path: Path, tick: int) -> dict[str, list[str]]:
    """Return what everybody remembers once the run is replayed up to `tick`."""

    async def ask(replay: RunReplay, names: tuple[str, ...]) -> dict[str, list[str]]:
        async with replay.open_at(tick):
            asked = {name: (await replay.groups.memories(name, tick))[0] for name in names}
        return {name: [memory.text for memory in found] for name, found in asked.items()}

    with RunReader(path) as reader, open_replay(reader, RunOptions()) as replay:
        return asyncio.run(ask(replay, reader.meta.names))


def test_memories_and_plan_of_a_run_are_those_of_each_tick(tmp_path: Path) -> None:
    path = play(tmp_path / "run.sqlite", "smallville", ticks=240)
    pasts, _ = collect_run_pasts(path, PEOPLE, 60)
    with RunReader(path) as reader:
        for agent, past in pasts.items():
            mind = show(reader, agent)
            held = [memory for memory in mind["memories"] if memory["tick"] <= 60]
            assert [memory["text"] for memory in held] == [one.text for one in past.memories]
            assert [tuple(m["evidence"]) for m in held] == [m.evidence for m in past.memories]
            latest = {
                reader.meta.names[tie["agent"]]: tie["text"]
                for tie in mind["acquaintances"]
                if tie["since"] <= 60
            }
            assert {name: tie.text for name, tie in past.ties.items()}.items() <= latest.items()
            assert past.day is not None
            plans = [plan for plan in mind["plans"] if plan["made"] <= 60]
            hours = [plan for plan in plans if plan["title"] == "the hours of the day"][-1]
            assert [line["text"] for line in hours["items"]] == [b.text for b in past.day.blocks]
            assert hours["items"][0]["start"] == f"{past.day.blocks[0].begins:%H:%M}"
            day = next(p for p in mind["plans"] if p["title"] == "the day")
            assert tuple(line["text"] for line in day["items"]) == past.day.outline


@pytest.mark.parametrize("policy", ["smallville", *SLOW.values()])
def test_the_page_shows_of_each_mind_what_it_remembered(policy: str, tmp_path: Path) -> None:
    scenario = "tiny" if policy == "reactive" else "murder_mystery"  # where somebody speaks
    path = play(tmp_path / "run.sqlite", policy, scenario)
    with RunReader(path) as reader:
        minds = {name: show(reader, name)["memories"] for name in reader.meta.names}
        for tick in (60, reader.checkpoints()[-1]):
            for name, truth in list_truth(path, tick).items():
                shown = [memory["text"] for memory in minds[name] if memory["tick"] <= tick]
                assert shown, name
                over = Counter(shown) - Counter(truth)  # plans whose time has passed
                assert all(" plans for " in text for text in over)
                if policy in ("smallville", "ai_town", "simuverse"):  # which forget nothing
                    assert not Counter(truth) - Counter(shown)


def test_a_run_without_checkpoints_shows_what_the_record_has(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    options = RunOptions(checkpoint_every=10**6, interviews=True)
    run(RunSpec(TownConfig("tiny", hours=1.0), policy=PolicySpec("scripted")), path, options)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM checkpoints")
        connection.commit()
    with RunReader(path) as reader:
        mind = show(reader, "Ben Carver")
    assert {row["tick"] for row in mind["interviews"]} == {0, 12}
    assert mind["until"] == -1
    assert mind["memories"] == []
    assert "no checkpoint" in mind["note"]


def test_code_of_a_policy_given_by_path_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    spec = make_spec("tiny", 20, policy=PolicySpec(WITNESS))
    run(spec, path, make_options())
    with RunReader(path) as reader:
        mind = make_mind(reader, 0)
    assert (mind["until"], mind["memories"]) == (-1, [])
    assert "its code is not run" in mind["note"]


FORGED = [{"text": 7}, {"text": [7], "events": [[]], "at": [0], "origin": ["merged"], "next": 1}]


@pytest.mark.parametrize("forged", FORGED, ids=["no columns", "no words"])
def test_a_state_that_is_no_mind_is_said_to_be_none(forged: Any, tmp_path: Path) -> None:
    path = play(tmp_path / "run.sqlite", "lyfe", ticks=30)
    with RunReader(path) as reader:
        saved = reader.checkpoint(reader.last_tick)
        assert saved is not None
        saved.policies[0]["Dmitri Ivanov"]["long"] = forged
        with patch.object(reader, "last_state", return_value=saved):
            mind = show(reader, "Dmitri Ivanov")
    assert mind["memories"] == []
    assert "cannot be read" in mind["note"]


@pytest.fixture
def kept(valentines_run: Path) -> Path:
    return find_kept_file(valentines_run)


def add(path: Path, kept: Path | None, number: int = 0) -> Any:
    with RunReader(path) as run:
        return make_mind(run, number, kept)


def test_a_page_has_what_was_answered_after_a_shipped_run(valentines_run: Path) -> None:
    opened = OpenRun(valentines_run)
    try:
        with opened.look() as view:
            mind = json.loads(make_resource(view, parse_key("person/2")))
            last, events = view.run.last_tick, view.run.measure().events
    finally:
        opened.close()
    assert len(mind["interviews"]) == 5
    for one in mind["interviews"]:
        assert one["tick"] == last
        assert one["question"]
        assert one["answer"]
        assert all(0 <= id_ < events for id_ in one["evidence"])
        assert one["note"] == "asked after the run, answered by by-hand"
    assert any(one["evidence"] for one in mind["interviews"])


def test_answers_of_another_run_are_left_out_and_it_is_said(
    valentines_run: Path, kept: Path, tmp_path: Path
) -> None:
    lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    own = sum(line["said"]["agent"] == "Isabella Rodriguez" for line in lines)
    lines[[line["said"]["agent"] for line in lines].index("Isabella Rodriguez")]["source"] = "0"
    other = tmp_path / "other.interviews.jsonl"
    other.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    mind = add(valentines_run, other)
    assert len(mind["interviews"]) == own - 1
    assert "of another run" in mind["note"]


def test_a_file_that_is_none_of_answers_is_said(valentines_run: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.interviews.jsonl"
    broken.write_text("no answer\n", "utf-8")
    mind = add(valentines_run, broken)
    assert mind["interviews"] == []
    assert "broken.interviews.jsonl, line 1" in mind["note"]


def test_where_the_last_checkpoint_lags_behind_it_is_said_of_when_the_mind_is(
    tmp_path: Path,
) -> None:
    path = play(tmp_path / "run.sqlite", "scripted")
    with RunReader(path) as reader:
        assert "as of" not in show(reader, PEOPLE[0])["note"]
    with closing(sqlite3.connect(path)) as connection:  # as it was shortly before its end
        connection.execute("DELETE FROM checkpoints WHERE tick = 179")
        connection.commit()
    with RunReader(path) as reader:
        mind = show(reader, PEOPLE[0])
    assert mind["until"] == 175
    assert "as of Tuesday 11:14, the last checkpoint" in mind["note"]
