"""Shaped and sparse reward have the same optimal policy: value iteration over every state.

The town is `tiny` with one person and her errand. Its states are reached through the environment
itself, each choice of each state once; the errand cannot be done from all of them before the end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.scenario import load_scenario

ADA, HORIZON, WEIGHT = "Ada Brook", 9, 0.7
State = tuple[object, ...]


@dataclass
class Step:
    """What a choice does in a state: its reward, where it leads, and whether that is the end."""

    reward: float
    after: State
    ended: bool


@dataclass
class Model:
    """Every state that can be reached, latest first; the potential of each."""

    start: State
    steps: dict[State, dict[int, Step]] = field(default_factory=dict)
    potential: dict[State, float] = field(default_factory=dict)


def make_env(shaping: float, discount: float) -> TownEnv:
    scenario = load_scenario("tiny", people=ADA)
    reward = scenario.reward.model_copy(update={"shaping": shaping, "discount": discount})
    scenario = scenario.model_copy(update={"reward": reward})
    return town_v0.parallel_env(scenario, actions="menu", max_cycles=HORIZON)


def read_state(saved: Mapping[str, Any]) -> State:
    """Return what decides about the future: when, where, how things are, and what is done."""
    world = saved["world"]
    states = tuple(world["things"]["states"])
    return int(world["tick"]), tuple(world["tile"]), states, str(saved["reward"]["done"])


@cache
def explore(shaping: float, discount: float) -> Model:
    """Return the model of the environment, by trying every choice in every state."""
    env = make_env(shaping, discount)
    seen, _ = env.reset(seed=0)
    saved = env.save_state()
    model = Model(read_state(saved))
    frontier = {model.start: (saved, seen[ADA]["action_mask"])}
    levels: list[dict[State, dict[int, Step]]] = []
    while frontier:
        level, following = dict[State, dict[int, Step]](), dict[State, Any]()
        for state, (saved, mask) in frontier.items():
            model.potential[state] = sum(saved["reward"]["potential"])
            level[state] = {}
            for choice in np.flatnonzero(mask).tolist():
                env.load_state(saved)
                seen, rewards, _, _, _ = env.step({ADA: choice})
                reached = env.save_state()
                after, ended = read_state(reached), not env.agents
                level[state][choice] = Step(rewards[ADA], after, ended)
                if not ended:
                    known = following.setdefault(after, (reached, seen[ADA]["action_mask"]))
                    np.testing.assert_array_equal(known[1], seen[ADA]["action_mask"])
        levels.append(level)
        frontier = following
    for level in reversed(levels):
        model.steps |= level
    return model


def iterate(model: Model, discount: float) -> tuple[dict[State, float], dict[State, set[int]]]:
    """Return the value of each state and its best choices; one sweep, as time goes one way."""
    values, best = dict[State, float](), dict[State, set[int]]()
    for state, steps in model.steps.items():
        worth = {
            choice: step.reward + (0.0 if step.ended else discount * values[step.after])
            for choice, step in steps.items()
        }
        values[state] = max(worth.values())
        best[state] = {k for k, value in worth.items() if value > values[state] - 1e-9}
    return values, best


def test_the_shaped_reward_has_the_optimum_of_the_sparse_one() -> None:
    discount = 0.9
    sparse, shaped = explore(0.0, 1.0), explore(WEIGHT, discount)
    assert sparse.steps.keys() == shaped.steps.keys()
    assert len(sparse.steps) > 200
    values, best = iterate(sparse, discount)
    shaped_values, shaped_best = iterate(shaped, discount)
    assert best == shaped_best
    for state, value in values.items():
        expected = value - WEIGHT * shaped.potential[state]
        assert shaped_values[state] == pytest.approx(expected, abs=1e-9)
    ends = [step for steps in shaped.steps.values() for step in steps.values() if step.ended]
    done = [step for step in ends if "True" in str(step.after[-1])]
    assert done  # the errand's own end
    assert len(done) < len(ends)  # and the horizon's
    assert any(len(choices) < len(shaped.steps[state]) for state, choices in best.items())
