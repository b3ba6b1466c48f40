"""A session: prompt, replies, rewards and transcript of a learning agent in a town."""

import asyncio
import json
import re

import pytest

from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, EpisodeError
from genagents_env.run import rollout
from genagents_env.train.language import Session, SharedSession
from genagents_env.train.language.seeds import list_seeds
from genagents_env.train.tasks import TASKS, get_task

WAIT = {"do": "wait", "target": "", "words": "", "minutes": 20}
ERRANDS = {
    "Ada Brook": ("Cottage/study/lamp", "lit"),
    "Ben Carver": ("Cottage/kitchen/stove", "on"),
}


def use(agent: str) -> str:
    target, state = ERRANDS[agent]
    return json.dumps({"do": "interact", "target": target, "words": state, "minutes": 1})


def test_the_reward_of_a_turn_is_that_of_the_ticks_it_takes() -> None:
    with Session("tiny", agent=1, others="idle", seed=0) as session:
        result = session.act(json.dumps(WAIT | {"minutes": 2}))
        assert result.reward == pytest.approx(12 * -0.01)
        assert result.prompt is not None
        assert result.prompt.tick == 12
        rest = session.act(json.dumps(WAIT))
        assert rest.done
        assert rest.prompt is None
        first, second = session.transcript()
        assert first.reward_to_go == pytest.approx(-0.6)
        assert second.reward == second.reward_to_go == pytest.approx(-0.48)
        assert first.mask == (0, 0, 1)
        assert first.messages[-1].content == first.reply


@pytest.mark.parametrize("words", ["", "I go to the lamp.", '{"do": "fly"}'])
def test_unusable_words_idle_a_tick_and_are_reported_and_counted(words: str) -> None:
    with Session("tiny", others="idle") as session:
        begun = session.prompt
        result = session.act(words)
        assert result.fault is not None
        assert result.reward == pytest.approx(-0.01)
        assert result.prompt is not None
        assert "could not be used" in result.prompt.user
        refused = session.act('{"do": "move", "target": "the moon"}')
        assert (refused.illegal, refused.fault) == (True, None)
        assert refused.prompt is not None
        assert "no place called 'the moon'" in refused.prompt.user
        assert (session.unusable, session.illegal) == (1, 1)
        assert [turn.fallback for turn in session.transcript()] == [True, False]
        assert session.reset(0) == begun
        assert (session.unusable, session.illegal, session.episode_return) == (0, 0, 0)
        assert not session.transcript()


def test_an_episode_is_a_function_of_its_seed_and_replies() -> None:
    def play(seed: int) -> list[dict[str, object]]:
        with Session("tiny", others="random", seed=seed) as session:
            while not session.done:
                session.act(json.dumps(WAIT | {"minutes": 1}))
            return [dict(turn.to_json()) for turn in session.transcript()]

    assert play(4) == play(4)
    assert play(4) != play(5)


def test_two_learners_share_a_town() -> None:
    async def live() -> SharedSession:
        session = SharedSession("tiny")
        await session.begin(7)

        async def learn(agent: str) -> None:
            while await session.ask(agent) is not None:
                session.reply(agent, use(agent))

        await asyncio.gather(*map(learn, session.learners))
        assert session.is_over
        assert session.is_successful
        return session

    session = asyncio.run(live())
    assert all(earned > 0.8 for earned in session.returns.values())
    scripted = rollout(TownEnv("tiny"), "scripted", seed=7).returns
    assert sum(session.returns.values()) >= sum(scripted.values())


def test_what_is_out_of_order_is_said() -> None:
    with Session("tiny", others="idle", max_ticks=1) as session:
        session.act("x")
        with pytest.raises(EpisodeError, match="reset"):
            session.act("x")
    with pytest.raises(ConfigError, match="Ada Brook, Ben Carver"):
        Session("tiny", agent="Cleo")
    with pytest.raises(ConfigError, match="asks no language model"):
        Session("tiny", mind="scripted")
    with pytest.raises(ConfigError, match="give `model`"):
        Session("tiny", others="reactive")


@pytest.mark.parametrize("seed", [3, 1_000_005])
def test_a_task_is_learned_in_the_town_that_its_seed_draws(seed: int) -> None:
    task = get_task("errand")
    env = TownEnv(task.draw(seed), ids="indexed")
    env.reset(seed=seed)
    assert task.find_optimum is not None
    best = task.find_optimum(env)["resident_0"]
    with Session("errand", seed=seed, agent=0) as session:
        assert session.agent == "resident_0"
        assert session.prompt is not None
        goal = re.search(r'put (.+?) into the state \\"(.+?)\\"', session.prompt.user)
        assert goal is not None
        assert goal[1] in session.prompt.system
        reply = {"do": "interact", "target": goal[1], "words": goal[2], "minutes": 1}
        while not session.done:
            session.act(json.dumps(reply if session.episode_return <= 0 else WAIT))
        assert session.episode_return == pytest.approx(best, abs=0.05)
        assert session.success  # the others do theirs by the task's own solution
        assert {turn.scenario for turn in session.transcript()} != {"tiny"}


def test_a_time_that_is_over_is_no_success() -> None:
    with Session("gather", others="idle", seed=0) as session:
        while not session.done:
            session.act("I cannot help with that.")
        assert session._shared.env.parts.reward.is_done()
        assert (session.success, session.episode_return) == (False, 0)
    with Session("gather", mind="direct", others="solution", agent=0, seed=0) as session:
        while not session.done:
            session.act(json.dumps(WAIT))
        assert not session.success


def test_seeds_that_are_held_out_are_no_seeds_to_learn_from() -> None:
    assert not set(list_seeds("training")) & set(list_seeds("held_out"))
    with Session("errand", seed=list_seeds("training")[0]) as one:
        learned = one.prompt
        assert one.reset(list_seeds("held_out")[0]) != learned
    with pytest.raises(ConfigError, match="'train' is not allowed; training or held_out"):
        list_seeds("train")  # type: ignore[arg-type]


@pytest.mark.parametrize("task", TASKS)
def test_every_task_can_be_learned_in_words(task: str) -> None:
    with Session(task, seed=1, max_ticks=40) as session:
        assert session.prompt is not None
        assert "Your goals: " in session.prompt.user
        while not session.done:
            session.act(json.dumps(WAIT))
        least, most = get_task(task).bounds
        assert least - 1e-6 <= session.episode_return <= most + 1e-6


def test_others_may_ask_a_model_of_their_own() -> None:
    with Session("tiny", others="reactive", model="scripted") as session:
        while not session.done:
            session.act(json.dumps(WAIT))
        assert {turn.agent for turn in session.transcript()} == {"Ada Brook"}
