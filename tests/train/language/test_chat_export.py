"""Chats of recorded runs: rows to learn from, whose rewards a session gives again."""

import asyncio
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader
from genagents_env.rng import draw_index
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.train.language import SharedSession
from genagents_env.train.language.chat_export import export_chats

GOALS = {"Light the lamp": ("Cottage/study/lamp", "lit"), "the stove on": ("stove", "on")}


def answer(request: CompletionRequest) -> str:
    """Now and then something of no use, now and then a walk, otherwise the errand."""
    chance = draw_index(request.seed, 4)
    if chance == 0 or "Answer again" in request.messages[-1].content:
        return "I would rather not."
    if chance == 1:
        return '{"do": "move", "target": "Cottage/kitchen", "words": "", "minutes": 1}'
    system = request.messages[0].content
    target, state = next(what for goal, what in GOALS.items() if goal in system)
    return json.dumps({"do": "interact", "target": target, "words": state, "minutes": 1})


def record(path: Path, seed: int = 0, own: dict[str, str] | None = None) -> Path:
    spec = RunSpec(TownConfig("tiny"), seed, policy=PolicySpec("direct"), policy_for=own or {})
    run(spec, path, RunOptions(endpoint=ScriptedEndpoint(answer)))
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


async def replay(rows: list[dict[str, Any]], session: SharedSession) -> None:
    """Reply in a session what was replied in a run; each prompt has to be the recorded one."""
    left: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        left[row["agent"]].append(row)

    async def reply(agent: str) -> None:
        for row in left[agent]:
            prompt = await session.ask(agent)
            assert prompt is not None
            asked = [{"role": m.role, "content": m.content} for m in prompt.messages]
            assert asked == row["messages"][:-1]
            session.reply(agent, row["reply"])
        assert await session.ask(agent) is None

    await session.begin(rows[0]["seed"])
    await asyncio.gather(*map(reply, session.learners))


@pytest.mark.parametrize("own", [{}, {"Ben Carver": "scripted"}], ids=["both", "one"])
def test_the_chat_of_an_episode_gives_the_same_rewards_in_a_session(
    tmp_path: Path, own: dict[str, str]
) -> None:
    rows = read(export_chats([record(tmp_path / "run.sqlite", 4, own)], tmp_path))
    assert any(row["fallback"] for row in rows)
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    assert len(agents) == 2 - len(own)
    session = SharedSession("tiny", agents, "scripted")
    asyncio.run(replay(rows, session))
    for agent in agents:
        recorded = [row for row in rows if row["agent"] == agent]
        for row, turn in zip(recorded, session.transcript(agent), strict=True):
            lived = turn.to_json()
            for field in ("tick", "reward", "reward_to_go", "fallback", "episode_return", "mask"):
                assert row[field] == lived[field]
            assert row["messages"][-1] == {"role": "assistant", "content": row["reply"]}
        assert sum(row["reward"] for row in recorded) == pytest.approx(session.returns[agent])


@pytest.mark.slow
def test_best_and_success_choose_among_episodes(tmp_path: Path) -> None:
    done = [record(tmp_path / f"{seed}.sqlite", seed) for seed in range(4)]
    lazy = record(tmp_path / "lazy.sqlite", 9, {"Ben Carver": "idle"})
    rows = read(export_chats([*done, lazy], tmp_path / "all"))
    ada = {row["run"]: row["episode_return"] for row in rows if row["agent"] == "Ada Brook"}
    assert len(ada) == 5
    best = read(export_chats([*done, lazy], tmp_path / "best", best=2))
    kept = {row["run"] for row in best if row["agent"] == "Ada Brook"}
    assert sorted(kept) == sorted(sorted(ada, key=lambda name: -ada[name])[:2])
    assert {row["agent"] for row in best} == {"Ada Brook", "Ben Carver"}
    won = read(export_chats([*done, lazy], tmp_path / "won", success=True))
    assert {row["run"] for row in won} == {path.name for path in done}
    with pytest.raises(ConfigError, match="best"):
        export_chats(done, tmp_path, best=0)


def test_a_mind_of_many_faculties_is_a_row_a_call(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run(
        RunSpec(TownConfig("tiny"), policy=PolicySpec("smallville")),
        path,
        RunOptions(model="scripted:neighbour", embedder="hashed"),
    )
    rows = read(export_chats([path], tmp_path))
    with RunReader(path) as record_:
        calls = [c for c in record_.calls() if not c.purpose.startswith("interview")]
    assert [(r["agent"], r["tick"], r["purpose"]) for r in rows] == [
        (c.agent, c.tick, c.purpose) for c in calls
    ]
    for agent in ("Ada Brook", "Ben Carver"):
        own = [row for row in rows if row["agent"] == agent]
        assert own[0]["reward_to_go"] == pytest.approx(sum(row["reward"] for row in own))


def test_datasets_loads_the_file(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    file = export_chats([record(tmp_path / "run.sqlite")], tmp_path / "out")
    rows = datasets.load_dataset(
        "json", data_files=str(file), split="train", cache_dir=str(tmp_path)
    )
    assert rows.to_list() == read(file)


def test_a_run_without_a_model_has_no_chats(tmp_path: Path) -> None:
    run(RunSpec(TownConfig("tiny"), policy=PolicySpec("scripted")), tmp_path / "run.sqlite")
    assert read(export_chats([tmp_path / "run.sqlite"], tmp_path)) == []
