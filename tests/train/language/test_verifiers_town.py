"""The town as a verifiers environment; the loop it plays by is tested without verifiers too."""

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

from genagents_env.train.language import LearnerPrompt, SharedSession
from genagents_env.train.language.shared_session import WAIT

EXAMPLE = Path(__file__).parents[3] / "examples" / "verifiers_town"


async def do_errand(prompt: LearnerPrompt) -> str:
    goal = re.search(r'put (.+?) into the state \\"(.+?)\\"', prompt.user)
    if goal is None or "(over)" in prompt.user:
        return WAIT
    return json.dumps({"do": "interact", "target": goal[1], "words": goal[2], "minutes": 1})


def test_who_gives_up_waits_while_the_others_go_on() -> None:
    async def give_up(prompt: LearnerPrompt) -> None:
        return None

    async def live() -> tuple[list[bool], SharedSession]:
        session = SharedSession("errand", learners=[0, 1])
        await session.begin(11)
        both = zip(session.learners, (give_up, do_errand), strict=True)
        gave_up = await asyncio.gather(*(session.play(agent, answer) for agent, answer in both))
        return gave_up, session

    gave_up, session = asyncio.run(live())
    assert gave_up == [True, False]
    assert session.returns["resident_0"] == pytest.approx(-0.6)
    assert session.returns["resident_1"] > 0
    assert session.count_unusable("resident_0") == 0


@pytest.mark.slow
def test_verifiers_plays_an_episode_of_two_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("verifiers.v1")
    monkeypatch.setattr(sys, "path", [str(EXAMPLE), *sys.path])
    monkeypatch.setenv("TOWN_API_KEY", "none")
    import live  # type: ignore[import-not-found]  # on the path since the line above

    with live.serve() as address:
        episode = asyncio.run(live.live(address, "scripted", 0))
    assert episode.ok
    names = {trace.agent.name: trace for trace in episode.traces}
    assert list(sorted(names)) == ["resident_0", "resident_1"]
    assert [names[name].agent.trainable for name in sorted(names)] == [True, False]
    for trace in names.values():
        told = trace.info["town"]
        assert trace.reward == told["return"] == pytest.approx(sum(told["rewards"]))
        assert trace.metrics["success"] == 1
        assert trace.num_turns == len(told["rewards"])
