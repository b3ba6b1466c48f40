"""Shaping adds up to what the start was away from the goals, whatever is done in between."""

from typing import Any

import numpy as np
import pytest

from genagents_env.actions import Interact, Move
from genagents_env.env import TownEnv
from genagents_env.scenario.schema import Goal, Reward
from genagents_env.testing.legal import sample_legal
from genagents_env.train.tasks import TASKS
from genagents_env.train.tasks.task import change
from genagents_env.world.rewards.shaping import Potential
from tests.goal_towns import ADA, make_tiny
from tests.train.tasks.names import SMALL

LAMP = "Cottage/study/lamp"


def make_env(shaping: float, **reward: Any) -> TownEnv:
    goal = Goal(agent=ADA, kind="use", object=LAMP, state="lit")
    paid = Reward(name="goals", goals=(goal,), shaping=shaping, **reward)
    return TownEnv(make_tiny().model_copy(update={"reward": paid}), max_cycles=25)


def earn(env: TownEnv, discount: float, *, reaches: bool) -> float:
    """Return the discounted return of an episode."""
    env.reset(seed=3)
    total = 0.0
    while env.agents:
        tick = env.world.tick
        act = Move(LAMP) if tick < 15 or not reaches else Interact(LAMP, "lit")
        total += discount**tick * env.step({ADA: act})[1][ADA]
    return total


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize("reaches", [True, False])
@pytest.mark.parametrize("ends", [True, False])
def test_shaping_adds_minus_the_first_potential(
    *, reaches: bool, ends: bool, discount: float
) -> None:
    """Whatever is done: so what is best by the plain reward is best by the shaped one."""
    plain, shaped = (make_env(w, ends=ends, discount=discount) for w in (0.0, 2.0))
    shaped.reset(seed=3)
    start = Potential(shaped.world, shaped.parts.reward.board).measure(shaped.world, 0)
    assert start < 0
    more = earn(shaped, discount, reaches=reaches) - earn(plain, discount, reaches=reaches)
    assert more == pytest.approx(-2.0 * start)


@pytest.mark.parametrize("name", SMALL)
def test_every_task_telescopes(name: str) -> None:
    town = TASKS[name].draw(0)
    rng, totals = np.random.default_rng(0), list[np.ndarray]()
    first = 0.0
    for shaping in (0.0, 1.0):
        reward = town.reward.model_dump() | {"shaping": shaping, "discount": 1.0}
        env = TownEnv(change(town, reward=reward), actions="menu", max_cycles=30)
        rng = np.random.default_rng(0)
        observations, infos = env.reset(seed=1)
        board = env.parts.reward.board
        either = town.reward.name not in ("goals", "errand")
        potential = Potential(env.world, board, either=either)
        first = sum(potential.measure(env.world, i) for i in board.owners)
        total = np.zeros(len(env.possible_agents))
        while env.agents:
            actions = sample_legal(env, observations, infos, rng)
            observations, rewards, _, _, infos = env.step(actions)
            total += list(rewards.values())
        totals.append(total)
    assert totals[1].sum() - totals[0].sum() == pytest.approx(-first)
