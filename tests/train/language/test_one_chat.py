"""One chat: a model reads the same bytes in a session, in use, in verifiers and in TRL."""

import asyncio
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.train.language import LearnerPrompt, Session, SharedSession
from genagents_env.train.language.shared_session import WAIT

EXAMPLE = Path(__file__).parents[3] / "examples" / "verifiers_town"
TURNS, TICKS = 10, 60
REPLIES = (
    '{"do": "move", "target": "Cottage/kitchen", "words": "", "minutes": 1}',
    ' {"minutes":1,\n "do":"talk", "target":"", "words":"Good morning\\u2014all"} ',
    "I would rather not.\n\n  Perhaps later. ",
    'Well: {"do": "wait", "target": "", "words": "", "minutes": 1}',
    '{"do": "interact", "target": "lamp", "words": "lit", "minutes": 1}',
)
Chat = list[dict[str, str]]


def reply_to(turn: int) -> str:
    """Return the words of a turn: another form of JSON each time, and none at all."""
    return REPLIES[turn % len(REPLIES)]


def count_turns(messages: Sequence[Any]) -> int:
    roles = [m["role"] if isinstance(m, dict) else m.role for m in messages]
    return roles.count("assistant")


def to_chat(messages: Sequence[Any]) -> Chat:
    return [{"role": m.role, "content": m.content} for m in messages]


def chat_in_session() -> list[Chat]:
    chats = []
    with Session("tiny", agent=0, others="idle", seed=0, max_ticks=TICKS) as session:
        while session.prompt is not None:
            chats.append(to_chat(session.prompt.messages))
            session.act(reply_to(len(chats) - 1))
    return chats


def test_a_model_in_use_reads_what_it_read_in_training(tmp_path: Path) -> None:
    chats: list[Chat] = []

    def answer(request: CompletionRequest) -> str:
        again = "Answer again" in request.messages[-1].content
        if not again:
            chats.append(to_chat(request.messages))
        turn = count_turns(request.messages) - again
        return reply_to(turn)

    spec = RunSpec(
        TownConfig("tiny"), 0, policy=PolicySpec("idle"), policy_for={"Ada Brook": "direct"}
    )
    run(spec, tmp_path / "run.sqlite", RunOptions(endpoint=ScriptedEndpoint(answer)))
    trained = chat_in_session()
    assert len(trained) > TURNS
    assert chats[: len(trained)] == trained
    assert [m["content"] for m in trained[TURNS][2::2]] == [reply_to(k) for k in range(TURNS)]


@pytest.mark.slow
def test_verifiers_sends_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("verifiers.v1")
    monkeypatch.setattr(sys, "path", [str(EXAMPLE), *sys.path])
    monkeypatch.setenv("TOWN_API_KEY", "none")
    import live  # type: ignore[import-not-found]  # on the path since the line above

    asked: list[dict[str, Any]] = []

    def answer(body: dict[str, Any]) -> str:
        asked.append(body)
        return reply_to(count_turns(body["messages"]))

    monkeypatch.setattr(live, "answer", answer)
    with live.serve() as address:
        episode = asyncio.run(
            live.live(address, "scripted", 0, learners=[0], others="idle", max_ticks=TICKS)
        )
    assert episode.ok
    assert len(episode.traces) == 1
    trained = chat_in_session()
    sent = [
        [{"role": m["role"], "content": m["content"]} for m in body["messages"]] for body in asked
    ]
    assert sent[: TURNS + 1] == trained[: TURNS + 1]
    with Session("tiny", agent=0, others="idle", seed=0) as session:
        assert session.prompt is not None
        assert all(body["response_format"] == session.prompt.response_format for body in asked)


@pytest.mark.slow
def test_the_tokens_of_trl_are_the_chat() -> None:
    pytest.importorskip("torch")
    from genagents_env.train.language.chat_rollouts import ChatTokens

    class Letters:
        """A tokenizer of letters, with the marks of a chat."""

        eos_token, eos_token_id = "\0", 0

        def __call__(self, text: str, **options: bool) -> dict[str, list[int]]:
            return {"input_ids": [ord(letter) for letter in text]}

        def decode(self, ids: Sequence[int], **options: bool) -> str:
            return "".join(chr(token) for token in ids if token)

        def apply_chat_template(self, chat: Chat, **options: bool) -> str:
            return "".join(f"\1{m['role']}\2{m['content']}\0" for m in chat) + "\1assistant\2"

    letters, tokens = Letters(), ChatTokens()
    with Session("tiny", agent=0, others="idle", seed=0, max_ticks=TICKS) as session:
        turn = 0
        while session.prompt is not None:
            assert tokens.ask(letters, session.prompt.messages)
            chat = to_chat(session.prompt.messages)
            all_ids = tokens.prompt_ids + tokens.ids
            assert "".join(map(chr, all_ids)) == letters.apply_chat_template(chat)
            ids = [*map(ord, reply_to(turn)), 0]
            session.act(tokens.say(letters, ids, [-0.5] * len(ids)))
            turn += 1
    assert turn > TURNS
    written = [chr(t) for t, own in zip(tokens.ids, tokens.mask, strict=True) if own]
    assert "".join(written) == "".join(reply_to(k) + "\0" for k in range(turn))
    assert len(tokens.logprobs) == len(tokens.ids)


def test_what_one_was_worth_is_what_the_others_lack_without_it() -> None:
    async def live() -> SharedSession:
        session = SharedSession("share", learners=[0], others="solution", max_ticks=50)
        await session.begin(3)

        async def work(prompt: Any) -> str:
            place = prompt.user.split("be at ")[1].split(",")[0]
            return json.dumps({"do": "move", "target": place})

        await session.play(session.learners[0], work)
        await session.close()
        return session

    session = asyncio.run(live())
    agent = session.learners[0]
    without = session.find_returns_without(agent)
    # Who works for all brings the others more; idling at home brings oneself the pool's part.
    assert set(without) == set(session.returns) == set(session.env.possible_agents)
    assert without[agent] != pytest.approx(session.returns[agent])
    assert sum(session.returns.values()) > sum(without.values())


def test_who_only_waits_was_worth_nothing_though_the_others_earned() -> None:
    async def live() -> SharedSession:
        session = SharedSession("tiny", learners=["Ada Brook"], max_ticks=20)
        await session.begin(7)
        await session.play("Ada Brook", give_up)
        await session.close()
        return session

    session = asyncio.run(live())
    assert session.returns["Ben Carver"] > 0
    assert session.find_returns_without("Ada Brook") == pytest.approx(session.returns)
    with pytest.raises(ConfigError, match="learners: nobody"):
        SharedSession("tiny", learners=[])


async def give_up(prompt: LearnerPrompt) -> None:
    return None


async def do_errand(prompt: LearnerPrompt) -> str:
    goal = re.search(r'put (.+?) into the state \\"(.+?)\\"', prompt.user)
    if goal is None or "(over)" in prompt.user:
        return WAIT
    return json.dumps({"do": "interact", "target": goal[1], "words": goal[2], "minutes": 1})


def test_who_gives_up_waits_while_the_others_go_on() -> None:
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
    import live

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
