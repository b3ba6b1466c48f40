"""The direct mind: one reply, one action, and what goes on after it."""

import json
from collections.abc import Iterator

import pytest

from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.env import TownEnv
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.policies.direct import DirectPolicy
from genagents_env.world.interventions import Whisper


def start(
    *replies: dict[str, object] | str, **options: object
) -> tuple[TownEnv, DirectPolicy, list[CompletionRequest]]:
    """Ada in `tiny`, whose model replies these in turn and then waits."""
    left: Iterator[dict[str, object] | str] = iter(replies)

    def say(request: CompletionRequest) -> str:
        reply = next(left, {"do": "wait", "minutes": 60})
        return reply if isinstance(reply, str) else json.dumps(reply)

    endpoint = ScriptedEndpoint(say)
    env, policy = TownEnv("tiny", percepts=True), DirectPolicy(**options)
    env.reset(seed=0)
    profiles = {"Ada Brook": env.profiles()["Ada Brook"]}
    policy.reset(profiles, 0, env.context(ModelClient(endpoint, run_seed=0)))
    return env, policy, endpoint.requests


def step(env: TownEnv, policy: DirectPolicy, ticks: int) -> list[Action]:
    done = []
    observations, infos = env.load_state(env.save_state())
    for _ in range(ticks):
        actions = policy.act({"Ada Brook": observations["Ada Brook"]}, infos)
        done.append(actions["Ada Brook"])
        observations, _, _, _, infos = env.step(actions)
    return done


def test_an_interaction_walks_there_first_and_asks_once() -> None:
    env, policy, asked = start({"do": "interact", "target": "Cottage/study/lamp", "words": "lit"})
    actions = step(env, policy, 14)
    walk = [action for action in actions if isinstance(action, Move)]
    assert walk == [Move("Cottage/study/lamp")] * len(walk)
    assert actions[len(walk)] == Interact("Cottage/study/lamp", "lit")
    assert len(asked) == 2


def test_a_walk_that_is_not_possible_asks_again_with_the_reason() -> None:
    env, policy, asked = start({"do": "move", "target": "Atlantis"})
    step(env, policy, 2)
    assert "no place called 'Atlantis'" in asked[1].messages[-1].content


@pytest.mark.parametrize("spoken", [True, False])
def test_a_wait_goes_on_until_somebody_speaks_or_its_minutes_are_over(spoken: bool) -> None:
    env, policy, asked = start({"do": "wait", "minutes": 2})
    assert step(env, policy, 3) == [Idle()] * 3
    if spoken:
        env.intervene(Whisper("Ada Brook", "The lamp!"))
    step(env, policy, 1 if spoken else 9)
    assert len(asked) == 1
    step(env, policy, 1)
    assert len(asked) == 2
    assert ("The lamp!" in asked[1].messages[-1].content) is spoken


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ({"do": "talk", "target": "Ben Carver", "words": "Hello"}, Talk("Ben Carver", "Hello")),
        ({"do": "talk", "words": "Anybody?"}, Talk(None, "Anybody?")),
        ({"do": "leave", "words": "Bye"}, Talk(None, "Bye", leave=True)),
        ({"do": "move", "target": "Cottage/study"}, Move("Cottage/study")),
    ],
)
def test_every_reply_is_an_action(reply: dict[str, object], action: Action) -> None:
    env, policy, _ = start(reply)
    assert step(env, policy, 1) == [action]


def test_a_reply_without_use_waits_a_tick_and_is_told() -> None:
    env, policy, asked = start("no", "no", {"do": "wait", "minutes": 1})
    assert step(env, policy, 2) == [Idle(), Idle()]
    assert "Your last reply could not be used" in asked[2].messages[-1].content


def test_history_puts_earlier_turns_before_the_present_one() -> None:
    replies = [{"do": "wait", "minutes": 1}] * 4
    env, policy, asked = start(*replies, history=2)
    step(env, policy, 20)
    roles = [message.role for message in asked[3].messages]
    assert roles == ["system", *["user", "assistant"] * 2, "user"]
    assert asked[3].messages[1].content == asked[1].messages[-1].content


def test_a_short_prompt_leaves_out_old_turns_then_the_last_lines_and_notes_it() -> None:
    env, policy, asked = start(*[{"do": "wait", "minutes": 1}] * 3, history=5, prompt_tokens=360)
    step(env, policy, 13)
    assert all(len(request.messages) == 2 for request in asked)
    assert "Places you know" not in asked[0].messages[-1].content
    assert policy.take_notes()[0].kind == "cut"
