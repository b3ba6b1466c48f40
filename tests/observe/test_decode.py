"""Actions as dataclasses: what one says is read once, and holds for nobody but who may do it."""

import pytest

from genagents_env.actions import Action, Idle, Move
from genagents_env.env import TownEnv
from genagents_env.observe.decode import Attempt
from genagents_env.world.resolved import RefusedAct, ResolvedMove


@pytest.fixture
def env() -> TownEnv:
    env = TownEnv("tiny")
    env.reset(seed=0)
    return env


def decode(env: TownEnv, action: object) -> Attempt:
    mask = env.parts.menu.base
    return env.parts.decoder.decode(dict.fromkeys(env.possible_agents, action), mask)


@pytest.mark.parametrize("action", [Move("kitchen"), Move("stove"), Idle("reading", "📖")])
def test_the_same_words_mean_the_same_again_and_for_everybody(env: TownEnv, action: Action) -> None:
    first, second = decode(env, action).acts, decode(env, action).acts
    assert first == second
    assert first[0] == first[1]
    assert not isinstance(first[0], RefusedAct)


def test_to_walk_on_is_refused_as_soon_as_one_may_not(env: TownEnv) -> None:
    state, move = env.world.state, Move("kitchen")
    known = state.known
    for _ in range(3):
        assert isinstance(decode(env, move).acts[0], ResolvedMove)
    state.set_known((0, *known[1:]))
    acts = decode(env, move).acts
    assert isinstance(acts[0], RefusedAct)
    assert "do not know" in acts[0].reason
    assert isinstance(acts[1], ResolvedMove)
    state.set_known(known)
    assert isinstance(decode(env, move).acts[0], ResolvedMove)


def test_one_does_not_walk_to_oneself_by_words_that_lead_another_there(env: TownEnv) -> None:
    acts = decode(env, Move(env.world.names[1])).acts
    refused = acts[1]
    assert isinstance(refused, RefusedAct)
    assert "no place called" in refused.reason
    assert acts[0] != acts[1]
